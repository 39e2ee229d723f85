"""Small random tasks, each determined by its number."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import Task

Change: TypeAlias = "tuple[int, int, int]"
"""A variable with its values before (-1: any) and after."""


def random_tasks(count: int = 6) -> list[Task]:
    """Tasks of a few dozen states; in every other one, each action can be undone."""
    return [random_task(number) for number in range(count)]


def random_task(number: int) -> Task:
    """The task of a number."""
    random = Random(f"bugsieve.testing {number}")
    sizes = [random.randint(2, 4) for _ in range(3)]
    two_ways = number % 2 == 1
    changes = [_changes(random, sizes, known=two_ways) for _ in range(random.randint(8, 14))]
    if two_ways:
        changes += [[(v, after, before) for v, before, after in one] for one in changes]
    operators = [_operator(random, i, one) for i, one in enumerate(changes)]
    goal = random.sample(range(len(sizes)), 2)
    lines = [
        *("begin_version", "3", "end_version", "begin_metric", "1", "end_metric"),
        *(str(len(sizes)), *(line for v, n in enumerate(sizes) for line in _variable(v, n))),
        *("0", "begin_state", *(str(random.randrange(n)) for n in sizes), "end_state"),
        *("begin_goal", "2", *(f"{v} {random.randrange(sizes[v])}" for v in sorted(goal))),
        *("end_goal", str(len(operators)), *(line for op in operators for line in op), "0"),
    ]
    name = f"random-{number}"
    return Task(native_task(("\n".join(lines) + "\n").encode(), name), name=name)


def _changes(random: Random, sizes: list[int], *, known: bool) -> list[Change]:
    """One or two variables that change."""
    changed = random.sample(range(len(sizes)), random.choice((1, 1, 2)))
    changes = []
    for variable in changed:
        before, after = random.sample(range(sizes[variable]), 2)
        changes.append((variable, before if known or random.random() < 0.8 else -1, after))
    return changes


def _variable(number: int, size: int) -> list[str]:
    atoms = (f"Atom at-{number}(x{value})" for value in range(size))
    return ["begin_variable", f"var{number}", "-1", str(size), *atoms, "end_variable"]


def _operator(random: Random, number: int, changes: list[Change]) -> list[str]:
    effects = [f"0 {variable} {before} {after}" for variable, before, after in changes]
    cost = random.choice((0, 1, 1, 2, 5))
    head = ["begin_operator", f"act a{number}", "0", str(len(effects))]
    return [*head, *effects, str(cost), "end_operator"]
