"""What `bugsieve explain` needs of a campaign to explain a cost bug, and what it keeps there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.activity import doing
from bugsieve.base.errors import BugsieveError
from bugsieve.commands.shared.bug_arguments import find_bug

if TYPE_CHECKING:
    from bugsieve.campaigns.cost.records import CostRecords
    from bugsieve.explanation.blame.blame import Blame
    from bugsieve.explanation.blame.explanation import Explanation
    from bugsieve.pipeline.bench import Bench
    from bugsieve.pipeline.judging.findings import CostBugRow


def explanation_of(folder: Path, name: str, expansions: int) -> Explanation:
    """Everything about the bug of this id, or of the only one that begins so."""
    from bugsieve.campaigns.cost.records import CostRecords
    from bugsieve.campaigns.store.proofs import proof_of
    from bugsieve.checkers.cost import CertificateError
    from bugsieve.explanation.blame.explanation import explained
    from bugsieve.pipeline.bench import Bench
    from bugsieve.pipeline.bugs.checking import check_certificate
    from bugsieve.pipeline.objectives import make_objective
    from bugsieve.policies.policy import NoPolicy

    with CostRecords(folder) as records:
        row: Any = find_bug(records, name)
        header, trace = records.header, records.trace(row.case)
        note = _note(records, row.id)
    task = header.subject.load()
    bench = Bench(task, NoPolicy(), make_objective(header.objective, task))
    with (
        doing(f"checking the certificate of {row.id}"),
        proof_of(row.id, folder, CertificateError),
    ):
        check_certificate(bench.task.to_sas(), row.bug.certificate)
    found, kept = _blamed(folder, bench, row, note, expansions)
    return explained(bench, row.bug, found, policy=header.policy, kept=kept, trace=trace)


def _note(records: CostRecords, bug: str) -> Any:
    """What was kept of the blame, if anything that can be read."""
    from bugsieve.explanation.blame.keeping import NAME

    try:
        return records.notes(bug).get(NAME)
    except BugsieveError:
        return None


def _blamed(
    folder: Path, bench: Bench, row: CostBugRow, note: Any, expansions: int
) -> tuple[Blame, bool]:
    """The blame and whether it was kept with the bug; else it is found anew, and kept."""
    from bugsieve.explanation.blame.blame import DEFAULT_LIMITS, blame
    from bugsieve.explanation.blame.keeping import blame_of_note, note_of

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
    from bugsieve.campaigns.cost.store import CostStore
    from bugsieve.explanation.blame.keeping import NAME

    with suppress(BugsieveError, OSError), CostStore.open(folder, patience=0.0) as store:
        store.note(bug, NAME, note)
