"""The exact costs-to-go of all states of a small task, and the decisions that they blame.

Where they are known, no search and no limit decides which step of a run is the culprit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from bugsieve.explanation.blame.regret import GAVE_UP
from bugsieve.pipeline.bench import Bench
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import ExactCosts, TooLargeError, exact_costs
from bugsieve.tasks.search.exact import SPACE_LIMITS, Costs

_LIMITS = replace(SPACE_LIMITS, seconds=None)
"""The same everywhere, for causes depend on it."""
_KEPT = 2


@lru_cache(maxsize=_KEPT)
def exact_costs_of(task: Task) -> ExactCosts | None:
    """The costs of a task; None if it is too large."""
    try:
        return exact_costs(task, limits=_LIMITS)
    except TooLargeError:
        return None


def costs_for(bench: Bench) -> ExactCosts | None:
    """The costs that tell regrets under the objective of a bench; None if none do."""
    if bench.objective.alternatives().task is not bench.task:
        return None
    return bench.known_costs or exact_costs_of(bench.task)


def worth(bench: Bench, to_go: Costs) -> Costs:
    """The worth of states under the objective; finite costs become 0 where costs do not count."""
    return to_go if bench.objective.costs_count else np.where(to_go < inf, 0.0, to_go)


def exact_culprit(
    bench: Bench, run: Mapping[str, Any], states: StateArray, costs: ExactCosts
) -> int | None:
    """The decision to blame for a run through these states, as `blame` defines it.

    None where no single decision is to blame, or a state of the run cannot be reached in the task.
    """
    to_go = worth(bench, costs.to_go(states))
    if np.isnan(to_go).any():
        return None
    spent = _spent(bench, run["operators"])
    loop = run["loop_start"] if run["ending"] == "loop" else None
    if loop is not None and spent[loop] < spent[-1] and to_go[loop] < inf:
        return _first_regret(to_go + spent, loop)
    found = _first_regret(to_go + spent, 0)
    if found is None and run["ending"] in GAVE_UP:
        return len(states) - 1
    return found


def _spent(bench: Bench, operators: Sequence[int]) -> Costs:
    """The costs spent before each state of a run, where costs count."""
    steps = bench.task.operator_costs[list(operators)].astype(np.float64)
    sums: Costs = np.concatenate([[0.0], np.cumsum(steps)])
    return sums if bench.objective.costs_count else np.zeros_like(sums)


def _first_regret(sums: Costs, first: int) -> int | None:
    """The first step from one on after which the sum is more than there."""
    later = np.flatnonzero(sums[first:] > sums[first])
    return first + int(later[0]) - 1 if len(later) else None
