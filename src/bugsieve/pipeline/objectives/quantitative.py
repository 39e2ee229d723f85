"""Reach the goal at the least cost: the value of a run is its cost, or infinity (Definition 2)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from bugsieve.pipeline.objectives.objective import (
    FOR_PLANS,
    FOR_PLANS_ALONE,
    UNSOLVED,
    BugKind,
    Objective,
    Values,
    certain_failures,
    plan_cost,
)
from bugsieve.policies.decisions import Ending
from bugsieve.policies.run_table import RunTable
from bugsieve.tasks.grounded.task import StateArray


class Quantitative(Objective):
    """Reach the goal at the least cost."""

    usage = "quantitative"
    spec = "quantitative"
    minimise = True
    worst = math.inf
    costs_count = True
    kinds: ClassVar = {
        "unsolved": UNSOLVED,
        "costly": BugKind(
            "Quantitative bugs: the policy's plan costs more than it need",
            "cost {run[cost]} instead of {possible}",
            "cost {run[cost]} when the step limit cut the run, instead of {possible} in all",
        ),
    }
    possible = "the best plan could be had"
    usual_oracles = FOR_PLANS
    oracles_alone = FOR_PLANS_ALONE

    def policy_values(self, runs: RunTable) -> Values:
        """Costs of solved runs, infinity for runs that certainly fail."""
        values = np.where(runs.solved, runs.costs.astype(np.float64), np.nan)
        values[certain_failures(runs)] = math.inf
        return values

    def at_best(self, value: float, ending: str, cost: int) -> float:
        """A run that the step limit cut costs at least what it had cost by then."""
        return float(cost) if ending == Ending.STEP_LIMIT.label else value

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """The cost of the plan."""
        return float(plan_cost(self.task, plan))

    def kind(self, policy_value: float) -> str:
        """The policy reaches the goal at too high a cost, or not at all."""
        return "costly" if math.isfinite(policy_value) else "unsolved"
