"""Reach the goal at the least cost: the value of a run is its cost, or infinity (Definition 2)."""

from __future__ import annotations

import math

import numpy as np

from bugsieve.benches.objectives.objective import (
    Objective,
    Values,
    certain_failures,
    plan_cost,
)
from bugsieve.policies.graph import PolicyGraph, RunTable
from bugsieve.tasks.fdr.task import StateArray


class Quantitative(Objective):
    """Reach the goal at the least cost."""

    usage = "quantitative"
    spec = "quantitative"
    minimise = True
    worst = math.inf

    def policy_values(self, graph: PolicyGraph, runs: RunTable) -> Values:
        """Costs of solved runs, infinity for runs that certainly fail."""
        values = np.where(runs.solved, runs.costs.astype(np.float64), np.nan)
        values[certain_failures(graph, runs)] = math.inf
        return values

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """The cost of the plan."""
        return float(plan_cost(self.task, plan))

    def kind(self, policy_value: float) -> str:
        """The policy reaches the goal at too high a cost, or not at all."""
        return "costly" if math.isfinite(policy_value) else "unsolved"

    def cost_bound(self, policy_value: float) -> int | None:
        """The cost of the policy's own run, if it reaches the goal."""
        return int(policy_value) if math.isfinite(policy_value) else None
