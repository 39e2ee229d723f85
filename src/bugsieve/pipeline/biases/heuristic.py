"""`heuristic:NAME`: prefers states that look far from the goal."""

from __future__ import annotations

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets
from bugsieve.tasks.grounded.heuristic_names import check_heuristic
from bugsieve.tasks.grounded.task import StateArray


class HeuristicBias(Bias):
    """Prefers states that look far from the goal; dead ends are never chosen."""

    usage = "heuristic[:HEURISTIC] (default hff)"
    examples = ("heuristic", "heuristic:hadd")

    def __init__(self, bench: Bench, heuristic: str = "hff") -> None:
        super().__init__(bench, f"heuristic:{heuristic}")
        self._heuristic = bench.task.heuristic(heuristic)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(cls, bench: Bench, argument: str | None) -> HeuristicBias:
        """Create it; without an argument, the heuristic is hff."""
        return cls(bench, argument or "hff")

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """The heuristic value of each successor as its weight."""
        values = self._heuristic.evaluate(successors).astype(np.int64)
        return BiasResult(np.where(values == DEAD_END, 0, values))
