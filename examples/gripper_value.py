"""A value function for gripper, the lower the better, with a mistake in it.

It gains more by driving off with one ball than by taking a second one along:

    bugsieve test DOMAIN PROBLEM --policy greedy:python:examples/gripper_value.py:value
"""

from __future__ import annotations

from bugsieve.policies.task_view import TaskView


def value(facts: frozenset[str], task: TaskView) -> int:
    """How many actions are left, more or less."""
    atoms = [fact.strip("()").split() for fact in facts]
    targets = {ball: room for _, ball, room in _goal(task)}
    here = next(atom[1] for atom in atoms if atom[0] == "at-robby")
    left = 0
    for name, *words in atoms:
        if name == "at" and targets.get(words[0], words[1]) != words[1]:
            left += 4
        if name == "carry" and words[0] in targets:
            left += 1 + 2 * (targets[words[0]] != here)
    return left


def _goal(task: TaskView) -> list[list[str]]:
    return [fact.strip("()").split() for fact in task.goal if fact.startswith("(at ")]
