"""`perfect`: decides every state, given the budget.

Where cost counts and the policy reaches the goal, A* looks for a cheaper plan. Otherwise the
question is whether there is a plan at all: domains whose dead ends are understood are decided at
once, the others by complete search.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from bugsieve.pipeline.bench import Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, implied, passed
from bugsieve.pipeline.oracles.deciders import Decider, decider_for
from bugsieve.pipeline.oracles.deciders.guided import guided_search
from bugsieve.pipeline.oracles.planner import NO_ALTERNATIVE, PlanningOracle
from bugsieve.pipeline.oracles.planners import Planner, PlanSearch, greedy_within, planner_named
from bugsieve.tasks.grounded.task import StateArray

_OPTIMAL = planner_named("astar-lmcut")
_CLIMBING = planner_named("ehc")  # quick, and often finds plans where the next is lost
_GREEDY = Planner("greedy best-first search", greedy_within(None))  # complete
_CRITERION = "a criterion of the domain"


class PerfectOracle(PlanningOracle):
    """Decides every state, by optimal search, dead-end proofs and domain knowledge."""

    usage = "perfect"

    @cached_property
    def _decider(self) -> Decider | None:
        return decider_for(self.alternatives.task)

    def judge_one(self, suspects: Suspects, row: int) -> Verdict:
        """A bug with an optimal plan where cost counts, a pass, or what the budget allows."""
        state, value = suspects.states[row], float(suspects.values[row])
        start = self.alternatives.start(state)
        if start is None:
            return NO_ALTERNATIVE
        bound = self.bench.objective.cost_bound(value)
        if bound is not None:
            # A* finds a cheapest plan or proves that none is cheaper than the run. When it runs
            # out of budget, a plan that is merely cheaper still makes a bug; only the gap is then
            # a bound.
            return self._ask(state, start, value, bound, (_OPTIMAL, _CLIMBING, _GREEDY))
        verdict = self._decide(state, start, value)
        return self._improved(state, start, value, verdict) if verdict.is_bug else verdict

    def _decide(self, state: StateArray, start: StateArray, value: float) -> Verdict:
        """The verdict by any acceptable plan, or by a proof that there is none."""
        decider = self._decider
        solvable = None if decider is None else decider.solvable(start)
        if decider is None or solvable is None:
            return self._ask(state, start, value, None, (_CLIMBING, _GREEDY))
        if not solvable:
            return passed(f"{_CRITERION} shows that the goal cannot be reached")
        guided = Planner(f"search guided by {_CRITERION}", guided_by(decider))
        # That there is a plan is known from here on. A bug needs one as its proof all the same, so
        # it is sought until the budget ends; without it the bug is only implied.
        plan = decider.plan(start)
        if plan is not None:
            return self.found(state, value, plan, replace(guided, name=_CRITERION))
        verdict = self._ask(state, start, value, None, (_CLIMBING, guided, _GREEDY))
        objective = self.bench.objective
        if verdict.outcome is not Outcome.INCONCLUSIVE or not objective.always_beaten(value):
            return verdict  # a plan that is not better implies nothing
        reason = f"{_CRITERION} shows that there is a plan, but none was found"
        return implied(reason, gap=objective.gap(value, objective.best))

    def _ask(
        self,
        state: StateArray,
        start: StateArray,
        value: float,
        bound: int | None,
        planners: tuple[Planner, ...],
    ) -> Verdict:
        """The first proof that one of the planners has, or the last excuse."""
        for planner in planners:
            result = planner.search(self.alternatives.task, start, self.limits, bound)
            verdict = self.outcome(state, value, result, planner)
            if verdict.outcome is not Outcome.INCONCLUSIVE:
                break
        return verdict

    def _improved(
        self, state: StateArray, start: StateArray, value: float, verdict: Verdict
    ) -> Verdict:
        """The bug with a cheapest plan, if cost counts and the budget allows it."""
        costs_count = self.bench.objective.costs_count
        if not costs_count or verdict.value is None or verdict.plan is None or verdict.exact:
            return verdict
        bound = self.bench.objective.cost_bound(verdict.value)
        result = _OPTIMAL.search(self.alternatives.task, start, self.limits, bound)
        if result.plan is not None:
            return self.found(state, value, result.plan, _OPTIMAL)
        # No plan below the cost of the one at hand: that is the cheapest.
        exact = result.status == "bound"
        return self.confirm(state, value, verdict.plan, verdict.reason, exact=exact)


def guided_by(decider: Decider) -> PlanSearch:
    """Search that the decider keeps out of dead ends; it looks for any plan, however dear."""
    return lambda task, state, limits, _: guided_search(task, decider, state, limits)
