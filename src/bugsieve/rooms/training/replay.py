"""The transitions that a learner remembers; the oldest give way to new ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.training.scaling import FloatArray


class TransitionBatch(NamedTuple):
    """Transitions, one per row; inputs are scaled."""

    inputs: FloatArray
    actions: NDArray[np.int64]
    rewards: FloatArray
    next_inputs: FloatArray
    next_applicable: NDArray[np.bool_]
    """Nothing where the run was over."""


class ReplayBuffer:
    """A ring of transitions."""

    def __init__(self, capacity: int, inputs: int, actions: int) -> None:
        self._capacity = capacity
        self._columns: tuple[NDArray[Any], ...] = TransitionBatch(
            inputs=np.empty((capacity, inputs), dtype=np.float32),
            actions=np.empty(capacity, dtype=np.int64),
            rewards=np.empty(capacity, dtype=np.float32),
            next_inputs=np.empty((capacity, inputs), dtype=np.float32),
            next_applicable=np.empty((capacity, actions), dtype=np.bool_),
        )
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, self._capacity)

    def add(self, batch: TransitionBatch) -> None:
        """Remember the transitions; of more than fit, the last ones."""
        rows = np.arange(self._added, self._added + len(batch.actions))
        # Of a batch larger than the ring only the end survives; writing the rest would leave to
        # NumPy which of two writes to a place counts.
        kept = slice(-self._capacity, None)
        places = rows[kept] % self._capacity
        given: tuple[NDArray[Any], ...] = batch
        for column, new in zip(self._columns, given, strict=True):
            column[places] = new[kept]
        self._added += len(rows)

    def sample(self, count: int, random: np.random.Generator) -> TransitionBatch:
        """So many transitions, each drawn from all that are remembered."""
        rows = random.integers(0, len(self), count)
        return TransitionBatch(*(column[rows] for column in self._columns))
