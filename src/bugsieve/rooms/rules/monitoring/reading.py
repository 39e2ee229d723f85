"""Many automata that read many words, all in lockstep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.rules.monitoring.traces import Bools, Ids, Letters

NEVER = -1
"""In the place of a step: no prefix is accepted."""

_CELLS = 20_000_000  # letters of all automata that are looked at together
_STEPS_BETWEEN_LOOKS = 256  # at the clock


@dataclass(frozen=True, eq=False)
class Readings:
    """The results of automata (rows) on words (columns)."""

    first: Ids
    """The place of the first letter after which the automaton accepts, or NEVER."""
    at_end: Bools
    """True if it accepts the whole word."""


def read_words(automata: Sequence[Automaton], letters: Letters) -> Readings:
    """The results of the automata on the words of some traces."""
    traces = letters.traces
    order = _Order(traces.offsets)
    first = np.full((len(automata), len(traces)), NEVER, dtype=np.int64)
    at_end = np.zeros((len(automata), len(traces)), dtype=np.bool_)
    together = max(1, _CELLS // max(1, len(traces.which)))
    for low in range(0, len(automata), together):
        rows = slice(low, low + together)
        found = _Tables(automata[rows], letters).read(order)
        first[rows, order.words], at_end[rows, order.words] = found.first, found.at_end
    return Readings(first, at_end)


class _Order:
    """Words from the longest to the shortest: those that go on are then always the first ones."""

    def __init__(self, offsets: Ids) -> None:
        lengths = np.diff(offsets)
        self.words = np.argsort(-lengths, kind="stable")
        self.starts = offsets[:-1][self.words]
        steps = np.arange(lengths.max(initial=0))
        left = len(lengths) - np.searchsorted(np.sort(lengths), steps, side="right")
        self.left: list[int] = left.tolist()
        """The number of words that have a letter at each place."""


class _Tables:
    """Automata as one table of successors, with the letters that they see."""

    def __init__(self, automata: Sequence[Automaton], letters: Letters) -> None:
        self._codes = np.empty((len(automata), len(letters.traces.which)), dtype=np.int32)
        self._widths = np.array([len(a) for a in automata], dtype=np.int64)[:, np.newaxis]
        self._initial = np.array([a.initial for a in automata], dtype=np.int64)
        tables: list[NDArray[np.int64]] = []
        accepting: list[Bools] = []
        for row, automaton in enumerate(automata):
            check_stop()
            different, self._codes[row] = letters.different(automaton.atoms)
            tables.append(_successors(automaton, different).reshape(-1))
            accepts = np.zeros(len(automaton), dtype=np.bool_)
            accepts[sorted(automaton.accepting)] = True
            accepting.append(accepts)
        self._bases = _bases(tables)
        self._successors = np.concatenate(tables)
        self._accepting_bases = _bases(accepting)
        self._accepting = np.concatenate(accepting)

    def read(self, order: _Order) -> Readings:
        """The results of the automata on the words in this order."""
        shape = len(self._initial), len(order.words)
        states = np.broadcast_to(self._initial[:, np.newaxis], shape).copy()
        first = np.full(shape, NEVER, dtype=np.int64)
        for step, count in enumerate(order.left):
            if step % _STEPS_BETWEEN_LOOKS == 0:
                check_stop()
            codes = self._codes[:, order.starts[:count] + step]
            now = self._successors[self._bases + codes * self._widths + states[:, :count]]
            states[:, :count] = now
            is_first = self._accepts(now) & (first[:, :count] == NEVER)
            first[:, :count][is_first] = step
        return Readings(first, self._accepts(states))

    def _accepts(self, states: Ids) -> Bools:
        accepted: Bools = self._accepting[self._accepting_bases + states]
        return accepted


def _bases(parts: Sequence[NDArray[np.generic]]) -> Ids:
    """The beginning of each part if they stand behind each other, as a column."""
    lengths = [len(part) for part in parts]
    return np.concatenate([[0], np.cumsum(lengths[:-1], dtype=np.int64)])[:, np.newaxis]


def _successors(automaton: Automaton, letters: Bools) -> NDArray[np.int64]:
    """The target of each letter (row) from each state."""
    rows = np.array(automaton.rows, dtype=np.int64)
    nodes = np.array([tuple(node) for node in automaton.nodes], dtype=np.int64).reshape(-1, 3)
    table = np.empty((len(letters), len(rows)), dtype=np.int64)
    for number, letter in enumerate(letters):
        at = rows.copy()
        while (asked := at >= 0).any():
            node = nodes[at[asked]]
            at[asked] = np.where(letter[node[:, 0]], node[:, 2], node[:, 1])
        table[number] = ~at
    return table
