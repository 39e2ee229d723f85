"""The losses of other actions, by searches: for tasks too large to explore.

The policy did right where no plan is cheaper than its run. There, one search for each other action
of the schema tells whether it is as good. All searches are limited. If one of them is left without
an answer, nothing is said of the schema: a pattern without its counterexamples would join bugs
that have nothing in common.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from bugsieve.explanation.blame.search_budget import PROOFS
from bugsieve.explanation.patterns.features import Decision
from bugsieve.explanation.patterns.mining import RightState, spread
from bugsieve.pipeline.bench import Bench
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits, SearchResult, astar, greedy

MOST_STATES = 30
"""Right states that are looked at for one schema."""
MOST_EXPANSIONS = 20_000
"""Of all searches together."""
_MOST_SOLVED = 2_000
_LIMITS = Limits(expansions=1_000, bytes=1 << 28)
"""Of one search."""


class Solved(NamedTuple):
    """The policy's decision in a state from which its run reaches the goal."""

    decision: Decision
    cost: int
    """Of the run."""


class _OpenError(Exception):
    """A search ended without an answer."""


class SearchedRegrets:
    """Right states of a policy with the regrets of actions, from a limited number of searches."""

    def __init__(self, bench: Bench, done: Iterable[Solved]) -> None:
        self._bench = bench
        self._task = bench.task
        self._counts = bench.objective.costs_count
        self._done = spread(sorted(set(done)), _MOST_SOLVED)
        self._left = MOST_EXPANSIONS
        states = [np.frombuffer(one.decision.state, dtype=np.uint16) for one in self._done]
        self._applicable = [self._task.applicable(state).operators.tolist() for state in states]

    def right(self, operators: Collection[int]) -> Sequence[RightState] | None:
        """Some right states in which one of the operators can be taken; None if the searches
        leave any of that open, or there is no such state."""
        can = [
            (one, [operator for operator in applicable if operator in operators])
            for one, applicable in zip(self._done, self._applicable, strict=True)
        ]
        some = spread([(one, choices) for one, choices in can if choices], MOST_STATES)
        try:
            found = [self._regrets(one, choices) for one, choices in some]
        except _OpenError:
            return None
        return [state for state in found if state is not None] or None

    def _regrets(self, one: Solved, operators: Sequence[int]) -> RightState | None:
        """The regrets of operators; None where the policy does not do right."""
        state = np.frombuffer(one.decision.state, dtype=np.uint16)
        if self._counts and self._has_plan(state, one.cost):
            return None
        return state, {operator: self._regret(one, state, operator) for operator in operators}

    def _regret(self, one: Solved, state: StateArray, operator: int) -> float:
        """0, or infinity for any regret: how large it is does not matter here."""
        if operator == one.decision.operator:
            return 0.0
        after = self._task.successors(state, [operator])[0]
        left = one.cost - int(self._task.operator_costs[operator])
        if self._counts and left < 0:
            return inf
        return 0.0 if self._has_plan(after, left + 1 if self._counts else None) else inf

    def _has_plan(self, state: StateArray, bound: int | None) -> bool:
        """Return true if there is a plan below the bound; `_OpenError` where that is not known."""
        found = self._search(state, bound)
        self._left -= found.expanded
        if found.plan is not None:
            return True
        if found.status in PROOFS:
            return False
        raise _OpenError

    def _search(self, state: StateArray, bound: int | None) -> SearchResult:
        if self._left <= 0:
            raise _OpenError
        if bound is None:
            return greedy(self._task, state, limits=_LIMITS)
        return astar(self._task, state, limits=_LIMITS, cost_bound=bound)
