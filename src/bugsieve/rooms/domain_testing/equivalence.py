"""Equivalence of two domains: equal reachable transitions, compared breadth first.

Both tasks are explored side by side, layer by layer, as sets of PDDL atoms; the encodings of the
translator may differ. The first layer in which they differ ends the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bugsieve.tasks.grounded.task import StateArray, Task

Equivalence: TypeAlias = Literal["equal", "different", "unknown"]

MAX_STATES = 1_000_000
_ROWS_AT_ONCE = 20_000  # bounds the memory of the transitions that are held at a time

Keys: TypeAlias = NDArray[np.void]


def compare_tasks(left: Task, right: Task, *, max_states: int = MAX_STATES) -> Equivalence:
    """Compare the reachable transitions of two tasks; "unknown" beyond `max_states` states.

    Tasks with the same translation are equal however large they are.
    """
    if left.sha256 == right.sha256:
        return "equal"
    atoms = _common_atoms(left, right)
    names = _common_names(left, right)
    sides = [_Side(task, atoms, names) for task in (left, right)]
    seen: set[bytes] = set()
    layers = [side.first() for side in sides]
    while len(layers[0]) or len(layers[1]):
        keys = [side.keys(layer) for side, layer in zip(sides, layers, strict=True)]
        if not _same(keys[0], keys[1]):
            return "different"
        seen.update(keys[0].tolist())
        if len(seen) > max_states:
            return "unknown"
        grown = [[layer[:0]] for layer in layers]
        for start in range(0, len(keys[0]), _ROWS_AT_ONCE):
            found = [
                side.transitions(layer[start : start + _ROWS_AT_ONCE])
                for side, layer in zip(sides, layers, strict=True)
            ]
            if not _same(np.unique(found[0][0]), np.unique(found[1][0])):
                return "different"
            for rows, (_, states) in zip(grown, found, strict=True):
                rows.append(states)
        layers = [side.unseen(rows, seen) for side, rows in zip(sides, grown, strict=True)]
    return "equal"


def _same(left: Keys, right: Keys) -> bool:
    return len(left) == len(right) and bool((left == right).all())


def _common_atoms(*tasks: Task) -> dict[str, int]:
    found = (
        atom
        for task in tasks
        for variable in task.variables
        for atom in variable.facts
        if atom is not None
    )
    return {atom: number for number, atom in enumerate(dict.fromkeys(found))}


def _common_names(*tasks: Task) -> dict[str, int]:
    names = dict.fromkeys(name for task in tasks for name in task.operator_names)
    return {name: number for number, name in enumerate(names)}


class _Side:
    """One of the two tasks: its states as keys that both tasks write alike."""

    def __init__(self, task: Task, atoms: Mapping[str, int], names: Mapping[str, int]) -> None:
        self.task = task
        self._names = np.array([names[name] for name in task.operator_names], dtype=">u4")
        static = task.static_facts
        self._constant = np.array([atom in static for atom in atoms], dtype=bool)
        self._columns = [
            (variable, value, atoms[atom])
            for variable, (_, facts) in enumerate(task.variables)
            for value, atom in enumerate(facts)
            if atom is not None
        ]

    def first(self) -> StateArray:
        return self.task.initial_state[np.newaxis, :]

    def keys(self, states: StateArray) -> Keys:
        """The atoms of each state, one bit each."""
        pieces = [
            _as_keys(self._bits(states[start : start + _ROWS_AT_ONCE]))
            for start in range(0, max(len(states), 1), _ROWS_AT_ONCE)
        ]
        return np.concatenate(pieces)

    def _bits(self, states: StateArray) -> NDArray[np.uint8]:
        truth = np.repeat(self._constant[np.newaxis, :], len(states), axis=0)
        for variable, value, atom in self._columns:
            truth[:, atom] |= states[:, variable] == value
        return np.packbits(truth, axis=1) if len(self._constant) else _EMPTY_BITS[: len(states)]

    def transitions(self, states: StateArray) -> tuple[Keys, StateArray]:
        """A key per transition: the row it starts in, its operator's name, where it leads."""
        found, operators, offsets = self.task.all_successors(states)
        rows = np.repeat(np.arange(len(states)), np.diff(offsets))
        if not len(found):
            return np.empty(0, dtype="V1"), found
        parts: Sequence[NDArray[np.uint8]] = (
            rows.astype(">u4").view(np.uint8).reshape(-1, 4),
            self._names[operators].view(np.uint8).reshape(-1, 4),
            self._bits(found),
        )
        return _as_keys(np.concatenate(parts, axis=1)), found

    def unseen(self, rows: Sequence[StateArray], seen: set[bytes]) -> StateArray:
        """The new states of a layer, each once, in the order of their keys."""
        states = np.concatenate(rows)
        if not len(states):
            return states
        keys, first = np.unique(self.keys(states), return_index=True)
        new = [key not in seen for key in keys.tolist()]
        kept: StateArray = states[first[np.array(new, dtype=bool)]]
        return kept


_EMPTY_BITS = np.zeros((_ROWS_AT_ONCE, 1), dtype=np.uint8)


def _as_keys(bits: NDArray[np.uint8]) -> Keys:
    """Each row as one value that can be compared and sorted."""
    rows = np.ascontiguousarray(bits)
    return rows.view(np.dtype((np.void, rows.shape[1]))).reshape(len(rows))
