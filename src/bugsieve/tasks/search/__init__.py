"""Searches for plans from one state, run in the native core under limits.

Used by the policies that plan, by oracles, and by anyone who needs a plan.
"""

from __future__ import annotations

from bugsieve.tasks.search.distances import PathDistances
from bugsieve.tasks.search.exact import (
    ExactCosts,
    TooLargeError,
    exact_costs,
    exact_goal_distances,
)
from bugsieve.tasks.search.improvement import improve_plan
from bugsieve.tasks.search.searches import (
    Lookahead,
    SearchResult,
    astar,
    enforced_hill_climbing,
    expansions_spent,
    greedy,
    improving_path,
    lookahead,
)
from bugsieve.tasks.search_limits import Limits

__all__ = [
    "ExactCosts",
    "Limits",
    "Lookahead",
    "PathDistances",
    "SearchResult",
    "TooLargeError",
    "astar",
    "enforced_hill_climbing",
    "exact_costs",
    "exact_goal_distances",
    "expansions_spent",
    "greedy",
    "improve_plan",
    "improving_path",
    "lookahead",
]
