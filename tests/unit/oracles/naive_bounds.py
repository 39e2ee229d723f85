"""Slow bound maintenance that follows papers/002, Algorithms 3 to 5: dicts, and no short cuts.

The order that the paper leaves open is that of ours: the run last state first, then the state
itself, then a lookahead, then the others are told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.naive import State, all_states, successor
from tests.unit.dominance.plans import cost_of, is_goal
from tests.unit.oracles.naive_greedy import NaiveGreedy


class NaiveBounds:
    """u(s) >= h*(s) of all states on which bound maintenance was called."""

    def __init__(self, task: Task, function: DominanceFunction, *, pushes_again: bool) -> None:
        self.task = task
        self.u: dict[State, float] = {}
        self._pushes_again = pushes_again
        states = all_states(task)
        rows = np.array(states, dtype=np.uint16)
        self._table = function.between(rows, rows)
        self._place = {state: place for place, state in enumerate(states)}
        self._before: dict[State, set[tuple[State, int]]] = {}

    def has_triangles(self) -> bool:
        """Whether D(s, t) + D(t, v) <= D(s, v) for all states."""
        table = self._table
        return all((table[:, [t]] + table[[t], :] <= table).all() for t in range(len(table)))

    def learn(self, start: State, run: Sequence[int]) -> None:
        """Algorithm 3 on the states of a run, last first."""
        path = [start]
        for operator in run:
            after = successor(self.task, path[-1], operator)
            assert after is not None
            path.append(after)
        for i, state in reversed(list(enumerate(path))):
            self.u.setdefault(state, 0 if is_goal(self.task, state) else inf)
            if i < len(run):
                cost = cost_of(self.task, [run[i]])
                self._before.setdefault(path[i + 1], set()).add((state, cost))
                self._lower(state, self.u[path[i + 1]] + cost)
            self._lower(state, self._told(state))
            self._push(state)

    def look_ahead(self, start: State, bound: int | None, most: int) -> None:
        """Algorithm 4, and the others are told if it helped."""
        before = self.u[start]
        for state, way in NaiveGreedy(self.task, start, bound).expansions(most):
            if state == start:
                continue
            if state in self.u:
                self._lower(state, self._told(state))
                of_state = self.u[state]
            else:
                of_state = min(0 if is_goal(self.task, state) else inf, self._told(state))
            self._lower(start, cost_of(self.task, way) + of_state)
        if self.u[start] < before and self._pushes_again:
            self._push(start)

    def hear(self, start: State, plan: Sequence[int]) -> None:
        """Algorithm 5, once another oracle has found a plan."""
        if cost_of(self.task, plan) < self.u[start]:
            self._lower(start, cost_of(self.task, plan))
            self._push(start)

    def _told(self, state: State) -> float:
        """The best that all other known states say of one."""
        offers = [self.u[s] - self._between(s, state) for s in self.u if s != state]
        return min(offers, default=inf)

    def _push(self, state: State) -> None:
        for other in self.u:
            if other != state:
                self._lower(other, self.u[state] - self._between(state, other))

    def _between(self, source: State, target: State) -> float:
        return float(self._table[self._place[source], self._place[target]])

    def _lower(self, state: State, bound: float) -> None:
        """Strict decreases go to the ancestors."""
        waiting = [(state, bound)]
        while waiting:
            state, bound = waiting.pop()
            if bound < self.u[state]:
                self.u[state] = bound
                before = self._before.get(state, ())
                waiting += [(parent, bound + cost) for parent, cost in before]
