"""Decisions that are bad by themselves: dominance proves that another action would be better.

If action a leads from s to s_a and b to s_b, then D(s_a, s_b) + c(a) - c(b) > 0 proves that
c(a) + h*(s_a) exceeds c(b) + h*(s_b), provided that s_a has a plan. No search is needed, and what
the policy does later does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.tasks.grounded.task import StateArray, Task


@dataclass(frozen=True)
class BadDecision:
    """A decision that costs more than it need, with every continuation."""

    index: int
    """The number of steps before it."""
    better: int | None
    """The operator that would have been better; None: to do nothing."""
    loss: int
    """The least extra cost of the decision."""


def bad_decisions(
    function: DominanceFunction, states: StateArray, actions: Sequence[int]
) -> list[BadDecision]:
    """The decisions of a run that dominance proves bad, each beside what is best in its place.

    `states` are those of the run, one more than actions. That a plan follows must be known: this
    is about runs that reach the goal.
    """
    steps = len(actions)
    if not steps:
        return []
    task = function.task
    costs = task.operator_costs.astype(np.int64)
    taken = costs[np.asarray(actions, dtype=np.int64)]
    successors, operators, offsets = task.all_successors(states[:steps])
    step_of = np.repeat(np.arange(steps), np.diff(offsets))
    # After the action taken, beside every other action, and beside staying where one was.
    others = function.rowwise(states[1:][step_of], successors)
    losses = np.concatenate(
        [
            others + taken[step_of] - costs[operators],
            function.rowwise(states[1:], states[:steps]) + taken,
        ]
    )
    choices = [*operators.tolist(), *[None] * steps]
    steps_of = np.concatenate([step_of, np.arange(steps)])
    order = np.lexsort((-losses, steps_of))
    best = order[np.flatnonzero(np.diff(steps_of[order], prepend=-1))].tolist()
    return [
        BadDecision(step, choices[place], int(losses[place]))
        for step, place in enumerate(best)
        if losses[place] > 0
    ]


def worst_decision(
    function: DominanceFunction, states: StateArray, actions: Sequence[int]
) -> BadDecision | None:
    """The bad decision of a run that loses most, of equal ones the first; None without any."""
    bad = bad_decisions(function, states, actions)
    return max(bad, key=lambda decision: decision.loss, default=None)


def in_words(bad: BadDecision, task: Task, actions: Sequence[int]) -> str:
    """The reason why a decision of a run is bad."""
    names = task.operator_names
    other = "doing nothing" if bad.better is None else names[bad.better]
    return (
        f"decision {bad.index + 1}, {names[actions[bad.index]]}, costs at least {bad.loss} more "
        f"than {other}"
    )
