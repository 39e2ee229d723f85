"""What `bugsieve explain` needs of a campaign to explain a cost bug, and what it keeps there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.activity import doing
from bugsieve.basis.errors import BugsieveError
from bugsieve.cli.bug_arguments import find_bug

if TYPE_CHECKING:
    from bugsieve.benches.bench import Bench
    from bugsieve.faults.blame import Blame
    from bugsieve.faults.explanation import Explanation
    from bugsieve.judging.findings import CostBugRow
    from bugsieve.results.cost.records import CostRecords


def explanation_of(folder: Path, name: str, expansions: int) -> Explanation:
    """Everything about the bug of this id, or of the only one that begins so."""
    from bugsieve.benches.bench import Bench
    from bugsieve.benches.objectives import make_objective
    from bugsieve.checkers.cost import CertificateError, check
    from bugsieve.faults.explanation import explained
    from bugsieve.policies.policy import NoPolicy
    from bugsieve.results.cost.records import CostRecords
    from bugsieve.results.proofs import proof_of

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
        check(bench.task.to_sas(), row.bug.certificate)
    found, kept = _blamed(folder, bench, row, note, expansions)
    return explained(bench, row.bug, found, policy=header.policy, kept=kept, trace=trace)


def _note(records: CostRecords, bug: str) -> Any:
    """What was kept of the blame, if anything that can be read."""
    from bugsieve.faults.keeping import NAME

    try:
        return records.notes(bug).get(NAME)
    except BugsieveError:
        return None


def _blamed(
    folder: Path, bench: Bench, row: CostBugRow, note: Any, expansions: int
) -> tuple[Blame, bool]:
    """The blame and whether it was kept with the bug; else it is found anew, and kept."""
    from bugsieve.faults.blame import DEFAULT_LIMITS, blame
    from bugsieve.faults.keeping import blame_of_note, note_of

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
    from bugsieve.faults.keeping import NAME
    from bugsieve.results.cost.store import CostStore

    with suppress(BugsieveError, OSError), CostStore.open(folder, patience=0.0) as store:
        store.note(bug, NAME, note)
