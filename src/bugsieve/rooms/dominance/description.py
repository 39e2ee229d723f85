"""Descriptions of a dominance function: its factors and its strongest pairs in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.dominance.fact_words import FactWords, listed
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.tasks.grounded.task import StateArray, Task

_KINDS = ((0.5, inf, 3), (-0.5, 0.5, 1), (-inf, -0.5, 2))
"""Pairs to show: above, below, number. Cheaper ones, one that is not dearer, dearer ones."""
_CANDIDATES = 1000
_MOST_VALUES = 20


@dataclass(frozen=True)
class StrongPair:
    """Two states of a factor by the facts in which they differ, those they share, and D."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    where: tuple[str, ...]
    value: int

    def __str__(self) -> str:
        source, target = listed(self.source), listed(self.target)
        where = f", where {listed(self.where)}" if self.where else ""
        return f"with {target} it is {self._difference} than with {source}{where}"

    @property
    def _difference(self) -> str:
        if self.value > 0:
            return f"at least {self.value} cheaper"
        return f"at most {-self.value} dearer" if self.value else "no dearer"


@dataclass(frozen=True)
class FactorDescription:
    """One factor: what its variables are, and how many of its pairs of states have a bound."""

    variables: tuple[str, ...]
    states: int
    finite: int
    strongest: tuple[StrongPair, ...]

    @property
    def pairs(self) -> int:
        """Pairs of different states."""
        return self.states * (self.states - 1)

    @property
    def share(self) -> float | None:
        """The share of pairs with a bound; None where there is one state."""
        return self.finite / self.pairs if self.pairs else None


def describe_factor(function: DominanceFunction, factor: int) -> FactorDescription:
    """The factor in words."""
    words = FactWords(function.task)
    block, states = function.blocks[factor], function.states(factor)
    table = function.table(factor)
    np.fill_diagonal(table, -inf)
    finite = int(np.isfinite(table).sum())
    impossible = _are_impossible(function.task, block, states)
    table[impossible] = table[:, impossible] = -inf

    def facts(state: int, kept: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(words.value(block[at], states[state, at]) for at in np.flatnonzero(kept))

    def told(x: int, y: int) -> StrongPair:
        same = states[x] == states[y]
        return StrongPair(facts(x, ~same), facts(y, ~same), facts(x, same), int(table[x, y]))

    return FactorDescription(
        variables=tuple(map(words.variable, block)),
        states=len(states),
        finite=finite,
        strongest=tuple(
            told(x, y)
            for above, below, count in _KINDS
            for x, y in _various(_ranked(table, states, above, below), states, count)
        ),
    )


def _are_impossible(task: Task, block: Sequence[int], states: StateArray) -> NDArray[np.bool_]:
    """True per state with two facts that exclude each other: these are not worth showing."""
    columns = {variable: at for at, variable in enumerate(block)}
    impossible = np.zeros(len(states), dtype=np.bool_)
    for group in task.mutex_groups:
        inside = [(columns[variable], value) for variable, value in group if variable in columns]
        if len({at for at, _ in inside}) > 1:
            holding = sum((states[:, at] == value).astype(np.int64) for at, value in inside)
            impossible |= holding > 1
    return impossible


def _ranked(
    table: NDArray[np.float64], states: StateArray, above: float, below: float
) -> Iterator[tuple[int, int]]:
    """Pairs of the largest values between two limits.

    Of equal values, those come first whose states differ in few variables.
    """
    for _ in range(_MOST_VALUES):
        value = np.max(table, where=table < below, initial=-inf)
        if value <= above:
            return
        pairs = np.argwhere(table == value)[:_CANDIDATES]
        differences = (states[pairs[:, 0]] != states[pairs[:, 1]]).sum(axis=1)
        yield from map(tuple, pairs[np.argsort(differences, kind="stable")].tolist())
        below = value


def _various(
    pairs: Iterable[tuple[int, int]], states: StateArray, count: int
) -> Iterator[tuple[int, int]]:
    """The first pairs that repeat neither a source, nor a target, nor the facts that differ."""
    told: set[tuple[str, object]] = set()
    for x, y in pairs:
        change = tuple(
            (at, a, b)
            for at, (a, b) in enumerate(zip(states[x], states[y], strict=True))
            if a != b
        )
        parts = {("source", x), ("target", y), ("change", change)}
        if not parts & told:
            told |= parts
            yield x, y
            count -= 1
        if not count:
            return
