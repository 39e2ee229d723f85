"""Arrays that callers give, of tasks and models alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.errors import UsageError

_INT32 = np.iinfo(np.int32)


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """The values as an array of any type, or a UsageError that names them."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, mostly
        raise UsageError(f"the {what} form no array: are all rows equally long?") from None


def column(values: ArrayLike, rows: int, what: str, kinds: str) -> NDArray[Any]:
    """One value per state, of one of these kinds; a single one counts for a single state."""
    found = np.atleast_1d(as_array(values, what))
    if found.shape != (rows,) or (found.dtype.kind not in kinds and found.size):
        raise UsageError(
            f"{rows} states need {rows} {what}, not an array of type {found.dtype} "
            f"and shape {found.shape}"
        )
    return found


def number_column(numbers: ArrayLike, rows: int, noun: str) -> NDArray[np.int32]:
    """The number of an operator or action per state, as the core takes it."""
    found = column(numbers, rows, f"{noun} numbers", "iu")
    if found.dtype != np.int32 and ((found < _INT32.min) | (found > _INT32.max)).any():
        raise UsageError(f"an {noun} number is too large for 32 bits")
    return np.ascontiguousarray(found, dtype=np.int32)
