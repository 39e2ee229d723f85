"""A table with one row per state of a policy graph, for those states that need one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.biases.bias import Weights
from bugsieve.pipeline.biases.scores import NEVER
from bugsieve.pipeline.biases.traces import grown
from bugsieve.policies.run_table import Ids

_MOST_CELLS = 1 << 24
"""Rows are forgotten, and computed again when needed, beyond 128 MiB."""


class Rows:
    """Rows of numbers, each filled up to some length; all are forgotten when there are too many.

    `ask for what is lacking, put it, then read entries` always works, however many there are.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._slots: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._count = 0
        self._rows: Weights = np.empty((0, width), dtype=np.int64)
        self._lengths: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def lacking(self, ids: Ids, lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for each distinct state without a row of at least the given length."""
        self._slots = grown(self._slots, int(ids.max(initial=-1)) + 1, -1)
        slots = self._slots[ids]
        known = np.flatnonzero(slots >= 0)
        lacking = np.ones(len(ids), dtype=bool)
        lacking[known] = self._lengths[slots[known]] < lengths[known]
        # Forgetting comes before anything of this batch is put, so that its rows are together when
        # they are read.
        if (self._count + np.count_nonzero(lacking)) * self._width > _MOST_CELLS:
            self._slots[:] = -1
            self._count = 0
            lacking[:] = True
        return lacking

    def put(self, ids: Ids, lengths: NDArray[np.int64], rows: Weights) -> None:
        """Set the rows of distinct states; only the first `lengths` entries of each count."""
        new = ids[self._slots[ids] < 0]
        self._slots[new] = np.arange(self._count, self._count + len(new))
        self._count += len(new)
        self._rows = grown(self._rows, self._count, NEVER)
        self._lengths = grown(self._lengths, self._count, 0)
        slots = self._slots[ids]
        self._rows[slots, : rows.shape[1]] = rows
        self._lengths[slots] = lengths

    def entries(self, ids: Ids, lengths: NDArray[np.int64]) -> Weights:
        """The last entry within each length."""
        return self._rows[self._slots[ids], lengths - 1]
