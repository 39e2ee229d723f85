"""Decisions that are bad by themselves: dominance proves that another action would be better.

If action a leads from s to s_a and b to s_b, then D(s_a, s_b) + c(a) - c(b) > 0 proves that
c(a) + h*(s_a) exceeds c(b) + h*(s_b), provided that s_a has a plan. No search is needed, and what
the policy does later does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bugsieve.dominance.function import DominanceFunction
from bugsieve.tasks.fdr.task import StateArray


@dataclass(frozen=True)
class BadDecision:
    """A decision that costs more than it need, whatever comes after it."""

    index: int
    """The number of steps before it."""
    better: int | None
    """The operator that would have been better; None: to do nothing."""
    loss: int
    """How much dearer the decision is, at least."""


def worst_decision(
    function: DominanceFunction, states: StateArray, actions: Sequence[int]
) -> BadDecision | None:
    """The decision of a run that dominance proves to lose most; of equal ones the first.

    `states` are those of the run, one more than actions. That a plan follows must be known: this
    is about runs that reach the goal.
    """
    steps = len(actions)
    if not steps:
        return None
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
    best = float(losses.max(initial=-np.inf))
    if best <= 0:
        return None
    choices = [
        *zip(step_of.tolist(), operators.tolist(), strict=True),
        *((step, None) for step in range(steps)),
    ]
    first = min(np.flatnonzero(losses == best).tolist(), key=lambda place: choices[place][0])
    index, better = choices[first]
    return BadDecision(index, better, int(best))
