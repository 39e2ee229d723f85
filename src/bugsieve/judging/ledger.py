"""The one place where oracles learn: strictly in order, in the process that runs the campaign.

Judges without memory have done their part of a finding in whatever process. The ledger adds what
learning oracles say of the case, and of earlier ones, and has their claims proven.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bugsieve.basis.activity import doing
from bugsieve.basis.errors import InternalError
from bugsieve.benches.bench import Bench
from bugsieve.bugs.cost.bug import Bug
from bugsieve.bugs.cost.certificate import KnownRun
from bugsieve.bugs.cost.verdict import Outcome
from bugsieve.judging.cases import StateCase
from bugsieve.judging.findings import (
    BoundRow,
    CostBugRow,
    Finding,
    Lesson,
    RejectedRow,
    RunRow,
    UnstableRow,
    VerdictRow,
)
from bugsieve.judging.proving import Prover
from bugsieve.oracles.learning import KnownCase, LearningOracle, Learnt, Revision
from bugsieve.oracles.oracle import Oracle


@dataclass(frozen=True, eq=False)
class Remembered:
    """A visit of an earlier session, as the store has it."""

    case: StateCase
    run: RunRow
    lessons: tuple[Lesson, ...]


class Ledger:
    """Tells learning oracles of case after case, and settles what they claim.

    `known` are lessons of tests of other policies on the task: what they say of the task counts.
    """

    def __init__(
        self, bench: Bench, oracles: Sequence[Oracle], known: Iterable[Lesson] = ()
    ) -> None:
        self._specs = [oracle.spec for oracle in oracles]
        self._learners = [
            oracle for oracle in oracles if isinstance(oracle, LearningOracle) and oracle.learns
        ]
        self._prover = Prover(bench) if self._learners else None
        self._cases: dict[int, tuple[StateCase, KnownRun]] = {}
        self._bugs: dict[int, CostBugRow] = {}
        self._bounds: dict[int, float] = {}
        self._unstable: set[int] = set()
        """Cases in whose runs the policy has changed its answers: they are no bugs."""
        shared = list(known)
        for learner in self._learners:
            learner.recall_task(item.of_task for item in shared if item.oracle == learner.spec)

    @property
    def learns(self) -> bool:
        """Whether there is anybody who learns."""
        return bool(self._learners)

    def recall(
        self,
        visits: Iterable[Remembered],
        bugs: Iterable[CostBugRow],
        bounds: Iterable[BoundRow] = (),
        unstable: Iterable[UnstableRow] = (),
    ) -> None:
        """Make the memory again from what earlier sessions have stored."""
        stored = list(visits)
        for visit in stored:
            self._keep(visit.case, visit.run)
        for learner in self._learners:
            learner.recall(_lessons(stored, learner.spec))
        self._bugs = {row.case: row for row in bugs}
        for bound in bounds:
            self._bounds[bound.case] = max(bound.gap, self._bounds.get(bound.case, 0.0))
        self._unstable = {row.case for row in unstable if not row.cause}

    @property
    def asked_again(self) -> int:
        """How many questions it took to see whether the policy stands by its answers."""
        return 0 if self._prover is None else self._prover.asker.calls

    def notes(self) -> tuple[str, ...]:
        """What users should know of those who learn."""
        return tuple(filter(None, (learner.note for learner in self._learners)))

    def complete(self, case: StateCase, finding: Finding) -> Finding:
        """The finding with what the learning oracles add to it.

        They are told of a case once: a visit with more effort brings them nothing.
        """
        if not self._learners:
            return finding
        self._bugs.update((row.case, row) for row in finding.bugs)
        self._unstable.update(row.case for row in finding.unstable)
        if finding.visit.effort:
            return finding
        self._keep(case, finding.run)
        known = _known(case, finding.run)
        for learner in self._learners:
            start = time.perf_counter()
            with doing(f"telling {learner.spec} of state {case.number}"):
                learnt = learner.learn(known)
            row = VerdictRow(learner.spec, learnt.verdict, time.perf_counter() - start)
            finding = self._with(finding, learner.spec, row, learnt)
        order = {spec: place for place, spec in enumerate(self._specs)}
        verdicts = sorted(finding.verdicts, key=lambda row: order[row.oracle])
        # Bugs count in this order, and a limit on their number cuts the last ones off.
        bugs = sorted((self._bugs[row.case] for row in finding.bugs), key=lambda row: row.case)
        return replace(finding, verdicts=tuple(verdicts), bugs=tuple(bugs))

    def _with(self, finding: Finding, spec: str, row: VerdictRow, learnt: Learnt) -> Finding:
        """The finding with the words of one learner."""
        finding = replace(
            finding,
            verdicts=(*finding.verdicts, row),
            lessons=(*finding.lessons, Lesson(spec, learnt.lesson, learnt.of_task)),
        )
        own = Revision(finding.visit.case, learnt.verdict)
        for revision in sorted((*learnt.revisions, own), key=lambda revision: revision.case):
            if revision.case not in self._cases:
                raise InternalError(
                    f"oracle {spec} revises case {revision.case}, of which it was never told"
                )
            if revision.verdict.is_bug:
                finding = self._claimed(finding, spec, revision)
            elif revision is not own and revision.verdict.outcome is Outcome.IMPLIED:
                finding = self._bounded(finding, spec, revision)
        return finding

    def _claimed(self, finding: Finding, spec: str, revision: Revision) -> Finding:
        assert self._prover is not None
        case, run = self._cases[revision.case]
        if case.number in self._unstable:
            return finding
        is_known = case.number in self._bugs
        proof = self._prover.prove(case, revision.verdict, spec, run=run, is_known=is_known)
        if isinstance(proof, RejectedRow):
            return replace(finding, rejected=(*finding.rejected, proof))
        if isinstance(proof, UnstableRow):
            self._unstable.add(case.number)
            return replace(finding, unstable=(*finding.unstable, proof))
        return self._proven(finding, case.number, proof)

    def _proven(self, finding: Finding, case: int, bug: Bug) -> Finding:
        """A new bug, a better proof of a known one, or one more finder of it."""
        visit, known = finding.visit.number, self._bugs.get(case)
        if known is None:
            row = CostBugRow(case, bug, (bug.oracle,), visit, visit)
            self._bugs[case] = row
            return replace(finding, bugs=(*finding.bugs, row))
        finders = tuple(dict.fromkeys((*known.finders, bug.oracle)))
        is_better = bug.gap > known.bug.gap or _is_cheaper(bug, known.bug)
        if not is_better and finders == known.finders:
            return finding
        best, changed = (bug, visit) if is_better else (known.bug, known.changed)
        row = replace(known, bug=best, finders=finders, changed=changed)
        self._bugs[case] = row
        if known.found == visit:
            return finding  # it is among the new bugs, which are looked up at the end
        others = (other for other in finding.improved if other.case != case)
        return replace(finding, improved=(*others, row))

    def _bounded(self, finding: Finding, spec: str, revision: Revision) -> Finding:
        """Keep a bound on an earlier case if it is better than those before."""
        case, verdict = revision.case, revision.verdict
        if case in self._bugs or verdict.gap <= self._bounds.get(case, 0.0):
            return finding
        self._bounds[case] = verdict.gap
        row = BoundRow(case, spec, verdict.gap, verdict.reason)
        return replace(finding, bounds=(*finding.bounds, row))

    def _keep(self, case: StateCase, run: RunRow) -> None:
        assert run.whole is not None, "judges keep whole runs where an oracle learns"
        self._cases[case.number] = (case, KnownRun(run.whole, run.value))


def _known(case: StateCase, run: RunRow) -> KnownCase:
    assert run.whole is not None
    return KnownCase(case.number, case.state, run.value, run.whole, case.origin)


def _lessons(stored: Iterable[Remembered], spec: str) -> Iterator[tuple[KnownCase, bytes]]:
    for visit in stored:
        content = next((item.content for item in visit.lessons if item.oracle == spec), b"")
        yield _known(visit.case, visit.run), content


def _is_cheaper(bug: Bug, known: Bug) -> bool:
    """Whether equal gaps hide a better plan: all failures have an infinite one."""
    costs = [item.certificate["plan"]["cost"] for item in (bug, known)]
    return bug.gap == known.gap and bool(costs[0] < costs[1])
