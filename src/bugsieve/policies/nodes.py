"""The columns of a policy graph, indexed by state id and growing as states are registered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNASKED = -2
"""Action of a state that the policy has not been asked about."""
NOWHERE = -1
"""Successor of a state that the policy has not left."""
OPEN = 0
"""Ending of a state whose run has not been followed to its end; the others are `Ending` codes."""

_FIRST_CAPACITY = 1024


class Nodes:
    """One entry per state; every column describes the policy's run from there.

    `action` and `successor` are the run's first step. Once `ending` is known, the run takes `tail`
    steps to the state `last`, where it stops or, if it loops, goes round `cycle` steps; `cost` is
    what all these steps cost.
    """

    def __init__(self) -> None:
        self.action: NDArray[np.int32] = np.full(_FIRST_CAPACITY, UNASKED, dtype=np.int32)
        self.successor: NDArray[np.int64] = np.full(_FIRST_CAPACITY, NOWHERE, dtype=np.int64)
        self.ending: NDArray[np.int8] = np.full(_FIRST_CAPACITY, OPEN, dtype=np.int8)
        self.last: NDArray[np.int64] = np.full(_FIRST_CAPACITY, NOWHERE, dtype=np.int64)
        self.tail: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self.cycle: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self.cost: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self.followed: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        """Number of the last exploration that came by."""
        self.left: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        """The cost that a run of that exploration could still spend there, if it was limited."""

    def make_room(self, size: int) -> None:
        """Have at least `size` entries; doubling keeps the cost per state constant."""
        capacity = len(self.action)
        if size <= capacity:
            return
        extra = max(size, 2 * capacity) - capacity
        blanks = {"action": UNASKED, "successor": NOWHERE, "last": NOWHERE}
        for name, column in vars(self).items():
            filler = np.full(extra, blanks.get(name, 0), dtype=column.dtype)
            setattr(self, name, np.concatenate([column, filler]))

    def stop(self, ids: NDArray[np.int64], ending: int) -> None:
        """Note that runs end at these states."""
        self.ending[ids] = ending
        self.last[ids] = ids
