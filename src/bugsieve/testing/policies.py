"""Does a policy keep its contract?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from bugsieve.base.errors import PolicyError, UnsupportedError
from bugsieve.policies.policy import BoundPolicy
from bugsieve.policies.registry import check_spec, make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from bugsieve.testing.cases import MOST_STATES
from bugsieve.testing.tasks import random_tasks

_MOST_ASKED = 60


def check_policy(spec: str, *, tasks: Sequence[Task] | None = None) -> None:
    """AssertionError unless the policy is a function from states to applicable actions.

    - one int32 per state: the id of an applicable action, or NO_ACTION;
    - the same ones when it is asked again, in other batches, in another order.

    Without tasks, small random ones are used; those given must be small enough to be explored.
    """
    check_spec(spec)
    given = random_tasks() if tasks is None else tasks
    objections = [_Examination(spec, task).objection() for task in given]
    if objections and None not in objections:
        raise AssertionError(
            f"policy {spec!r} supports none of the tasks, so nothing was checked: "
            f"{objections[-1]}; give tasks that it is for"
        )


class _Examination:
    """The checks on one task."""

    def __init__(self, spec: str, task: Task) -> None:
        self.spec = spec
        self.task = task
        states, _ = exact_goal_distances(task, max_states=MOST_STATES)
        self.states = states[:: -(-len(states) // _MOST_ASKED)]

    def objection(self) -> str | None:
        """The reason why the policy does not fit the task; None after it has passed all checks."""
        try:
            policy = make_policy(self.spec, self.task)
        except UnsupportedError as error:
            return str(error)
        with policy, make_policy(self.spec, self.task) as other:
            whole = self.asked(policy, self.states)
            self.check_applicable(whole)
            count = len(self.states)
            for one, size in ((policy, count), (policy, 7), (other, 1), (other, 7)):
                backwards = np.arange(count)[::-1]
                parts = [backwards[low : low + size] for low in range(0, count, size)]
                for rows in parts:
                    if not np.array_equal(self.asked(one, self.states[rows]), whole[rows]):
                        self.fail(f"it chooses otherwise when asked in batches of {size}")
        return None

    def asked(self, policy: BoundPolicy, states: StateArray) -> ActionArray:
        """The choices in these states, which have the right form."""
        try:
            chosen = policy.choose(states)
        except PolicyError as error:
            self.fail(f"it gives no answer: {error}")
        if not isinstance(chosen, np.ndarray) or chosen.dtype != np.int32:
            self.fail("choose() must give an array of int32")
        if chosen.shape != (len(states),):
            self.fail(f"{len(states)} states must get as many actions, not {chosen.shape}")
        return chosen

    def check_applicable(self, chosen: ActionArray) -> None:
        """Every choice can be made."""
        rows = np.flatnonzero(chosen != NO_ACTION)
        known = (chosen[rows] >= 0) & (chosen[rows] < self.task.num_operators)
        legal = known.all() and self.task.is_applicable(self.states[rows], chosen[rows]).all()
        if not legal:
            self.fail("it chooses an action that is not applicable")

    def fail(self, sentence: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise AssertionError(f"policy {self.spec!r} on {self.task.name}: {sentence}")
