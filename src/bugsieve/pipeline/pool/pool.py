"""The pool of test states and how each of them was reached."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.pipeline.bench import Origin
from bugsieve.tasks.grounded.task import StateArray, Task


@dataclass(frozen=True)
class PoolEntry:
    """A test state: `actions` lead to it from the state of entry `parent`."""

    number: int
    parent: int | None
    """None for the roots the pool began with."""
    actions: tuple[int, ...] = ()
    walk: int | None = None
    """The number of the walk that found it; None for roots."""


class Pool:
    """Distinct states in order of insertion, each with its provenance.

    Kept in columns, because pools grow to many thousands of states: an entry is made when it is
    asked for.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self._registry = _native.StateRegistry(task.native)
        self._parents = array("q")
        self._walks = array("q")
        self._actions = array("i")
        self._offsets = array("q", [0])

    def __len__(self) -> int:
        return len(self._parents)

    def __iter__(self) -> Iterator[PoolEntry]:
        return map(self.entry, range(len(self)))

    def entry(self, number: int) -> PoolEntry:
        """The entry of this number."""
        parent, walk = self._parents[number], self._walks[number]
        actions = tuple(self._actions[self._offsets[number] : self._offsets[number + 1]])
        return PoolEntry(
            number, None if parent < 0 else parent, actions, None if walk < 0 else walk
        )

    def contains(self, states: StateArray) -> NDArray[np.bool_]:
        """True for each of the states that is in the pool."""
        found: NDArray[np.bool_] = self._registry.find(states) >= 0
        return found

    def add(
        self,
        state: StateArray,
        *,
        parent: int | None = None,
        actions: Iterable[int] = (),
        walk: int | None = None,
    ) -> PoolEntry | None:
        """The new entry, or None when the state is there already."""
        number = int(self._registry.insert(state.reshape(1, -1))[0])
        return None if number < len(self) else self._append(parent, actions, walk)

    def _append(self, parent: int | None, actions: Iterable[int], walk: int | None) -> PoolEntry:
        self._parents.append(-1 if parent is None else parent)
        self._walks.append(-1 if walk is None else walk)
        self._actions.extend(actions)
        self._offsets.append(len(self._actions))
        return self.entry(len(self) - 1)

    def states(self, numbers: Iterable[int] | None = None) -> StateArray:
        """The states of some entries, or of all."""
        wanted = range(len(self)) if numbers is None else numbers
        return self._registry.states(np.fromiter(wanted, dtype=np.int64))

    def root_path(self, number: int) -> tuple[int, tuple[int, ...]]:
        """The root an entry descends from, and the operators that lead from there to it."""
        pieces = []
        entry = self.entry(number)
        while entry.parent is not None:
            pieces.append(entry.actions)
            entry = self.entry(entry.parent)
        return entry.number, tuple(action for piece in reversed(pieces) for action in piece)

    def origin(self, number: int) -> Origin | None:
        """The way the entry was reached; None for roots other than the initial state."""
        entry = self.entry(number)
        root, path = self.root_path(number)
        is_initial = np.array_equal(self.states([root])[0], self.task.initial_state)
        if entry.parent is None:
            return Origin(self.task.initial_state, (), ()) if is_initial else None
        start = self.states([entry.parent])[0]
        return Origin(start, entry.actions, path if is_initial else None)
