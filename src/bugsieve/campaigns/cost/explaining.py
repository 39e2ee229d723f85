"""What is needed of a campaign to explain a cost bug, and what is kept there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError
from bugsieve.campaigns.accounts import Account
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore
from bugsieve.campaigns.named_bugs import find_bug
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.checkers.cost import CertificateError
from bugsieve.explanation.blame.blame import DEFAULT_LIMITS, Blame, blame
from bugsieve.explanation.blame.explanation import (
    Explanation,
    explained,
    explanation_json,
    explanation_text,
)
from bugsieve.explanation.blame.stored_blame import NAME, blame_of_note, note_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.checking import check_certificate
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.policy import NoPolicy

if TYPE_CHECKING:
    from bugsieve.pictures.strips import SvgFile


@dataclass(frozen=True)
class CostWitness:
    """What a store has on a bug."""

    folder: Path
    row: CostBugRow
    header: CampaignHeader
    trace: str
    note: Any
    """What was kept of the blame."""

    def account(self, expansions: int) -> Account:
        """The explanation of the bug; InputError if its certificate does not hold."""
        found = self._explained(expansions)
        return Account(
            partial(explanation_text, found),
            partial(explanation_json, found),
            partial(_drawing, found),
        )

    def _explained(self, expansions: int) -> Explanation:
        header, row, folder = self.header, self.row, self.folder
        task = header.subject.load()
        bench = Bench(task, NoPolicy(), make_objective(header.objective, task))
        with (
            doing(f"checking the certificate of {row.id}"),
            proof_of(row.id, folder, CertificateError),
        ):
            check_certificate(bench.task.to_sas(), row.bug.certificate)
        found, kept = _blamed(folder, bench, row, self.note, expansions)
        return explained(bench, row.bug, found, policy=header.policy, kept=kept, trace=self.trace)


def witness_of(folder: Path, name: str) -> CostWitness:
    """What the store has on the bug of this id, or on the only one that begins so."""
    with CostRecords(folder) as records:
        row: Any = find_bug(records, name)
        trace, note = records.trace(row.case), _note(records, row.id)
        return CostWitness(folder, row, records.header, trace, note)


def _drawing(of: Explanation, picture: str | None) -> SvgFile:
    from bugsieve.explanation.blame.strips import bug_strips
    from bugsieve.pictures.strips import strips_file

    strips = bug_strips(of.task, of.certificate, of.blame, policy=of.policy, picture=picture)
    return strips_file(strips, title=f"bug {of.bug.id} of {of.policy} on {of.task.title}")


def _note(records: CostRecords, bug: str) -> Any:
    """What was kept of the blame, if anything that can be read."""
    try:
        return records.notes(bug).get(NAME)
    except BugsieveError:
        return None


def _blamed(
    folder: Path, bench: Bench, row: CostBugRow, note: Any, expansions: int
) -> tuple[Blame, bool]:
    """The blame and whether it was kept with the bug; else it is found anew, and kept."""
    limits = replace(DEFAULT_LIMITS, expansions=expansions)
    certificate = row.bug.certificate
    known = blame_of_note(note, bench, certificate, limits)
    if known is not None:
        return known, True
    with doing(f"looking for the decision to blame for {row.id}"):
        found = blame(bench, certificate, limits=limits)
    note = note_of(found, certificate, limits)
    if note is not None:
        _keep(folder, row.id, note)
    return found, False


def _keep(folder: Path, bug: str, note: Any) -> None:
    """Keep a note with the bug, where the folder can be written and nobody is writing to it."""
    with suppress(BugsieveError, OSError), CostStore.open(folder, patience=0.0) as store:
        store.note(bug, NAME, note)
