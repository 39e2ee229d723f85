"""Typed fronts of the native searches: limits in, a frozen result out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import suggest

if TYPE_CHECKING:
    from bugsieve.tasks.fdr.task import StateArray, Task


@dataclass(frozen=True)
class Limits:
    """What a search may spend; None means no limit."""

    expansions: int | None = None
    seconds: float | None = None
    bytes: int | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class SearchResult:
    """How a search ended; see `_native.SearchResult` for the meaning of each status."""

    status: _native.SearchStatus
    plan: tuple[int, ...] | None
    cost: int | None
    expanded: int
    evaluated: int
    generated: int

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status == "solved"


@dataclass(frozen=True)
class Lookahead:
    """The states within some steps of a start, and the cheapest plan among the ways to them."""

    result: SearchResult
    states: NDArray[np.uint16]
    costs: NDArray[np.int64]
    leaves: _native.Leaves

    @property
    def is_complete(self) -> bool:
        """Whether no limit cut the lookahead short; only then is its plan a cheapest one."""
        return self.leaves.is_complete

    def path(self, leaf: int) -> tuple[int, ...]:
        """Operators that lead to a leaf at its cost."""
        return tuple(self.leaves.path(leaf))


def astar(
    task: Task,
    state: StateArray,
    heuristic: str = "lmcut",
    *,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> SearchResult:
    """A cheapest plan from the state, if the heuristic is admissible (blind, hmax, lmcut)."""
    _check_heuristic(heuristic)
    row = task.checked_state(state)
    return _result(_native.astar(task.native, row, heuristic, **_limits(limits, cost_bound)))


def greedy(
    task: Task,
    state: StateArray,
    heuristic: str = "hff",
    *,
    deferred: bool = True,
    preferred: bool = True,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> SearchResult:
    """Some plan from the state, by greedy best-first search; complete."""
    _check_heuristic(heuristic)
    row = task.checked_state(state)
    options = _limits(limits, cost_bound)
    return _result(
        _native.greedy(
            task.native, row, heuristic, deferred=deferred, preferred=preferred, **options
        )
    )


def enforced_hill_climbing(
    task: Task,
    state: StateArray,
    *,
    preferred: bool = True,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> SearchResult:
    """Some plan from the state, or "gave-up": breadth-first steps down h^FF, never back up."""
    row = task.checked_state(state)
    options = _limits(limits, cost_bound)
    return _result(
        _native.enforced_hill_climbing(task.native, row, preferred=preferred, **options)
    )


def lookahead(
    task: Task,
    state: StateArray,
    depth: int,
    *,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> Lookahead:
    """The cheapest plan of at most `depth` steps, and all states met on the way."""
    if depth < 0:
        raise UsageError(f"the depth of a lookahead must not be negative, got {depth}")
    row = task.checked_state(state)
    result, leaves = _native.lookahead(task.native, row, depth, **_limits(limits, cost_bound))
    return Lookahead(_result(result), leaves.states, leaves.costs, leaves)


def exact_goal_distances(
    task: Task, *, max_states: int = 10_000_000
) -> tuple[StateArray, NDArray[np.int32]]:
    """All reachable states of a small task and their h*; DEAD_END where no plan exists."""
    try:
        return _native.exact_goal_distances(task.native, max_states=max_states)
    except ValueError as error:
        raise UsageError(f"{task.name}: the task is too large to explore: {error}") from error


def _check_heuristic(name: str) -> None:
    if name not in _native.HEURISTICS:
        known = ", ".join(_native.HEURISTICS)
        hint = suggest(name, _native.HEURISTICS)
        raise UsageError(f"there is no heuristic '{name}'{hint}; there are {known}")


def _limits(limits: Limits, cost_bound: int | None) -> dict[str, Any]:
    given = {
        "cost_bound": cost_bound,
        "max_expansions": limits.expansions,
        "max_seconds": limits.seconds,
        "max_bytes": limits.bytes,
    }
    if limits.seconds is not None and math.isnan(limits.seconds):
        raise UsageError("a time limit must be a number of seconds, got nan")
    # What has run out already leaves nothing to spend; the core takes -1 for "no limit".
    return {name: max(value, 0) for name, value in given.items() if value is not None}


def _result(native: _native.SearchResult) -> SearchResult:
    plan = native.plan
    return SearchResult(
        native.status,
        None if plan is None else tuple(plan),
        native.cost,
        native.expanded,
        native.evaluated,
        native.generated,
    )
