"""What a policy is worth and what could be achieved, by looking at every state; for small tasks.

A policy is a table of one action per state. Whatever is no applicable operator stops its run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tests.reference.sas import SasTask, State
from tests.reference.search import goal_distances, reachable
from tests.reference.successors import is_goal

Condition = Callable[[State], bool]


def no_condition(state: State) -> bool:
    """Never holds."""
    return False


@dataclass(frozen=True)
class Truth:
    """Values of all states that can be reached from the starts, for one objective."""

    task: SasTask
    starts: tuple[State, ...]
    objective: str
    """The first word of its spec: quantitative, qualitative or avoid."""
    condition: Condition = no_condition

    @cached_property
    def graph(self) -> dict[State, dict[int, State]]:
        """The successors of each state, by operator."""
        return {s: dict(edges) for s, edges in reachable(self.task, *self.starts).items()}

    @cached_property
    def distances(self) -> dict[State, int | None]:
        """h* of each state."""
        return goal_distances(self.task, *self.starts)

    @cached_property
    def optimum(self) -> dict[State, float]:
        """The best value that a run from each state can have."""
        if self.objective == "avoid":
            return {state: float(state in self._avoiders) for state in self.graph}
        if self.objective == "qualitative":
            return {s: float(distance is not None) for s, distance in self.distances.items()}
        return {s: math.inf if d is None else float(d) for s, d in self.distances.items()}

    @cached_property
    def _avoiders(self) -> set[State]:
        """States from which some way leads to the goal without meeting the condition."""
        before: dict[State, list[State]] = {state: [] for state in self.graph}
        for state, edges in self.graph.items():
            for after in edges.values():
                before[after].append(state)
        good: set[State] = set()
        queue = [state for state in self.graph if is_goal(self.task, state)]
        while queue:
            state = queue.pop()
            if state not in good and not self.condition(state):
                good.add(state)
                queue.extend(before[state])
        return good

    def run(self, table: Mapping[State, int], state: State) -> tuple[list[State], int, bool]:
        """The states of the policy's run, its cost, and whether it reaches the goal."""
        path, cost = [state], 0
        while not is_goal(self.task, path[-1]):
            operator = table[path[-1]]
            if operator not in self.graph[path[-1]]:
                return path, cost, False
            cost += self.task.cost(operator)
            path.append(self.graph[path[-1]][operator])
            if path[-1] in path[:-1]:
                return path, cost, False
        return path, cost, True

    def policy_value(self, table: Mapping[State, int], state: State) -> float:
        """What the policy's run from the state is worth, however long it takes."""
        path, cost, solved = self.run(table, state)
        if self.objective == "avoid":
            return float(not any(map(self.condition, path)))
        if self.objective == "qualitative":
            return float(solved)
        return float(cost) if solved else math.inf

    def plan_value(self, state: State, plan: tuple[int, ...]) -> float:
        """What following the plan is worth; KeyError or ValueError if it is none."""
        path, cost = [state], 0
        for operator in plan:
            cost += self.task.cost(operator)
            path.append(self.graph[path[-1]][operator])
        if not is_goal(self.task, path[-1]):
            raise ValueError("the plan does not reach the goal")
        if self.objective == "quantitative":
            return float(cost)
        return float(not any(map(self.condition, path)))

    def gap(self, one: float, other: float) -> float:
        """How much better `other` is than `one`; below 0 where it is worse."""
        if one == other:
            return 0.0
        return one - other if self.objective == "quantitative" else other - one
