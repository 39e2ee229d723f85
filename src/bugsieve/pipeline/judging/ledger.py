"""The one place where oracles learn: strictly in order, in the process that runs the campaign.

Judges without memory have done their part of a finding, in any process. The ledger adds what
learning oracles say of the case, and of earlier ones. It carries bugs back along the policy's runs
where that is wanted, and has all these claims proven.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InternalError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, with_policy_of
from bugsieve.pipeline.bugs.certificate import KnownRun
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.judging.bugs_along_runs import Passages, carried_back
from bugsieve.pipeline.judging.cases import StateCase
from bugsieve.pipeline.judging.findings import (
    BoundRow,
    CostBugRow,
    Finding,
    Lesson,
    RejectedRow,
    RunRow,
    Sighting,
    UnstableRow,
    VerdictRow,
)
from bugsieve.pipeline.judging.proving import Prover
from bugsieve.pipeline.objectives.objective import plan_cost
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle, Learnt, Revision
from bugsieve.pipeline.oracles.oracle import Oracle


@dataclass(frozen=True, eq=False)
class StoredVisit:
    """A visit of an earlier session, as the store has it."""

    case: StateCase
    run: RunRow
    lessons: tuple[Lesson, ...]


class Ledger:
    """Tells learning oracles of case after case, and settles what they claim.

    `known` are lessons of tests of other policies on the task: what they say of the task counts.
    Where it `carries`, a case whose run leads into a bug is one, too, even if oracles say
    otherwise.
    """

    def __init__(
        self,
        bench: Bench,
        oracles: Sequence[Oracle],
        known: Iterable[Lesson] = (),
        *,
        carries: bool = False,
    ) -> None:
        self._specs = [oracle.spec for oracle in oracles]
        self._learners = [
            oracle for oracle in oracles if isinstance(oracle, LearningOracle) and oracle.learns
        ]
        self._objective = bench.objective
        self._passages = Passages(bench) if carries else None
        self._prover = Prover(bench) if self.remembers else None
        self._cases: dict[int, tuple[StateCase, KnownRun]] = {}
        self._bugs: dict[int, CostBugRow] = {}
        self._changed: set[int] = set()
        """Cases that have become bugs or better ones at this visit; after recalling, some more."""
        self._bounds: dict[int, float] = {}
        self._unstable: set[int] = set()
        """Cases in whose runs the policy has changed its answers: they are not bugs."""
        shared = list(known)
        for learner in self._learners:
            learner.recall_task(item.of_task for item in shared if item.oracle == learner.spec)

    @property
    def remembers(self) -> bool:
        """Return true if oracles learn from runs, or bugs are carried along them."""
        return bool(self._learners) or self._passages is not None

    def recall(
        self,
        visits: Iterable[StoredVisit],
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
        self._changed = set(self._bugs)  # those of a visit that was cut are among them
        for bound in bounds:
            self._bounds[bound.case] = max(bound.gap, self._bounds.get(bound.case, 0.0))
        self._unstable = {row.case for row in unstable if not row.cause}

    def notes(self) -> tuple[str, ...]:
        """The notes of learning oracles for users."""
        return tuple(filter(None, (learner.note for learner in self._learners)))

    def complete(self, case: StateCase, finding: Finding) -> Finding:
        """The finding with what the ledger adds to it.

        Learning oracles are told of a case once: a visit with more effort brings them nothing.
        """
        if not self.remembers:
            return finding
        is_first = not finding.visit.effort
        if is_first:
            finding = self._spared(case, finding, self._keep(case, finding.run))
        self._bugs.update((row.case, row) for row in finding.bugs)
        self._changed.update(row.case for row in finding.bugs)
        self._unstable.update(row.case for row in finding.unstable)
        if is_first:
            finding = self._taught(case, finding)
        finding = self._carried(finding)
        # Bugs count in this order, and a limit on their number cuts the last ones off.
        bugs = sorted((self._bugs[row.case] for row in finding.bugs), key=lambda row: row.case)
        return replace(finding, bugs=tuple(bugs))

    def _taught(self, case: StateCase, finding: Finding) -> Finding:
        """The finding with what the learning oracles say, now that they know of the case."""
        known = _known(case, finding.run)
        for learner in self._learners:
            start = time.perf_counter()
            with doing(f"telling {learner.spec} of state {case.number}"):
                learnt = learner.learn(known)
            row = VerdictRow(learner.spec, learnt.verdict, time.perf_counter() - start)
            finding = self._with(finding, learner.spec, row, learnt)
        order = {spec: place for place, spec in enumerate(self._specs)}
        verdicts = sorted(finding.verdicts, key=lambda row: order[row.oracle])
        return replace(finding, verdicts=tuple(verdicts))

    def _spared(
        self, case: StateCase, finding: Finding, met: Sequence[tuple[int, int]]
    ) -> Finding:
        """The finding by the bugs that the run meets, in place of all that oracles say.

        A judge may have asked them all the same: it cannot know of every bug before the case.
        """
        best: tuple[tuple[float, int, int], CostBugRow, Verdict] | None = None
        for number, steps in met:
            row = self._bugs.get(number)
            verdict = None if row is None else self._verdict(case.number, steps, row)
            if row is not None and verdict is not None:
                # Of equal ones the last is where the bug was found, not only carried to.
                rank = (verdict.gap, -self._cost(verdict), steps)
                best = (rank, row, verdict) if best is None or rank > best[0] else best
        if best is None:
            return finding
        (_, _, steps), row, verdict = best
        bare = Finding(finding.visit, finding.run, sightings=(Sighting(steps, row.id),))
        return self._claimed(bare, row.bug.oracle, Revision(case.number, verdict))

    def _carried(self, finding: Finding) -> Finding:
        """The finding with earlier cases whose runs pass what has become a bug, or a better one.

        A visit that was cut in the middle of its bugs is made again: then some are known already.
        """
        changed, self._changed = sorted(self._changed), set()
        if self._passages is None:
            return finding
        for number in changed:
            row = self._bugs[number]
            if row.changed != finding.visit.number:
                continue
            for other, steps in self._passages.through(self._cases[number][0].state):
                known = self._bugs.get(other)
                verdict = self._verdict(other, steps, row) if other != number else None
                if verdict is not None and (
                    known is None or _is_better(verdict.gap, self._cost(verdict), known.bug)
                ):
                    finding = self._claimed(finding, row.bug.oracle, Revision(other, verdict))
        self._changed.clear()
        return finding

    def _verdict(self, number: int, steps: int, row: CostBugRow) -> Verdict | None:
        """The verdict on a known case, by a bug that its run meets."""
        return carried_back(self._objective, *self._cases[number], steps, row)

    def _cost(self, verdict: Verdict) -> int:
        return plan_cost(self._objective.task, verdict.plan or ())

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
            self._changed.add(case)
            return replace(finding, bugs=(*finding.bugs, row))
        finders = tuple(dict.fromkeys((*known.finders, bug.oracle)))
        is_better = _is_better(bug.gap, bug.certificate["plan"]["cost"], known.bug)
        if not is_better and finders == known.finders:
            return finding
        best, changed = known.bug, known.changed
        if is_better:
            best, changed = with_policy_of(known.bug, bug), visit
        row = replace(known, bug=best, finders=finders, changed=changed)
        self._bugs[case] = row
        self._changed.add(case)
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

    def _keep(self, case: StateCase, run: RunRow) -> list[tuple[int, int]]:
        """Remember a case; returns the known ones that its run meets, each after how many steps,
        if bugs are carried."""
        assert run.whole is not None, "judges keep whole runs where the ledger remembers"
        known = KnownRun(run.whole, run.value)
        self._cases[case.number] = (case, known)
        return [] if self._passages is None else self._passages.keep(case, known)


def _known(case: StateCase, run: RunRow) -> KnownCase:
    assert run.whole is not None
    return KnownCase(case.number, case.state, run.value, run.whole, case.origin)


def _lessons(stored: Iterable[StoredVisit], spec: str) -> Iterator[tuple[KnownCase, bytes]]:
    for visit in stored:
        content = next((item.content for item in visit.lessons if item.oracle == spec), b"")
        yield _known(visit.case, visit.run), content


def _is_better(gap: float, cost: int, known: Bug) -> bool:
    """Return true if a plan proves more; equal gaps may hide a cheaper one, as of all failures."""
    return gap > known.gap or (gap == known.gap and bool(cost < known.certificate["plan"]["cost"]))
