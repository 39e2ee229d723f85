"""All reachable states of a small task as test states, in the order of their exploration."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bugsieve.pipeline.bench import Bench, Origin
from bugsieve.pipeline.pool.novelty import Loosened
from bugsieve.pipeline.pool.pool import Pool, PoolEntry
from bugsieve.pipeline.pool.walk_counts import WalkCounts
from bugsieve.tasks.grounded.conditions import Condition
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import ExactCosts

ALL_TESTED = "every reachable state is tested"


class WholePool(Pool):
    """Test states of a whole state space; ways to them are those of the exploration."""

    def __init__(self, exact: ExactCosts) -> None:
        super().__init__(exact.task)
        self._exact = exact

    def origin(self, number: int) -> Origin:
        """The way on which the exploration came to the state."""
        (row,) = self._exact.rows(self.states([number])).tolist()
        path = self._exact.path(row)
        return Origin(self.task.initial_state, path, path)


def whole_pool(exact: ExactCosts, condition: Condition | None = None) -> WholePool:
    """All reachable states, or those in which a condition holds.

    The parent of an entry is the state before it on its way, where that is a test state as well.
    """
    pool = WholePool(exact)
    numbers: dict[int, int] = {}
    for row in _selected(exact.states, condition):
        parent = numbers.get(int(exact.parents[row]))
        actions = () if parent is None else (int(exact.operators[row]),)
        entry = pool.add(exact.states[row], parent=parent, actions=actions)
        if entry is not None:
            numbers[row] = entry.number
    return pool


def _selected(states: StateArray, condition: Condition | None) -> Iterable[int]:
    if condition is None:
        return range(len(states))
    return map(int, np.flatnonzero(condition.holds(states)))


class WholeSpace:
    """Stands in for a fuzzer where all test states are known from the start."""

    def __init__(self, bench: Bench, pool: Pool) -> None:
        self.bench = bench
        self.pool = pool
        self.walks_done = 0
        self.steps_done = 0
        self.loosened = Loosened()
        self.counts = WalkCounts()
        self.finished = ALL_TESTED

    def round(self) -> list[PoolEntry]:
        """Find nothing more."""
        return []
