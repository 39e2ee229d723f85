"""Front of plan improvement: a plan in, one that costs no more out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.tasks.arrays import as_array
from bugsieve.tasks.grounded.arrays import ActionArray, ask_core, operator_column
from bugsieve.tasks.grounded.task import require_task
from bugsieve.tasks.search.searches import SearchResult, core_limits, from_core
from bugsieve.tasks.search_limits import Limits

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import Task


def improve_plan(task: Task, state: ArrayLike, plan: ArrayLike, *, limits: Limits) -> SearchResult:
    """The cheapest plan found near the given one, by Aras (Nakhost and Müller 2010).

    Action elimination leaves out what the plan can do without; a search of ever more states
    around the plan then finds shortcuts. Always "solved": at worst the plan comes back as it was.
    More expansions never give a more expensive plan. Without limits, the search ends when it has
    seen all states that can be reached, and the plan is then a cheapest one.

    UsageError if the plan does not lead from the state to the goal.
    """
    row = require_task(task).checked_state(state)
    options = core_limits(limits, None)
    return from_core(ask_core(_native.improve_plan, task.native, row, _operators(plan), **options))


def _operators(plan: ArrayLike) -> ActionArray:
    operators = as_array(plan, "operators of the plan")
    if operators.ndim != 1:
        raise UsageError(f"a plan is a list of operators, not an array of {operators.ndim} axes")
    return operator_column(operators, len(operators))
