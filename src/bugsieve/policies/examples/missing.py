"""The simplest value function: how many facts of the goal are missing.

Use it as `--policy greedy:python:bugsieve.policies.examples.missing:value`.
"""

from __future__ import annotations

from bugsieve.policies.task_view import TaskView


def value(facts: frozenset[str], task: TaskView) -> int:
    """The number of goal facts that do not hold; what must be false counts as missing if true."""
    return sum(not _holds(goal, facts) for goal in task.goal)


def _holds(goal: str, facts: frozenset[str]) -> bool:
    return goal in facts if not goal.startswith("(not ") else goal[5:-1] not in facts
