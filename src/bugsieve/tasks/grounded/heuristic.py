"""A heuristic of the native core for one task, asked about states as the task itself is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.tasks.grounded.arrays import ActionArray, StateShape, ask_core


class Heuristic:
    """Estimates of the cost to the goal; accepts one state or a batch, from any thread."""

    def __init__(self, task: _native.Task, name: str, shape: StateShape) -> None:
        self._native = _native.Heuristic(task, name)
        self._shape = shape

    def __repr__(self) -> str:
        return f"<Heuristic {self.name}>"

    @property
    def name(self) -> str:
        """One of `bugsieve._native.HEURISTICS`."""
        return self._native.name

    def evaluate(self, states: ArrayLike) -> NDArray[np.int32]:
        """The value of each state, always as a batch; DEAD_END where it sees no plan."""
        return ask_core(self._native.evaluate, self._shape.batch(states))

    def evaluate_preferred(
        self, states: ArrayLike
    ) -> tuple[NDArray[np.int32], ActionArray, NDArray[np.int64]]:
        """The values, the preferred operators of all states and n + 1 offsets; hff only."""
        return ask_core(self._native.evaluate_preferred, self._shape.batch(states))
