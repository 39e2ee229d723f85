"""Checks the arrays that callers give to models: their types and shapes, once per batch.

Whether values are in range is for the model and the native core to say.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.errors import UsageError
from bugsieve.tasks.arrays import as_array, column, number_column

Valuations: TypeAlias = NDArray[np.float64]
"""One state of a model or many: a real number per variable, where tasks have StateArray."""
WordArray: TypeAlias = NDArray[np.uint64]


def state_rows(states: ArrayLike, width: int) -> Valuations:
    """One state or many as rows of float64."""
    rows = _rows(states, width, "states", "biuf")
    return np.ascontiguousarray(rows, dtype=np.float64)


def word_rows(words: ArrayLike, width: int) -> WordArray:
    """Packed states as rows of uint64."""
    rows = _rows(words, width, "packed states", "iu")
    return np.ascontiguousarray(rows, dtype=np.uint64)


def action_column(actions: ArrayLike, rows: int) -> NDArray[np.int32]:
    """One action number per state; a single number counts for a single state."""
    return number_column(actions, rows, "action")


def draw_column(draws: ArrayLike, rows: int) -> NDArray[np.float64]:
    """One draw per state; a single number counts for a single state."""
    return np.ascontiguousarray(column(draws, rows, "draws", "iuf"), dtype=np.float64)


def _rows(values: ArrayLike, width: int, what: str, kinds: str) -> NDArray[Any]:
    array = as_array(values, what)
    rows = array[np.newaxis] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != width:
        raise UsageError(f"{what} must have shape (n, {width}) or ({width},), not {array.shape}")
    if rows.dtype.kind not in kinds and rows.size:
        raise UsageError(f"{what} are numbers, but the array has type {rows.dtype}")
    return rows
