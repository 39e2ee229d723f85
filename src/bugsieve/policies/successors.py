"""Scores of all successors of a batch of states, in pieces that bound the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.tasks.fdr.task import ActionArray, StateArray, Task

_CELLS_PER_PIECE = 1 << 20
"""Values of successor states held at a time: 2 MiB, which a cache can hold."""


@dataclass(frozen=True)
class Successors:
    """All successors of the states `rows` of a batch, flat, with operators and offsets."""

    rows: slice
    states: StateArray
    operators: ActionArray
    offsets: NDArray[np.int64]


def successors_in_pieces(task: Task, states: StateArray) -> Iterator[Successors]:
    """Every successor of every state; a piece covers whole states, at least one."""
    operators, offsets = task.applicable(states)
    most = max(1, _CELLS_PER_PIECE // max(1, task.num_variables))
    start = 0
    while start < len(states):
        fits = int(np.searchsorted(offsets, offsets[start] + most, side="right")) - 1
        stop = min(max(fits, start + 1), len(states))
        flat = operators[offsets[start] : offsets[stop]]
        counts = np.diff(offsets[start : stop + 1])
        parents = np.repeat(states[start:stop], counts, axis=0)
        yield Successors(
            slice(start, stop),
            task.successors(parents, flat),
            flat,
            offsets[start : stop + 1] - offsets[start],
        )
        start = stop
