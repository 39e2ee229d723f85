"""`heuristic:NAME`: prefers states that look far from the goal."""

from __future__ import annotations

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.benches.bench import Bench
from bugsieve.fuzzing.biases.bias import Bias, BiasResult, Offsets
from bugsieve.tasks.fdr.task import StateArray


class HeuristicBias(Bias):
    """The heuristic value of the successor; dead ends are never chosen."""

    def __init__(self, bench: Bench, heuristic: str = "hff") -> None:
        super().__init__(bench, f"heuristic:{heuristic}")
        self._heuristic = bench.task.heuristic(heuristic)

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """The heuristic value of each successor as its weight."""
        values = self._heuristic.evaluate(successors).astype(np.int64)
        return BiasResult(np.where(values == DEAD_END, 0, values))
