"""Reach the goal wherever that is possible: the value of a run is 1 or 0 (Definition 3)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from bugsieve.pipeline.objectives.objective import (
    FOR_PLANS,
    FOR_PLANS_ALONE,
    UNSOLVED,
    Objective,
    Values,
    certain_failures,
)
from bugsieve.policies.run_table import RunTable
from bugsieve.tasks.grounded.task import StateArray


class Qualitative(Objective):
    """Reach the goal wherever that is possible, whatever it costs."""

    usage = "qualitative"
    spec = "qualitative"
    minimise = False
    worst = 0.0
    kinds: ClassVar = {"unsolved": UNSOLVED}
    possible = "the goal could be reached"
    proven = "the policy solves the task"
    usual_oracles = FOR_PLANS
    oracles_alone = FOR_PLANS_ALONE

    def policy_values(self, runs: RunTable) -> Values:
        """1 for solved runs, 0 for runs that certainly fail."""
        values = np.where(runs.solved, 1.0, np.nan)
        values[certain_failures(runs)] = 0.0
        return values

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """A plan reaches the goal."""
        return 1.0

    def kind(self, policy_value: float) -> str:
        """The policy does not reach the goal."""
        return "unsolved"
