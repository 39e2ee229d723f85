"""Exact costs of a whole state space: everything reachable, in breadth-first order.

Tests of small tasks take all their states from here, and every verdict, better plan and regret.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.arguments import whole_number
from bugsieve.base.errors import BudgetError, UnsupportedError, UsageError
from bugsieve.base.wording import counted
from bugsieve.tasks.grounded.task import StateArray, Task, require_task
from bugsieve.tasks.search.searches import core_limits
from bugsieve.tasks.search_limits import Limits

Costs = NDArray[np.float64]
"""Costs-to-go; infinite for lost states, from which no plan exists."""

SPACE_LIMITS = Limits(expansions=200_000, seconds=10.0, bytes=1 << 28)
"""States that are counted before a campaign: under a second for most tasks. The bytes bound the
work, so that the clock decides on a machine alone that is very slow."""

_LIMITS = {
    "expansions": "more than {count} states",
    "time": "more than {count} states in the time for counting",
    "memory": "more than {count} states, with too many transitions to keep",
}


class ExactCosts:
    """The states that are reachable from the initial state, each with the cost of a best plan.

    Row 0 is the initial state. `costs` are whole numbers, -1 for lost states.
    """

    def __init__(self, task: Task, found: _native.ExactCosts) -> None:
        self.task = task
        self.states: StateArray = found.states
        self.costs: NDArray[np.int64] = found.costs
        self.parents: NDArray[np.int64] = found.parents
        """The states from which they were first reached; -1 for the initial one."""
        self.operators: NDArray[np.int32] = found.operators
        """The operators of these steps."""
        self._best_operators = found.best_operators
        self._best_successors = found.best_successors

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """The rows from which no plan exists."""
        lost: NDArray[np.bool_] = self.costs < 0
        return lost

    @property
    def with_plan(self) -> int:
        """How many states have a plan."""
        return len(self) - int(self.lost.sum())

    def find(self, states: ArrayLike) -> NDArray[np.int64]:
        """The rows of some states; -1 for those that are not reachable."""
        return self._registry.find(self.task.checked_states(states))

    def rows(self, states: ArrayLike) -> NDArray[np.int64]:
        """The rows of some states; UsageError if one of them is not reachable."""
        found = self.find(states)
        if (found < 0).any():
            raise UsageError("a state is not reachable from the initial state")
        return found

    def to_go(self, states: ArrayLike) -> Costs:
        """What best plans from the states cost; NaN for states that are not reachable."""
        return self._to_go[self.find(states)]

    def regrets(self, states: ArrayLike, operators: ArrayLike) -> Costs:
        """How much more than a best plan it costs to begin with an operator, one per state.

        Infinite where the operator leaves a state with a plan for a lost one; 0 in lost states.
        """
        actions = np.asarray(operators, dtype=np.int32)
        before = self.to_go(states)
        after = self.to_go(self.task.successors(states, actions))
        steps = self.task.operator_costs[actions].astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(before), 0.0, steps + after - before)

    def plan(self, row: int) -> tuple[int, ...] | None:
        """A best plan from the state of a row; None for a lost state."""
        if self.costs[row] < 0:
            return None
        plan = []
        while self._best_successors[row] >= 0:
            plan.append(int(self._best_operators[row]))
            row = int(self._best_successors[row])
        return tuple(plan)

    def path(self, row: int) -> tuple[int, ...]:
        """Operators that lead from the initial state to the state of a row."""
        path = []
        while self.parents[row] >= 0:
            path.append(int(self.operators[row]))
            row = int(self.parents[row])
        return tuple(reversed(path))

    @cached_property
    def _to_go(self) -> Costs:
        """The costs of all rows, and last the value of row -1."""
        return np.append(np.where(self.lost, np.inf, self.costs.astype(np.float64)), np.nan)

    @cached_property
    def _registry(self) -> _native.StateRegistry:
        """Numbers the states as the rows do."""
        registry = _native.StateRegistry(self.task.native)
        registry.insert(self.states)
        return registry


class TooLargeError(BudgetError):
    """A state space was not explored whole."""

    def __init__(self, message: str, count: int) -> None:
        super().__init__(message)
        self.count = count
        """There are more states than so many."""


def exact_costs(task: Task, *, limits: Limits = SPACE_LIMITS) -> ExactCosts:
    """Explore all reachable states; TooLargeError, with the states counted, if a limit is met.

    A limit on expansions is one on states.
    """
    options = core_limits(limits, None)
    most = options.pop("max_expansions", -1)
    found = _native.explore_exact_costs(require_task(task).native, max_states=most, **options)
    if found.status == "complete":
        return ExactCosts(task, found)
    count = found.count if limits.expansions is None else min(found.count, limits.expansions)
    why = _LIMITS[found.status].format(count=count)
    raise TooLargeError(f"{task.name}: the task is too large to explore: {why}", count)


def exact_goal_distances(
    task: Task, *, max_states: int = 10_000_000
) -> tuple[StateArray, NDArray[np.int64]]:
    """All reachable states of a small task and their h*; DEAD_END where no plan exists.

    BudgetError if there are more than `max_states` of them.
    """
    most = whole_number(max_states, "max_states", least=1)
    found = exact_costs(require_task(task), limits=Limits(expansions=most))
    if len(found) and found.costs.max() >= _native.DEAD_END:
        raise UnsupportedError(
            f"{task.name}: a plan costs {counted(int(found.costs.max()), 'unit')}, which a "
            "distance cannot say: ask bugsieve.tasks.search.exact_costs"
        )
    return found.states, np.where(found.lost, _native.DEAD_END, found.costs)
