"""`policy-quality`: prefers states from which the policy needs long (Section 5, papers/000)."""

from __future__ import annotations

import numpy as np

from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets
from bugsieve.tasks.grounded.task import StateArray


class PolicyQuality(Bias):
    """Prefers states from which the policy takes many steps to the goal.

    The weight is the length of the policy's run from the successor, if that reaches the goal.
    Where it does not, the successor is offered to the pool and the walk keeps away from it: its
    neighbours would be more of the same failure.
    """

    usage = "policy-quality"

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Run lengths; 0 and an offer for the unsolved."""
        runs = self.bench.runs(successors)
        solved = runs.solved
        return BiasResult(np.where(solved, runs.steps, 0), ~solved)
