"""Plans of small tasks by brute force, good and bad ones."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from random import Random

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.naive import State, successor


def cheapest_plan(task: Task, start: State) -> list[int] | None:
    """A cheapest plan of the state, the shortest of such; None if there is none."""
    queue: list[tuple[int, int, State, list[int]]] = [(0, 0, start, [])]
    done = set()
    while queue:
        cost, length, state, plan = heapq.heappop(queue)
        if is_goal(task, state):
            return plan
        if state in done:
            continue
        done.add(state)
        for operator in range(task.num_operators):
            after = successor(task, state, operator)
            if after is not None:
                step = int(task.operator_costs[operator])
                heapq.heappush(queue, (cost + step, length + 1, after, [*plan, operator]))
    return None


def some_plan(task: Task, start: State, random: Random) -> list[int] | None:
    """A plan that begins with up to three steps at random; None if it strays into a dead end."""
    steps: list[int] = []
    state = start
    for _ in range(random.randrange(4)):
        operators = [o for o in range(task.num_operators) if successor(task, state, o)]
        if operators:
            steps.append(random.choice(operators))
            state = run(task, start, steps)
    rest = cheapest_plan(task, state)
    return None if rest is None else [*steps, *rest]


def run(task: Task, start: State, plan: Sequence[int]) -> State:
    """Where a plan leads; AssertionError if a step of it does not apply."""
    state = start
    for operator in plan:
        after = successor(task, state, operator)
        assert after is not None, f"operator {operator} does not apply in {state}"
        state = after
    return state


def cost_of(task: Task, plan: Sequence[int]) -> int:
    """What a plan costs."""
    return sum(int(task.operator_costs[operator]) for operator in plan)


def is_goal(task: Task, state: State) -> bool:
    """Whether the goal holds."""
    return all(state[v] == x for v, x in task.goal)
