"""Every known way to get dominance functions wrong is seen on a smallest task."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import pytest

from bugsieve.tasks.fdr.task import Task
from tests.unit.dominance.merging import atomic_blocks
from tests.unit.dominance.mistakes import Mistake
from tests.unit.dominance.naive import NaiveDominance, h_star
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
    ),
    Case(Mistake.ONE_STATE_FACTOR_DROPPED, ("a=1,b=0", "-> b=0"), "10", "00", 0, (0, inf)),
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


def _value(task: Task, case: Case, mistake: Mistake | None) -> float:
    """The smallest tasks have no initial state: nothing is pruned for being out of reach."""
    found = NaiveDominance(task, atomic_blocks(task), keep_unreachable=True, mistake=mistake)
    return found.value(tuple(map(int, case.source)), tuple(map(int, case.target)))


def test_every_mistake_has_a_case() -> None:
    assert [case.mistake for case in CASES] == list(Mistake)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mistake.name)
def test_mistake_is_seen(case: Case) -> None:
    task = small_task(*case.task)
    h = h_star(task)
    of_source, of_target = (h[tuple(map(int, state))] for state in (case.source, case.target))
    assert (of_source, of_target) == case.distances
    assert _value(task, case, case.mistake) == case.wrong > of_source - of_target
    assert _value(task, case, None) <= of_source - of_target
