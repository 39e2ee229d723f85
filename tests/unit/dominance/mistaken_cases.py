"""Smallest tasks and pairs of states on which each mistake shows."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import NamedTuple

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.mistakes import Mistake
from tests.unit.dominance.small_tasks import small_task

NEEDS_SWITCH = ("b=1", "a=1 -> b=1")
NEEDS_KEY = ("a=2", "b=0 -> a=2,b=1", "-> b=0")


class Case(NamedTuple):
    """A task, a pair of states, what D is wrongly, and h* of both."""

    mistake: Mistake
    task: tuple[str, ...]
    source: str
    target: str
    wrong: float
    distances: tuple[float, float]
    start: str = "***"
    """What the initial state of `reachable_task` fixes; another value of it is never reached."""


CASES = [
    Case(Mistake.NO_GOAL_RULE, NEEDS_SWITCH, "01", "00", -1, (0, inf)),
    Case(Mistake.TAU_WITH_PRECONDITION, NEEDS_SWITCH, "10", "00", 0, (1, inf)),
    Case(Mistake.NOOP_WITHOUT_OTHERS, NEEDS_SWITCH, "10", "00", 0, (1, inf)),
    Case(Mistake.SKIPPED_INAPPLICABLE, (*NEEDS_SWITCH, "b=1 -> b=1"), "10", "00", 0, (1, inf)),
    Case(Mistake.FREE_TAU, NEEDS_KEY, "00", "01", 0, (1, 2)),
    Case(Mistake.FREE_ABSORPTION, NEEDS_KEY, "00", "01", 0, (1, 2)),
    Case(Mistake.NO_WAY_BACK, ("a=2,b=1", "a=0 -> a=2", "-> a=0,b=1"), "00", "20", 1, (2, 2)),
    Case(
        Mistake.FORGOTTEN_COSTS,
        ("b=1", "a=1,b=0 -> b=1", "b=0 -> b=1 (2)"),
        "10",
        "00",
        0,
        (1, 2),
    ),
    Case(
        Mistake.CHEAPEST_OF_GROUP,
        ("a=0,b=0", "-> a=2", "a=2 -> a=0,b=0 (3)", "-> b=0 (2)"),
        "11",
        "10",
        1,
        (4, 4),
    ),
    Case(
        Mistake.DEAD_LABEL_IRRELEVANT,
        ("b=1,c=0", "b=0 -> c=0", "a=0 -> c=0"),
        "011",
        "111",
        0,
        (1, inf),
        "*1*",
    ),
    Case(Mistake.ONE_STATE_FACTOR_DROPPED, ("a=1,b=0", "-> b=0"), "10", "00", 0, (0, inf), "1*"),
    Case(Mistake.STOPPED_EARLY, ("b=2", "b=1 -> b=2", "a=0 -> b=1"), "00", "10", 0, (2, inf)),
    Case(
        Mistake.ONE_FACTOR_LOWERED,
        ("a=0", "b=0 -> c=0,b=1", "c=0 -> a=0"),
        "101",
        "111",
        0,
        (2, inf),
    ),
    Case(Mistake.FREE_CHOICE, ("b=1", "-> b=1 if a=1"), "10", "00", 0, (1, inf)),
]


def reachable_task(case: Case) -> Task:
    """The task with one variable more, whose value 0 says that the start may be chosen.

    So pruning what is out of reach leaves of every factor what the mistake needs.
    """
    sizes = small_task(*case.task).domain_sizes
    last, fixed = "abcd"[len(sizes)], case.start[: len(sizes)]
    choices = [range(int(size)) if x == "*" else [] for size, x in zip(sizes, fixed, strict=True)]
    facts = [[f"{'abcd'[v]}={x}" for x in values] for v, values in enumerate(choices) if values]
    chosen = [f"{last}=0 -> {last}=1,{','.join(values)}" for values in product(*facts)]
    return small_task(*case.task, *chosen, initial=fixed.replace("*", "0") + "0")
