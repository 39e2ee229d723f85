"""`planner:NAME`: a planner looks for a run that is better than the policy's.

Searches are cut off at the cost of the policy's run, so a complete search that finds nothing
proves that there is nothing to find. The other oracles that search share what is here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive, passed
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.planners import PLANNERS, Planner, check_planner, planner_named
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits, SearchResult, expansions_spent

DOWNWARD = "fast-downward"
"""The name of the program of `planner:fd:SEARCH`, in every folder."""

NO_ALTERNATIVE = passed("no run from this state is acceptable")
"""The verdict where the objective leaves nothing to search for."""

_PROOFS = {
    "unsolvable": "the goal cannot be reached",
    "bound": "no plan is cheaper than the policy's",
}
_LIMITS = {
    "gave-up": "found no better plan",
    "expansions": "reached its limit on expansions",
    "time": "reached its time limit",
    "memory": "reached its memory limit",
}


class PlanningOracle(Oracle):
    """Judges one state after the other by searching for acceptable plans."""

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self.alternatives = bench.objective.alternatives()

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        return [self._judge(suspects, row) for row in range(len(suspects))]

    def _judge(self, suspects: Suspects, row: int) -> Verdict:
        check_stop()
        before = expansions_spent()
        verdict = self.settled(suspects, row) or self.judge_one(suspects, row)
        return replace(verdict, expanded=expansions_spent() - before)

    @abstractmethod
    def judge_one(self, suspects: Suspects, row: int) -> Verdict:
        """The verdict on a suspect whose value is known and might be beaten."""

    def found(
        self, state: StateArray, value: float, plan: tuple[int, ...], by: Planner
    ) -> Verdict:
        """The verdict on a plan of the task that was searched."""
        return self.confirm(
            state,
            value,
            self.alternatives.plan(plan),
            f"found by {by.name}",
            exact=by.is_optimal and self.bench.objective.costs_count,
        )

    def outcome(
        self, state: StateArray, value: float, result: SearchResult, by: Planner
    ) -> Verdict:
        """The verdict on the state by a search cut off at the policy's cost."""
        if result.plan is not None:
            return self.found(state, value, result.plan, by)
        if result.status in _PROOFS:
            return passed(f"{_PROOFS[result.status]}, shown by {by.name}")
        return inconclusive(f"{by.name} {_LIMITS[result.status]}")


class PlannerOracle(PlanningOracle):
    """Searches by astar-lmcut, astar-hmax, astar-blind, ehc, gbfs, gbfs-N or fd:SEARCH.

    `gbfs` is greedy search with h^FF within the limit on expansions, `gbfs-N` within N of them,
    and `fd:SEARCH` is Fast Downward.

    A bug if the planner finds a better run, a pass if it proves that there is none.
    """

    usage = "planner:NAME"
    examples = ("planner:astar-lmcut", "planner:astar-blind", "planner:ehc", "planner:gbfs-20")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self._planner = planner_named(spec.partition(":")[2].strip())

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a planner."""
        if not argument:
            raise UsageError(f"name a planner after 'planner:', one of {', '.join(PLANNERS)}")
        check_planner(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """Our own planners touch nothing."""
        return (
            OutsideAccess(programs=(DOWNWARD,)) if (argument or "").startswith("fd:") else NOTHING
        )

    def judge_one(self, suspects: Suspects, row: int) -> Verdict:
        """A bug if the planner finds a better run, a pass if it proves that there is none."""
        state, value = suspects.states[row], float(suspects.values[row])
        start = self.alternatives.start(state)
        if start is None:
            return NO_ALTERNATIVE
        bound = self.bench.objective.cost_bound(value)
        result = self._planner.search(self.alternatives.task, start, self.limits, bound)
        return self.outcome(state, value, result, self._planner)
