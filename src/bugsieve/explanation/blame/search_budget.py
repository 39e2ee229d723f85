"""The common budget of the searches for a culprit, and the searches that spend it."""

from __future__ import annotations

from dataclasses import replace

from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult, astar, greedy, improve_plan

PROOFS = ("unsolvable", "bound")

_OPTIMAL_UNIT = 200
_TRANSITIONS_UNIT = 8


class Effort:
    """Searches on a task that have one number of expansions between them.

    An expansion of optimal search counts as several where its heuristic takes long: for its
    successors times the operators of the task, since LM-cut looks at the operators again for each.
    """

    def __init__(self, task: Task, limits: Limits) -> None:
        self.task = task
        self.limits = limits
        self.left = limits.expansions

    def optimal(self, state: StateArray, bound: int | None, *, part: int = 2) -> SearchResult:
        """A cheapest plan below the bound, with one of so many parts of what is left."""
        branching = len(self.task.applicable(state).operators)
        weight = max(1, branching * self.task.num_operators // _OPTIMAL_UNIT)
        limits = self._limits(part, weight)
        found = astar(self.task, state, limits=limits, cost_bound=bound)
        self._spend(found.expanded, weight)
        return found

    def any_plan(
        self, state: StateArray, bound: int | None = None, *, part: int = 8
    ) -> SearchResult:
        """Some plan below the bound."""
        found = greedy(self.task, state, limits=self._limits(part), cost_bound=bound)
        self._spend(found.expanded)
        return found

    def improved(
        self, state: StateArray, plan: tuple[int, ...], *, part: int = 8
    ) -> tuple[int, ...]:
        """The plan, or a cheaper one near it; optimal search without a limit needs none."""
        if self.left is None:
            return plan
        found = improve_plan(self.task, state, plan, limits=self._limits(part))
        self._spend(found.expanded)
        return found.plan or ()

    def save(self, parts: int) -> None:
        """Leave one of so many parts of what is left."""
        self.left = None if self.left is None else self.left // parts

    def expansions(self, part: int) -> int:
        """The number of states to expand at most without a heuristic, a part of what is left."""
        return 0 if self.left is None else self.left // part

    def spend_transitions(self, expanded: int, transitions: int) -> None:
        """Count what a search without a heuristic has seen."""
        self._spend(max(expanded, transitions // _TRANSITIONS_UNIT))

    def _limits(self, part: int, weight: int = 1) -> Limits:
        if self.left is None:
            return self.limits
        return replace(self.limits, expansions=self.left // part // weight)

    def _spend(self, expansions: int, weight: int = 1) -> None:
        if self.left is not None:
            self.left = max(0, self.left - expansions * weight)


def is_settled(found: SearchResult) -> bool:
    """Return true if a search has found a plan or proven that there is none."""
    return found.plan is not None or found.status in PROOFS
