"""Plans of random tasks, good and bad ones."""

from __future__ import annotations

from collections import deque
from random import Random

from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal, successors


def some_plan(task: SasTask, start: State, seed: int, most_steps: int = 20) -> list[int] | None:
    """A plan that first walks at random; None if it ends where there is no plan."""
    random = Random(seed)
    steps: list[int] = []
    state = start
    for _ in range(random.randint(0, most_steps)):
        choices = successors(task, state)
        if not choices:
            break
        operator, state = random.choice(choices)
        steps.append(operator)
    rest = shortest_plan(task, state)
    return None if rest is None else steps + rest


def shortest_plan(task: SasTask, start: State) -> list[int] | None:
    """A plan of as few steps as possible, whatever they cost."""
    plans: dict[State, list[int]] = {start: []}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if is_goal(task, state):
            return plans[state]
        for operator, after in successors(task, state):
            if after not in plans:
                plans[after] = [*plans[state], operator]
                queue.append(after)
    return None
