"""Random tasks with policies that mostly know the way, for the engine and for the reference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.tasks.grounded.task import ActionArray, StateArray
from tests.property.engine import rows
from tests.property.strategies import Shape, seeded_task
from tests.reference.sas import SasTask, State
from tests.reference.search import goal_distances
from tests.reference.successors import successors
from tests.unit.policies.line import as_task

WALKABLE = Shape(max_variables=5, max_size=3, min_operators=10, max_operators=24)
"""Tasks with some dozen states, so that walks meet each other and the pool fills up."""


class NoisyPolicy:
    """Takes a shortest way to the goal, except where a number drawn from the state says not to."""

    def __init__(self, task: SasTask, seed: int) -> None:
        self.task = task
        self.seed = seed
        self._noise = Random(seed).choice((0, 2, 5))
        self._distances: dict[State, int | None] = {}

    def action(self, state: State) -> int:
        """The choice in one state."""
        if state not in self._distances:
            self._distances.update(goal_distances(self.task, state))
        random = Random(f"{self.seed} {state}")
        ways = successors(self.task, state)
        if random.randrange(10) < self._noise or self._distances[state] is None:
            return random.choice(
                [-1, len(self.task.operators), *(op for op, _ in ways for _ in (0, 1))]
            )
        near = [(self._left(op, after), op) for op, after in ways]
        return min(near)[1] if near else -1

    def _left(self, operator: int, after: State) -> float:
        left = self._distances[after]
        return float("inf") if left is None else self.task.cost(operator) + left

    def choose(self, states: StateArray) -> ActionArray:
        """The choices in a batch of states."""
        return np.array([self.action(state) for state in rows(states)], dtype=np.int32)


@dataclass(frozen=True)
class Case:
    """A task and a policy, in the form of the reference and of the engine."""

    task: SasTask
    policy: NoisyPolicy
    step_limit: int

    def bench(self) -> Bench:
        """A new bench, whose policy graph is empty."""
        task = as_task(self.task)
        return Bench(task, self.policy, Quantitative(task), step_limit=self.step_limit)


def case(seed: int, shape: Shape = WALKABLE) -> Case:
    """The case that a seed stands for; nine in ten begin with room to walk and a way to the goal.

    The others are what comes: dead ends, nothing to do, the goal reached from the start.
    """
    random = Random(seed)
    tasks = (seeded_task(number, shape) for number in count(seed))
    task = next(tasks) if random.random() < 0.1 else next(filter(_has_room, tasks))
    return Case(task, NoisyPolicy(task, seed), random.choice((3, 40, 40)))


def _has_room(task: SasTask) -> bool:
    distances = goal_distances(task, task.initial)
    return len(distances) >= 12 and distances[task.initial] is not None
