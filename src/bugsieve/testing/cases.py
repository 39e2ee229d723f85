"""Benches on small tasks whose true values are known from looking at every state."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench, Origin, Suspects
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from bugsieve.testing.tasks import random_tasks

MOST_STATES = 100_000
_MOST_SUSPECTS = 12
_STEP_LIMIT = 200


class WaywardPolicy:
    """An action drawn from a hash of the state; sometimes none, or one that is not applicable."""

    spec = "wayward"

    def __init__(self, task: Task) -> None:
        self.task = task

    def choose(self, states: StateArray) -> ActionArray:
        """One action id per state."""
        operators, offsets = self.task.applicable(states)
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        for row, number in enumerate((self.task.hashes(states) % np.uint64(1009)).tolist()):
            choices = operators[offsets[row] : offsets[row + 1]]
            if number % 20 == 0:
                actions[row] = number % self.task.num_operators
            elif number % 20 > 1 and len(choices):
                actions[row] = choices[number % len(choices)]
        return actions


@dataclass(frozen=True, eq=False)
class Case:
    """A task with a policy and an objective, whose benches are made anew as often as needed."""

    task: Task
    policy: Policy
    objective: str
    avoided: str = ""
    """The fact that an objective `avoid` or `rules` is about."""

    def __str__(self) -> str:
        return f"{self.task.name} under {self.objective} with {policy_name(self.policy)}"

    def bench(self) -> Bench:
        """A bench that knows nothing yet."""
        objective = make_objective(self.objective, self.task)
        return Bench(self.task, self.policy, objective, step_limit=_STEP_LIMIT)

    def suspects(self, bench: Bench, rows: Sequence[int] | None = None) -> Suspects:
        """Some of the suspects on a bench of this case, in the given order."""
        chosen = [self.rows[row] for row in (range(len(self.rows)) if rows is None else rows)]
        start = self.task.initial_state
        ways = [self._ways[row] for row in chosen]
        return bench.suspects(self.states[chosen], [Origin(start, way, way) for way in ways])

    @cached_property
    def _explored(self) -> tuple[StateArray, NDArray[np.int64]]:
        return exact_goal_distances(self.task, max_states=MOST_STATES)

    @property
    def states(self) -> StateArray:
        """All reachable states."""
        return self._explored[0]

    @cached_property
    def rows(self) -> list[int]:
        """The states that are suspects."""
        count = len(self.states)
        return Random(str(self)).sample(range(count), min(_MOST_SUSPECTS, count))

    @cached_property
    def optima(self) -> list[float]:
        """The best value of any run from each suspect."""
        if self.avoided:
            return [float(row in self._avoiders) for row in self.rows]
        distances = [int(self._explored[1][row]) for row in self.rows]
        if self.objective == "qualitative":
            return [float(distance != DEAD_END) for distance in distances]
        return [math.inf if distance == DEAD_END else float(distance) for distance in distances]

    @cached_property
    def _steps(self) -> list[list[tuple[int, int]]]:
        """The operators applicable in each state, and the rows of the states they lead to."""
        after, operators, offsets = self.task.all_successors(self.states)
        place = {state.tobytes(): row for row, state in enumerate(self.states)}
        steps = [(int(op), place[s.tobytes()]) for op, s in zip(operators, after, strict=True)]
        return [steps[low:high] for low, high in pairwise(offsets.tolist())]

    @cached_property
    def _ways(self) -> dict[int, tuple[int, ...]]:
        """A way from the initial state to each state."""
        first = int((self.states == self.task.initial_state).all(axis=1).argmax())
        ways: dict[int, tuple[int, ...]] = {first: ()}
        waiting = [first]
        for row in waiting:
            for operator, other in self._steps[row]:
                if other not in ways:
                    ways[other] = (*ways[row], operator)
                    waiting.append(other)
        return ways

    @cached_property
    def _avoiders(self) -> set[int]:
        """The states from which some way leads to the goal without ever meeting the fact."""
        allowed = [self.avoided not in self.task.facts(state) for state in self.states]
        goals = self.task.is_goal(self.states).nonzero()[0].tolist()
        good = {row for row in goals if allowed[row]}
        size = -1
        while size < len(good):
            size = len(good)
            for row, steps in enumerate(self._steps):
                if allowed[row] and any(other in good for _, other in steps):
                    good.add(row)
        return good


def cases(tasks: Sequence[Task] | None = None) -> Iterator[Case]:
    """Each task under each objective; the policy varies. Without tasks, random ones."""
    for number, task in enumerate(random_tasks() if tasks is None else tasks):
        policies: tuple[Policy, ...] = (
            WaywardPolicy(task),
            make_policy("random", task, seed=number),
            make_policy("greedy:hff", task),
        )
        fact = _fact_to_avoid(task)
        objectives = [("quantitative", ""), ("qualitative", "")]
        objectives += [(f"avoid:{fact}", fact), (_rule_against(fact), fact)] if fact else []
        for place, (objective, avoided) in enumerate(objectives):
            yield Case(task, policies[(number + place) % len(policies)], objective, avoided)


def _rule_against(fact: str) -> str:
    """A rule that says the same as avoiding the fact."""
    rules = {"atoms": {"met": fact}, "rules": [["R", "forbidden", "F met"]]}
    return f"rules:{json.dumps(rules, separators=(',', ':'))}"


def _fact_to_avoid(task: Task) -> str:
    """A fact that is neither true yet nor a goal; empty if none comes true."""
    states, _ = exact_goal_distances(task, max_states=MOST_STATES)
    excluded = task.facts(task.initial_state).union(task.goal_facts)
    return min((fact for state in states for fact in task.facts(state) - excluded), default="")
