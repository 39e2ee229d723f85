"""The traces of many runs at once, and the truth of conditions in all their states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.rooms.rules.engine.conditions import NO_OPERATOR, Condition, dids_of
from bugsieve.tasks.grounded.task import StateArray

Bools = NDArray[np.bool_]
Ids = NDArray[np.int64]

_MOST_CODES = 1 << 16  # numbers of letters, before those are left out that do not occur


@dataclass(frozen=True, eq=False)
class RunTraces:
    """The states of traces, one trace after the other, each different state stored once."""

    states: StateArray
    which: Ids
    """The states of all traces, as rows of `states`."""
    operators: NDArray[np.int32]
    """The operator that led into each of them; NO_OPERATOR into the first one of a trace."""
    offsets: Ids
    """Trace i has the entries from offsets[i] to offsets[i + 1]."""

    @classmethod
    def of_runs(
        cls, states: StateArray, which: Ids, offsets: Ids, actions: Sequence[ArrayLike]
    ) -> RunTraces:
        """The traces of runs by these actions."""
        operators = np.full(len(which), NO_OPERATOR, dtype=np.int32)
        later = np.ones(len(which), dtype=np.bool_)
        later[offsets[:-1]] = False
        empty = np.empty(0, dtype=np.int32)
        operators[later] = np.concatenate([empty, *(np.asarray(a, np.int32) for a in actions)])
        return cls(states, which, operators, offsets)

    @classmethod
    def of_run(cls, states: StateArray, actions: Sequence[int]) -> RunTraces:
        """The trace of one run."""
        ends = np.array([0, len(states)], dtype=np.int64)
        return cls.of_runs(states, np.arange(len(states)), ends, [list(actions)])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ids:
        """The number of states of each trace."""
        return np.diff(self.offsets)

    def holds(self, condition: Condition) -> Bools:
        """The entries in which the condition holds."""
        if isinstance(condition, bool):
            return np.full(len(self.which), condition)
        if not dids_of(condition):
            return self._in_states(condition)[self.which]
        if condition[0] == "did":
            return np.isin(self.operators, condition[1])
        return _joined(condition[0], [self.holds(part) for part in condition[1:]])

    def _in_states(self, condition: Condition) -> Bools:
        if isinstance(condition, bool):
            return np.full(len(self.states), condition)
        if condition[0] == "fact":
            held: Bools = self.states[:, condition[1]] == condition[2]
            return held
        return _joined(condition[0], [self._in_states(part) for part in condition[1:]])


def _joined(sign: str, parts: Sequence[Bools]) -> Bools:
    if sign == "not":
        return ~parts[0]
    return reduce(np.logical_and if sign == "and" else np.logical_or, parts)


class Letters:
    """The truth of atoms in all entries of traces; each atom is computed when it is needed."""

    def __init__(self, traces: RunTraces, atoms: Mapping[str, Condition]) -> None:
        self.traces = traces
        self._atoms = atoms
        self._columns: dict[str, Bools] = {}

    def column(self, name: str) -> Bools:
        """The entries in which the atom is true."""
        if name not in self._columns:
            self._columns[name] = self.traces.holds(self._atoms[name])
        return self._columns[name]

    def different(self, names: Sequence[str]) -> tuple[Bools, Ids]:
        """The different letters over some atoms, and which of them each entry has."""
        codes, count = np.zeros(len(self.traces.which), dtype=np.int64), 1
        for name in names:
            codes, count = 2 * codes + self.column(name), 2 * count
            if count > _MOST_CODES:
                codes, count = _dense(codes, count)
        codes, count = _dense(codes, count)
        example = np.empty(count, dtype=np.int64)
        example[codes] = np.arange(len(codes))
        letters = np.zeros((count, len(names)), dtype=np.bool_)
        for number, name in enumerate(names):
            letters[:, number] = self.column(name)[example]
        return letters, codes


def _dense(codes: Ids, count: int) -> tuple[Ids, int]:
    """The same codes without unused numbers."""
    used = np.bincount(codes, minlength=count) > 0
    return (np.cumsum(used) - 1)[codes], int(used.sum())
