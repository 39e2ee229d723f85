"""`uniform`: every action that does not lead to a dead end is equally likely."""

from __future__ import annotations

import numpy as np

from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets
from bugsieve.tasks.grounded.task import StateArray


class Uniform(Bias):
    """Every action is equally likely."""

    usage = "uniform"

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Weight 1 for each successor."""
        return BiasResult(np.ones(len(successors), dtype=np.int64))
