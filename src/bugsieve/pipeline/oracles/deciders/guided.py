"""Greedy search that a decider keeps out of dead ends.

Where dead ends are what makes a domain hard, a search that never enters one is quick, though each
of its steps is slow.
"""

from __future__ import annotations

import heapq
import time
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.objectives.objective import plan_cost
from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult

if TYPE_CHECKING:
    from bugsieve._native import SearchStatus

MOST_EXPANSIONS = 2_000
"""About a second's worth; solvable states need a few hundred at most."""


def guided_search(task: Task, decider: Decider, start: StateArray, limits: Limits) -> SearchResult:
    """Some plan from the state, by greedy best-first search on h^FF among the solvable states."""
    return _Search(task, decider, limits).run(start)


class _Search:
    def __init__(self, task: Task, decider: Decider, limits: Limits) -> None:
        self._task = task
        self._decider = decider
        self._heuristic = task.heuristic("hff")
        given = MOST_EXPANSIONS if limits.expansions is None else limits.expansions
        self._most = min(given, MOST_EXPANSIONS)
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._steps: dict[bytes, tuple[bytes, int]] = {}
        """The state and the operator by which each state was reached."""
        self._open: list[tuple[int, int, StateArray]] = []
        self._arrivals = count()
        self._expanded = 0

    def run(self, start: StateArray) -> SearchResult:
        """The first plan met."""
        root = start.tobytes()
        if self._task.is_goal(start)[0]:
            return self._result("solved", ())
        self._steps[root] = (root, -1)
        self._push(start[np.newaxis])
        while self._open:
            check_stop()
            if self._end is not None and time.monotonic() >= self._end:
                return self._result("time")
            _, _, state = heapq.heappop(self._open)
            # Asked when a state is taken out, not when it is put in: most states never are, and
            # the decider is the slow part. None is not a reason to leave a state out.
            if self._decider.solvable(state) is False:
                continue
            if self._expanded >= self._most:
                return self._result("expansions")
            goal = self._expand(state)
            if goal is not None:
                return self._result("solved", self._plan(root, goal))
        return self._result("gave-up")

    def _push(self, states: StateArray) -> None:
        for state, value in zip(states, self._heuristic.evaluate(states).tolist(), strict=True):
            if value != DEAD_END:
                heapq.heappush(self._open, (value, next(self._arrivals), state))

    def _expand(self, state: StateArray) -> bytes | None:
        """Note the new successors; returns one that is a goal state, if there is one."""
        self._expanded += 1
        parent = state.tobytes()
        successors, operators, _ = self._task.all_successors(state)
        new = []
        for row, (successor, operator) in enumerate(zip(successors, operators, strict=True)):
            key = successor.tobytes()
            if key not in self._steps:
                self._steps[key] = (parent, int(operator))
                new.append(row)
        found = successors[new]
        goals = self._task.is_goal(found)
        if goals.any():
            goal: bytes = found[int(goals.argmax())].tobytes()
            return goal
        self._push(found)
        return None

    def _plan(self, root: bytes, key: bytes) -> tuple[int, ...]:
        plan = []
        while key != root:
            key, operator = self._steps[key]
            plan.append(operator)
        return tuple(reversed(plan))

    def _result(self, status: SearchStatus, plan: tuple[int, ...] | None = None) -> SearchResult:
        cost = None if plan is None else plan_cost(self._task, plan)
        seen = len(self._steps)
        return SearchResult(status, plan, cost, self._expanded, evaluated=seen, generated=seen)
