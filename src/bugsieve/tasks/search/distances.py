"""Distances between states of a task, estimated by h^FF.

The biases of the fuzzer compare the states of a run with each other, each with each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.tasks.arrays import as_array
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import require_task

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import Task


class PathDistances:
    """Estimates of the cost from one state to another; may be asked from any thread."""

    def __init__(self, task: Task) -> None:
        self.task = require_task(task)
        self._native = _native.PathDistances(task.native)

    def __repr__(self) -> str:
        return f"<PathDistances of {self.task.name!r}>"

    def hff(self, sources: ArrayLike, targets: ArrayLike, offsets: ArrayLike) -> NDArray[np.int32]:
        """The distance to each target; source i has `targets[offsets[i]:offsets[i + 1]]`.

        It is the h^FF value that the source has in the task whose goal is the target: 0 if they
        are equal, DEAD_END if not even the relaxation reaches the target.
        """
        rows = self.task.checked_states(sources), self.task.checked_states(targets)
        return ask_core(self._native.hff, *rows, _bounds(offsets))


def _bounds(offsets: ArrayLike) -> NDArray[np.int64]:
    bounds = as_array(offsets, "offsets")
    if bounds.ndim != 1 or bounds.dtype.kind not in "iu":
        raise UsageError(
            "offsets are a list of whole numbers, "
            f"not an array of type {bounds.dtype} and shape {bounds.shape}"
        )
    return np.ascontiguousarray(bounds, dtype=np.int64)
