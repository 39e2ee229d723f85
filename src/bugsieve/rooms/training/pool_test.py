"""Tests a policy on a pool that was made before, within a limit on work, and counts its bugs.

Training compares policies on the same states with it. Nothing is stored, but bugs are defined as
in campaigns, and judges, ledger and checker are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.bugs_along_runs import plan_of
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import CostBugRow, Finding, RejectedRow
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.ledger import Ledger
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import expansions_spent

_TOGETHER = 25
"""States whose runs advance in lockstep; fixed, because the limit on work is looked at between."""


@dataclass(frozen=True)
class BetterPlan:
    """A bug of the pool, and the plan in its proof."""

    case: int
    operators: tuple[int, ...]


@dataclass(frozen=True)
class PoolTest:
    """The result of a test of a policy on one pool."""

    is_solved: bool
    """True if the policy solves the initial state of the task; if not, nothing was tested."""
    states: int
    """Of the pool."""
    tested: int = 0
    """Fewer than there are where the limit on work bound."""
    solved: int = 0
    bugs: int = 0
    decisions: int = 0
    expanded: int = 0
    rejected: tuple[RejectedRow, ...] = ()
    plans: tuple[BetterPlan, ...] = ()
    """Those that prove the bugs, where they are wanted."""
    cpu_seconds: float = field(default=0.0, compare=False)
    """For reports only."""

    @property
    def is_cut(self) -> bool:
        """Return true if the limit on work left states untested."""
        return self.is_solved and self.tested < self.states

    @property
    def counted(self) -> tuple[int, int, int]:
        """States that count, those solved and those that are bugs (papers/003).

        A task whose initial state fails counts with its whole pool as unsolved and as bugs.
        """
        if not self.is_solved:
            return self.states, 0, self.states
        return self.tested, self.solved, self.bugs


class _Tally:
    """Counts findings as they come."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._calls = bench.decisions_taken
        self.tested = self.solved = self.expanded = 0
        self.bugs: dict[int, CostBugRow] = {}
        self.rejected: list[RejectedRow] = []

    @property
    def decisions(self) -> int:
        return self._bench.decisions_taken - self._calls

    @property
    def work(self) -> int:
        return self.decisions + self.expanded

    def take(self, finding: Finding, searched: int) -> None:
        said = sum(row.verdict.expanded for row in finding.verdicts)
        # Oracles with a lookahead of their own say what it took; what searches took counts here.
        self.expanded += max(said, searched)
        self.tested += 1
        self.solved += finding.run.ending == Ending.SOLVED
        self.bugs.update((row.case, row) for row in (*finding.bugs, *finding.improved))
        self.rejected += finding.rejected


def examine_pool(
    bench: Bench,
    oracles: Sequence[Oracle],
    states: StateArray,
    *,
    work: int,
    with_plans: bool = False,
) -> PoolTest:
    """Test the policy of the bench, unless it fails in the initial state of the task.

    No state is begun when its decisions and expansions together have reached `work`.
    """
    tally = _Tally(bench)
    if not bench.runs(bench.task.initial_state).solved.all():
        return PoolTest(False, len(states), decisions=tally.decisions)
    ledger = Ledger(bench, oracles)
    plain = [oracle for oracle in oracles if not oracle.learns]
    judge = Judge(bench, plain, whole_runs=ledger.remembers)
    for finding, searched in _findings(judge, ledger, states, tally, work):
        tally.take(finding, searched)
    plans = (BetterPlan(case, plan_of(row.bug)) for case, row in sorted(tally.bugs.items()))
    return PoolTest(
        True,
        len(states),
        tally.tested,
        tally.solved,
        len(tally.bugs),
        tally.decisions,
        tally.expanded,
        tuple(tally.rejected),
        tuple(plans) if with_plans else (),
    )


def _findings(
    judge: Judge, ledger: Ledger, states: StateArray, tally: _Tally, work: int
) -> Iterator[tuple[Finding, int]]:
    """Findings in order, each with what searches expanded for it, until the work is done."""
    for first in range(0, len(states), _TOGETHER):
        if tally.work >= work:
            return
        parcel = Parcel.given(states[first : first + _TOGETHER], first)
        before = expansions_spent()
        for row, finding in enumerate(judge.judge(parcel)):
            complete = ledger.complete(parcel.case(row), finding)
            after = expansions_spent()
            yield complete, after - before
            before = after
            if tally.work >= work:
                return
