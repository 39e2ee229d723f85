"""`local`: a decision on the policy's run that dominance proves bad by itself.

It names the fault, not only the bug: with every continuation after that decision, another action
in its place would have been cheaper. Runs that fail prove nothing here, as it is unknown if the
state after the decision has a plan.
"""

from __future__ import annotations

from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.rooms.dominance.decisions import BadDecision, in_words, worst_decision
from bugsieve.rooms.dominance.oracles.dominating import DominatingOracle, proven
from bugsieve.tasks.grounded.task import StateArray


class LocalOracle(DominatingOracle):
    """Finds decisions of the policy that are dearer than another action by dominance alone."""

    usage = "local"

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """Objectives in which the cost of a plan does not count, and tasks without a function."""
        if not bench.objective.costs_count:
            return f"it compares costs, which the objective {bench.objective.spec} ignores"
        return super().objection(bench)

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        return [self._judge(suspects, row) for row in range(len(suspects))]

    def _judge(self, suspects: Suspects, row: int) -> Verdict:
        check_stop()
        settled = self.settled(suspects, row)
        if settled is not None:
            return settled
        if not suspects.runs.solved[row]:
            return inconclusive("the policy fails, so nothing is known of what it avoids")
        run = suspects.runs.plan(row)
        states = path_states(self.bench.task, suspects.states[row], run)
        bad = worst_decision(self.function, states, run)
        if bad is None:
            return inconclusive("no decision is bad by itself")
        bound = int(suspects.values[row]) - bad.loss
        reason = in_words(bad, self.bench.task, run)
        plan = self._plan(bad, states, run)
        return proven(self, states[0], float(suspects.values[row]), bound, plan, reason)

    def _plan(
        self, bad: BadDecision, states: StateArray, run: tuple[int, ...]
    ) -> tuple[int, ...] | None:
        """The run up to the decision, the better action, and the rest of the run replayed."""
        instead = () if bad.better is None else (bad.better,)
        (*_, start) = path_states(self.bench.task, states[bad.index], instead)
        rest = self.function.replay(states[bad.index + 1], run[bad.index + 1 :], start)
        if rest is None:
            return None
        plan = (*run[: bad.index], *instead, *rest)
        return plan if plan_cost(self.bench.task, plan) < plan_cost(self.bench.task, run) else None
