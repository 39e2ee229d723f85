"""Distances between states equal h^FF of the task whose goal is the state to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given, settings

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import batch, native_task, split
from tests.property.strategies import (
    ANY,
    HUGE_COSTS,
    POSITIVE_COSTS,
    sas_tasks,
    seeds,
    some_states,
    wide_tasks,
)
from tests.reference.distances import distance, towards
from tests.reference.sas import SasTask, State


def distances(
    task: SasTask, sources: Sequence[State], targets: Sequence[Sequence[State]]
) -> list[list[int]]:
    """What the engine says about the targets of each source."""
    flat = [state for some in targets for state in some]
    offsets = np.cumsum([0, *map(len, targets)], dtype=np.int64)
    paths = _native.PathDistances(native_task(task))
    return split(paths.hff(batch(task, sources), batch(task, flat), offsets), offsets)


def some_targets(states: list[State], seed: int, sources: int, most: int) -> list[list[State]]:
    """Up to `most` targets for each source, and none for some of them."""
    random = Random(seed)
    return [random.choices(states, k=random.randint(0, most)) for _ in range(sources)]


def check_twin(task: SasTask, seed: int, count: int) -> None:
    """The engine, asked about 1, 3 and all sources, agrees with the twin."""
    states = some_states(task, seed, count)
    targets = some_targets(states, seed, count, 6)
    expected = [
        [distance(task, source, target) for target in some]
        for source, some in zip(states, targets, strict=True)
    ]
    for size in (1, 3, count):
        assert distances(task, states[:size], targets[:size]) == expected[:size]


@given(sas_tasks(), seeds())
@settings(max_examples=examples(150))
def test_distances_equal_the_twin(task: SasTask, seed: int) -> None:
    check_twin(task, seed, 12)


@given(sas_tasks(replace(ANY, costs=POSITIVE_COSTS)), seeds())
@settings(max_examples=examples(80))
def test_the_same_when_no_operator_is_free(task: SasTask, seed: int) -> None:
    check_twin(task, seed, 12)


@given(wide_tasks(), seeds())
@settings(max_examples=15)
def test_the_same_in_wide_tasks(task: SasTask, seed: int) -> None:
    check_twin(task, seed, 6)


def check_heuristic(task: SasTask, seed: int) -> None:
    """The engine's own h^FF of the tasks with other goals says the same."""
    states = some_states(task, seed, 40)
    goals = Random(seed).sample(states, 5)
    found = distances(task, states, [goals] * len(states))
    for column, goal in enumerate(goals):
        heuristic = _native.Heuristic(native_task(towards(task, goal)), "hff")
        values = heuristic.evaluate(batch(task, states)).tolist()
        assert [row[column] for row in found] == values


@given(sas_tasks(), seeds())
@settings(max_examples=examples(150))
def test_distances_equal_the_heuristic_towards_another_goal(task: SasTask, seed: int) -> None:
    check_heuristic(task, seed)


@given(wide_tasks(), seeds())
@settings(max_examples=examples(40))
def test_the_same_as_the_heuristic_in_wide_tasks(task: SasTask, seed: int) -> None:
    check_heuristic(task, seed)


@given(sas_tasks(replace(ANY, costs=HUGE_COSTS)), seeds())
@settings(max_examples=examples(80))
def test_the_same_as_the_heuristic_where_costs_are_huge(task: SasTask, seed: int) -> None:
    check_heuristic(task, seed)
