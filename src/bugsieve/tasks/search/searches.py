"""Typed fronts of the native searches: limits in, a frozen result out."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.arguments import (
    require_flag,
    require_kind,
    whole_number,
    whole_number_or_none,
)
from bugsieve.tasks.grounded.heuristic_names import check_heuristic
from bugsieve.tasks.grounded.task import require_task
from bugsieve.tasks.search_limits import NO_LIMITS, SECONDS_OF_AGES, Limits

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import StateArray, Task


_spent = threading.local()


@dataclass(frozen=True)
class SearchResult:
    """How a search ended and what it spent.

    - `status`: "solved"; "unsolvable", which is a proof that there is no plan; "bound", a proof
      that no plan is cheaper than the cost bound; "gave-up" if a search that is not complete ran
      out of states, which proves nothing; or the limit that was reached: "expansions", "time" or
      "memory".
    - `plan`: the operators of the plan, or None.
    - `cost`: what they cost together, or None.
    - `expanded`, `evaluated`, `generated`: how many states had their successors generated, were
      given a heuristic value, and were met as a successor, each as often as it happened.
    """

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


@dataclass(frozen=True, eq=False)
class Lookahead:
    """The states within some steps of a start, and the cheapest plan among the ways to them.

    - `result`: the cheapest plan within the depth, and what the lookahead spent.
    - `states`: the distinct states met, the start first; each is called a leaf.
    - `costs`: the cost of a cheapest way to each of them within the depth.
    """

    result: SearchResult
    states: NDArray[np.uint16]
    costs: NDArray[np.int64]
    leaves: _native.Leaves

    @property
    def is_complete(self) -> bool:
        """Whether no limit cut the lookahead short; only then is its plan a cheapest one."""
        return self.leaves.is_complete

    def path(self, leaf: int) -> tuple[int, ...]:
        """Operators that lead to a leaf at its cost; IndexError if there is no such leaf."""
        return tuple(self.leaves.path(index(leaf)))


def astar(
    task: Task,
    state: StateArray,
    heuristic: str = "lmcut",
    *,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> SearchResult:
    """A cheapest plan from the state, if the heuristic is admissible (blind, hmax, lmcut)."""
    check_heuristic(heuristic)
    row = require_task(task).checked_state(state)
    return from_core(_native.astar(task.native, row, heuristic, **core_limits(limits, cost_bound)))


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
    check_heuristic(heuristic)
    row = require_task(task).checked_state(state)
    require_flag(deferred, "deferred")
    require_flag(preferred, "preferred")
    options = core_limits(limits, cost_bound)
    return from_core(
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
    row = require_task(task).checked_state(state)
    require_flag(preferred, "preferred")
    options = core_limits(limits, cost_bound)
    return from_core(
        _native.enforced_hill_climbing(task.native, row, preferred=preferred, **options)
    )


def improving_path(
    task: Task, state: StateArray, heuristic: str = "hff", *, limits: Limits = NO_LIMITS
) -> SearchResult:
    """A shortest way to a state of lower value or to a goal, as `plan`; "gave-up" without one."""
    check_heuristic(heuristic)
    row = require_task(task).checked_state(state)
    options = core_limits(limits, None)
    return from_core(_native.improving_path(task.native, row, heuristic, **options))


def lookahead(
    task: Task,
    state: StateArray,
    depth: int,
    *,
    limits: Limits = NO_LIMITS,
    cost_bound: int | None = None,
) -> Lookahead:
    """The cheapest plan of at most `depth` steps, and all states met on the way."""
    depth = whole_number(depth, "the depth of a lookahead", least=0)
    row = require_task(task).checked_state(state)
    result, leaves = _native.lookahead(task.native, row, depth, **core_limits(limits, cost_bound))
    return Lookahead(from_core(result), leaves.states, leaves.costs, leaves)


def core_limits(limits: Limits, cost_bound: int | None) -> dict[str, Any]:
    """Limits and bound as keyword arguments of the native searches."""
    require_kind(limits, Limits, "limits", "of type Limits")
    given: dict[str, int | float | None] = {
        "cost_bound": whole_number_or_none(cost_bound, "a cost bound"),
        "max_expansions": whole_number_or_none(limits.expansions, "a limit on expansions"),
        "max_seconds": None
        if limits.seconds is None
        else float(min(limits.seconds, SECONDS_OF_AGES)),
        "max_bytes": whole_number_or_none(limits.bytes, "a limit on bytes"),
    }
    # A bound below 0 excludes every plan, as 0 does; the core takes -1 for "none".
    return {name: max(value, 0) for name, value in given.items() if value is not None}


def expansions_spent() -> int:
    """How many states all searches of this thread have expanded so far."""
    count: int = getattr(_spent, "count", 0)
    return count


def from_core(native: _native.SearchResult) -> SearchResult:
    """The result of a native search, which counts as spent."""
    _spent.count = expansions_spent() + native.expanded
    plan = native.plan
    return SearchResult(
        native.status,
        None if plan is None else tuple(plan),
        native.cost,
        native.expanded,
        native.evaluated,
        native.generated,
    )
