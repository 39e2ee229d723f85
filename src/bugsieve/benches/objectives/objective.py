"""What a policy is tested for: a value for every run, and which of two values is better.

An objective is a value function V to minimise or to maximise. A state is a bug of the policy when
some other run from it has a better value than the policy's own; the distance between the two is
the gap. Adding an objective means adding one file beside this one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.decisions import Ending
from bugsieve.policies.graph import PolicyGraph, RunTable
from bugsieve.tasks.fdr.task import StateArray, Task

Values = NDArray[np.float64]
"""One value per state; NaN where the run does not determine it."""

FAILURES = (Ending.LOOP, Ending.NO_ACTION, Ending.ILLEGAL_ACTION, Ending.POLICY_CRASH)
"""Endings that show for certain that the run never reaches the goal.

A step limit says nothing, and a hang may come from the machine: neither ever makes a bug.
Nor does a crash of a policy that never got ready or that our memory limit stopped.
"""


def certain_failures(graph: PolicyGraph, runs: RunTable) -> NDArray[np.bool_]:
    """Which runs never reach the goal, for certain and by the policy's own doing."""
    failed: NDArray[np.bool_] = np.isin(runs.endings, FAILURES) & ~graph.excused(runs)
    return failed


class Alternatives:
    """The plans that an objective accepts as better runs, as the plans of a task to search in."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def start(self, state: StateArray) -> StateArray | None:
        """The state to search from; None when no run from `state` can be accepted."""
        return state

    def plan(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """A plan of the searched task as operators of the tested task."""
        return found


class Objective(ABC):
    """A testing objective, bound to one task."""

    spec: str
    minimise: bool
    worst: float
    """The value of a run that achieves nothing."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @property
    def best(self) -> float:
        """A value that no run beats."""
        return 0.0 if self.minimise else 1.0

    def better(self, one: float, other: float) -> bool:
        """Whether `one` is strictly better than `other`."""
        return one < other if self.minimise else one > other

    def gap(self, one: float, other: float) -> float:
        """The distance of two values; equal infinities have none."""
        return 0.0 if one == other else abs(one - other)

    def is_bug(self, policy_value: float, other_value: float) -> bool:
        """Whether a run of `other_value` shows that the policy could have done better."""
        return not math.isnan(policy_value) and self.better(other_value, policy_value)

    @abstractmethod
    def policy_values(self, graph: PolicyGraph, runs: RunTable) -> Values:
        """The value of each run of the policy."""

    @abstractmethod
    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """The value of a run that follows a plan from the state to the goal."""

    @abstractmethod
    def kind(self, policy_value: float) -> str:
        """What a bug is called in which the policy's run has this value."""

    def settled_at(self, states: StateArray) -> int | None:
        """The state of a run that settles its value for good; None if only its end does."""
        return None

    def cost_bound(self, policy_value: float) -> int | None:
        """Plans this dear or dearer cannot be better; None when the cost does not matter."""
        return None

    def alternatives(self) -> Alternatives:
        """Where to search for better runs."""
        return Alternatives(self.task)


def path_states(task: Task, state: StateArray, plan: tuple[int, ...]) -> StateArray:
    """The states along a plan, one more than it has operators."""
    path = np.empty((len(plan) + 1, task.num_variables), dtype=np.uint16)
    path[0] = state
    for step, operator in enumerate(plan):
        action = np.array([operator], dtype=np.int32)
        path[step + 1] = task.successors(path[step : step + 1], action)[0]
    return path


def plan_cost(task: Task, plan: tuple[int, ...]) -> int:
    """What the operators of a plan cost together."""
    return int(task.operator_costs[list(plan)].sum(dtype=np.int64)) if plan else 0
