"""Plans carried over between the states of a run, by dominance.

Where a dominance function proves a state no harder than another one, or not by more than so much,
a plan for the other is replayed into one for it, step by step.
"""

from __future__ import annotations

from bugsieve.explanation.blame.run_with_plans import Course
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions

_OPTIONS = DominanceOptions(max_work=3_000_000, max_bytes=100 << 20)
"""Up to some tenths of a second; on tasks whose function takes more it says less, or nothing."""
_MOST_STATES = 500
"""Longer runs are not compared: there are as many pairs as the square of that."""


def carry_over(course: Course, first: int) -> None:
    """Note better plans from the steps on, made of those that other steps have."""
    task, states = course.task, course.states[first:]
    if len(states) > _MOST_STATES or DominanceFunction.objection(task) is not None:
        return
    known = DominanceFunction.compute(task, _OPTIONS)
    bounds = known.between(states, states)
    # Later steps first: a plan from there on is one for all steps before.
    for target in range(len(states) - 1, -1, -1):
        costs = course.sums[first:] - course.spent[first:]
        promised = costs - bounds[:, target]
        source = int(promised.argmin())
        if promised[source] < costs[target]:
            plan = known.replay(states[source], course.plan(first + source), states[target])
            if plan is not None:
                course.note(first + target, plan)
