"""The way from reference tasks and states to the engine's arrays and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from tests.reference.sas import SasTask, State, render


def native_task(task: SasTask) -> _native.Task:
    """The engine's task read from the text of the reference task."""
    return _native.Task.from_sas(render(task).encode())


def batch(task: SasTask, states: Sequence[State]) -> NDArray[np.uint16]:
    """The states as rows."""
    return np.array(states, dtype=np.uint16).reshape(len(states), len(task.variables))


def single(state: State) -> NDArray[np.uint16]:
    """One state as a vector."""
    return np.array(state, dtype=np.uint16)


def rows(states: NDArray[np.uint16]) -> list[State]:
    """The rows of a state array as tuples."""
    return [tuple(int(value) for value in row) for row in states]


def split(flat: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[list[int]]:
    """A flat array cut at the offsets."""
    values = [int(value) for value in flat]
    bounds = [int(offset) for offset in offsets]
    return [values[low:high] for low, high in pairwise(bounds)]
