"""The slow, obviously right way to run a policy: one state at a time, no cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bugsieve.policies.asking import decide
from bugsieve.policies.decisions import Ending
from bugsieve.policies.policy import Policy
from bugsieve.policies.runs import Run
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task


@dataclass(frozen=True)
class Outcome:
    """What a run is compared by."""

    ending: Ending
    actions: tuple[int, ...]
    cost: int
    loop_start: int | None = None


def outcome(run: Run) -> Outcome:
    """The comparable part of a run."""
    return Outcome(run.ending, run.actions, run.cost, run.loop_start)


def simulate(task: Task, policy: Policy, start: StateArray, *, step_limit: int) -> Outcome:
    """Follow the policy from one state until the run ends."""
    state = start
    actions: list[int] = []
    visited: dict[bytes, int] = {}

    def over(ending: Ending, loop_start: int | None = None) -> Outcome:
        cost = sum(int(task.operator_costs[action]) for action in actions)
        return Outcome(ending, tuple(actions), cost, loop_start)

    while True:
        if task.is_goal(state)[0]:
            return over(Ending.SOLVED)
        if state.tobytes() in visited:
            return over(Ending.LOOP, visited[state.tobytes()])
        if len(actions) == step_limit:
            return over(Ending.STEP_LIMIT)
        visited[state.tobytes()] = len(actions)
        decisions = decide(policy, state[np.newaxis])
        if decisions.failures:
            return over(decisions.failures[0].ending)
        action = int(decisions.actions[0])
        if action == NO_ACTION:
            return over(Ending.NO_ACTION)
        if not task.is_applicable(state, [action])[0]:
            return over(Ending.ILLEGAL_ACTION)
        actions.append(action)
        state = task.successors(state, [action])[0]
