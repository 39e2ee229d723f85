"""Drives tests of rules: one obligation after the other, each answer checked and stored."""

from __future__ import annotations

import time
from dataclasses import replace

from bugsieve.base.current_activity import doing
from bugsieve.base.stopping import check_stop
from bugsieve.campaigns.session import Counts, Driver, Session
from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.schema import damaged
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import BugRow, Finding, RejectedRow, Sighting
from bugsieve.rooms.rules.campaign.equipment import RulesEquipment
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.salvage import first_wrong_answer
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.store.bug import ENGINE, RuleBug
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import AnswerRow, ObligationRow

ALL_JUDGED = "all obligations are judged"


class RulesDriver(Driver):
    """Judges obligations in order."""

    def __init__(self, equipment: RulesEquipment, records: RulesRecords) -> None:
        self._equipment = equipment
        self._obligations = records.obligations()
        self._bugs = {row.id for row in records.bugs()}
        wrong = first_wrong_answer(records, equipment)
        if wrong is not None:
            raise damaged(records.directory, wrong[1])

    def step(self, session: Session) -> str | None:
        """Judge the next obligation; a reason if there is none."""
        check_stop()
        reason = self.left_nothing(session.progress)
        if reason is not None:
            return reason
        number = session.progress.visits
        session.accept(self._finding(self._obligations[number]))
        session.progress = replace(session.progress, rounds=number + 1)
        session.commit_if_due()
        return None

    def left_nothing(self, progress: Progress) -> str | None:
        """Say that all obligations are judged; None if some are not."""
        return ALL_JUDGED if progress.visits >= len(self._obligations) else None

    def fresh_cases(self) -> None:
        """Tasks and obligations are stored already."""
        return

    def counts(self, progress: Progress) -> Counts:
        """The number of obligations, and of those that are judged."""
        judged = progress.visits
        return Counts(len(self._obligations), len(self._obligations), judged, judged)

    def _finding(self, row: ObligationRow) -> Finding:
        start = time.perf_counter()
        judge = self._equipment.judge(row.task)
        with doing(f"obligation {row.number} of {len(self._obligations)}: {row.obligation.title}"):
            answer = judge.judge(row.obligation)
        rejected = tuple(
            RejectedRow(row.number, ENGINE, reason, certificate)
            for certificate, reason in judge.rejected
        )
        judge.rejected.clear()
        visit = Visit(row.number, row.number)
        stored = AnswerRow(row.number, answer, time.perf_counter() - start)
        if answer.verdict != "failed":
            return Finding(visit, stored, rejected=rejected)
        bug = self._bug(row, answer)
        is_new = bug.id not in self._bugs
        self._bugs.add(bug.id)
        return Finding(
            visit,
            stored,
            bugs=(bug,) if is_new else (),
            sightings=(Sighting(0, bug.id),),
            rejected=rejected,
        )

    def _bug(self, row: ObligationRow, answer: Answer) -> BugRow[RuleBug]:
        assert answer.trace is not None
        bug = RuleBug(row.obligation.rule, answer.trace, row.obligation.literal)
        return BugRow(row.number, bug, (ENGINE,), row.number, row.number)


def drive(equipment: RulesEquipment, options: RulesOptions, records: RulesRecords) -> RulesDriver:
    """The driver that goes on where the records end."""
    return RulesDriver(equipment, records)
