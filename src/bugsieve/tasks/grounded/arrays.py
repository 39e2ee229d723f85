"""Checks the arrays that callers give, so that a wrong one gets a sentence, not a traceback.

Values of uint16 states are left to the native core, which looks at every one of them anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.errors import UsageError
from bugsieve.tasks.arrays import as_array, number_column

StateArray: TypeAlias = NDArray[np.uint16]
ActionArray: TypeAlias = NDArray[np.int32]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class StateShape:
    """The shape of a task's states: one value per variable, each below its size."""

    def __init__(self, domain_sizes: NDArray[np.int64]) -> None:
        self.domain_sizes = domain_sizes

    def one(self, state: ArrayLike) -> StateArray:
        """One state as a row of uint16 whose values are in range, or a UsageError."""
        batch = self.batch(state)
        if len(batch) != 1:
            raise UsageError(f"one state was expected, not a batch of {len(batch)}")
        self._check_range(batch)
        row: StateArray = batch[0]
        return row

    def batch(self, states: ArrayLike) -> StateArray:
        """One state or many as whole rows of uint16, or a UsageError."""
        array = as_array(states, "states")
        if array.ndim == 1:
            array = array[np.newaxis, :]
        if array.ndim != 2 or array.shape[1] != len(self.domain_sizes):
            raise UsageError(
                f"states of this task have {len(self.domain_sizes)} values, "
                f"but the array has shape {np.shape(states)}"
            )
        if array.dtype != np.uint16:
            if array.dtype.kind not in "iu" and array.size:
                raise UsageError(f"states are whole numbers, but the array has type {array.dtype}")
            self._check_range(array)
        return np.ascontiguousarray(array, dtype=np.uint16)

    def _check_range(self, array: NDArray[Any]) -> None:
        wrong = (array < 0) | (array >= self.domain_sizes)
        if wrong.any():
            row, variable = np.argwhere(wrong)[0]
            raise UsageError(
                f"state {row} gives variable {variable} the value {array[row, variable]}, "
                f"but it has only {self.domain_sizes[variable]} values"
            )


def operator_column(operators: ArrayLike, rows: int) -> ActionArray:
    """One operator per state; a single number counts for a single state."""
    return number_column(operators, rows, "operator")


def ask_core(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call the native core; what it says about wrong values is the caller's mistake."""
    try:
        return function(*args, **kwargs)
    except (ValueError, IndexError) as error:
        raise UsageError(str(error)) from None
