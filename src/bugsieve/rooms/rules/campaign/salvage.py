"""Checks of stored answers that need the tasks; a store may be damaged or come from a stranger.

Every trace is checked again, on the grounded task and on the PDDL. Proofs that there is none are
as long as a search: `replay` makes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.rules.campaign.equipment import RulesEquipment
from bugsieve.rooms.rules.campaign.options import options_in
from bugsieve.rooms.rules.campaign.subject import stored_tasks
from bugsieve.rooms.rules.store.records import RulesRecords


def first_wrong_test(records: RulesRecords) -> tuple[int, str] | None:
    """The first obligation whose stored answer or certificate is wrong, and the reason.

    InputError where tasks, rules or obligations are wrong: without them nothing can go on.
    """
    equipment = RulesEquipment(stored_tasks(records), options_in(records))
    return records.first_unreadable_answer() or first_wrong_answer(records, equipment)


def first_wrong_answer(records: RulesRecords, equipment: RulesEquipment) -> tuple[int, str] | None:
    """The same where all can be read; the equipment learns the traces that are right."""
    rows = records.obligations()
    violations = set()
    for found in records.answers():
        try:
            equipment.recall(rows[found.number], found.answer)
        except ValueError as error:
            return found.number, f"table answers, row {found.number}: {error}"
        if found.answer.verdict == "failed":
            violations.add(_text(found.answer.trace))

    def check(certificate: Any) -> None:
        if _text(certificate) not in violations:
            raise ValueError("is not what was answered")

    return records.first_wrong_bug(check)


def _text(certificate: Any) -> str:
    return json.dumps(certificate, sort_keys=True)


def checker(header: CampaignHeader) -> Callable[[Any], None]:
    """A check that has nothing left to do: bugs are answers, which `first_wrong_test` checks."""

    def check(certificate: Any) -> None:
        return

    return check
