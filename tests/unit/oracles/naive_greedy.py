"""Greedy best-first search in slow Python, which tells what it expands: the twin of `gbfs-N`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf

import numpy as np

from bugsieve import _native
from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.naive import State, successor
from tests.unit.dominance.plans import cost_of, is_goal

BOOST = 1000
"""Turns that preferred successors get where the search makes progress."""

Entry = tuple[State, int]
"""A state and an operator that applies there."""


class OpenList:
    """Entries in order of heuristic value, first in first out among equals."""

    def __init__(self) -> None:
        self.turns = 0
        self._entries: dict[int, deque[Entry]] = {}

    def __bool__(self) -> bool:
        return bool(self._entries)

    def put(self, h: int, entry: Entry) -> None:
        """Add an entry."""
        self._entries.setdefault(h, deque()).append(entry)

    def take(self) -> Entry:
        """The first entry of the least value."""
        self.turns += 1
        least = min(self._entries)
        entry = self._entries[least].popleft()
        if not self._entries[least]:
            del self._entries[least]
        return entry


class NaiveGreedy:
    """Deferred evaluation by h^FF, with preferred operators in a list of their own.

    Only states cheaper than the bound count; if one is set, a state that becomes cheaper is
    expanded again.
    """

    def __init__(self, task: Task, start: State, bound: int | None) -> None:
        self.task = task
        self.start = start
        self.bound = bound
        self._heuristic = _native.Heuristic(task.native, "hff")
        self._all, self._preferred = OpenList(), OpenList()
        self._best = inf
        self._cost: dict[State, int] = {}
        self._last: dict[State, Entry] = {}

    def expansions(self, most: int) -> Iterator[tuple[State, list[int]]]:
        """States in the order of their expansions with the ways to them; the goal comes last."""
        expanded = 0
        state: State | None = self._reached(self.start, 0)
        while expanded < most:
            if state is not None and is_goal(self.task, state):
                yield state, self._way(state)
                return
            if state is not None and self._expand(state):
                expanded += 1
                yield state, self._way(state)
            if expanded == most or not (self._all or self._preferred):
                return
            state = self._next()

    def _next(self) -> State | None:
        preferred = self._preferred and (not self._all or self._preferred.turns <= self._all.turns)
        parent, operator = (self._preferred if preferred else self._all).take()
        after = successor(self.task, parent, operator)
        assert after is not None
        found = self._reached(after, self._cost[parent] + cost_of(self.task, [operator]))
        if found is not None:
            self._last[found] = (parent, operator)
        return found

    def _reached(self, state: State, cost: int) -> State | None:
        """The state if it is to be looked at, at this cost."""
        if self.bound is not None and cost >= self.bound:
            return None
        if state in self._cost and (self.bound is None or cost >= self._cost[state]):
            return None
        self._cost[state] = cost
        return state

    def _expand(self, state: State) -> bool:
        row = np.array([state], dtype=np.uint16)
        values, preferred, _ = self._heuristic.evaluate_preferred(row)
        h = int(values[0])
        if h == _native.DEAD_END:
            return False
        if h < self._best:
            self._best = h
            self._preferred.turns -= BOOST
        for operator in range(self.task.num_operators):
            if successor(self.task, state, operator) is not None:
                self._all.put(h, (state, operator))
                if operator in preferred:
                    self._preferred.put(h, (state, operator))
        return True

    def _way(self, state: State) -> list[int]:
        way: list[int] = []
        while state != self.start:
            state, operator = self._last[state]
            way.append(operator)
        return way[::-1]
