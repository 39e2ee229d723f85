"""Planners by name: the native searches and Fast Downward under one signature."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult, astar, enforced_hill_climbing, greedy

PlanSearch: TypeAlias = Callable[[Task, StateArray, Limits, "int | None"], SearchResult]
"""Takes a task, a state, limits and a cost bound to a plan that is cheaper than the bound."""

PLANNERS = ("astar-lmcut", "astar-hmax", "astar-blind", "ehc", "gbfs", "gbfs-N", "fd:SEARCH")

_GREEDY = re.compile(r"gbfs-([1-9]\d{0,11})")
_MOST_EXPANSIONS = 10**12 - 1


@dataclass(frozen=True)
class Planner:
    """A way to search for plans."""

    name: str
    search: PlanSearch
    is_optimal: bool = False
    """True if its plans are cheapest ones."""


def planner_named(name: str) -> Planner:
    """The planner that `astar-lmcut`, `ehc`, `gbfs`, `gbfs-500` or `fd:SEARCH` names."""
    check_planner(name)
    if name == "ehc":
        return Planner(name, _adapted(enforced_hill_climbing))
    if name.startswith("astar-"):
        search = partial(astar, heuristic=name.removeprefix("astar-"))
        return Planner(name, _adapted(search), is_optimal=True)
    if name.startswith("fd:"):
        from bugsieve.pipeline.oracles.fast_downward import FastDownward

        return Planner(name, FastDownward(name.removeprefix("fd:")).search)
    if name == "gbfs":
        return Planner(name, greedy_within(None))
    return Planner(name, greedy_within(int(name.removeprefix("gbfs-"))))


def check_planner(name: str) -> None:
    """Raise UsageError with the nearest name unless there is such a planner."""
    is_downward = name.startswith("fd:") and name != "fd:"
    if name not in PLANNERS[:5] and not _GREEDY.fullmatch(name) and not is_downward:
        if re.fullmatch(r"gbfs-\d+", name):
            raise UsageError(f"the N of gbfs-N must be from 1 to {_MOST_EXPANSIONS}")
        raise UsageError(no_such("planner", name, PLANNERS))


def greedy_within(expansions: int | None) -> PlanSearch:
    """Greedy best-first search on h^FF; the number of expansions, if given, is its only one."""
    search = _adapted(partial(greedy, heuristic="hff"))
    if expansions is None:
        return search
    return lambda task, state, limits, bound: search(
        task, state, replace(limits, expansions=expansions), bound
    )


def _adapted(search: Callable[..., SearchResult]) -> PlanSearch:
    """A native search under the signature of planners."""
    return lambda task, state, limits, bound: search(task, state, limits=limits, cost_bound=bound)
