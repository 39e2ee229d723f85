"""Small tasks, and policies given by tables, for tests of oracles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bugsieve import _native
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, render

Road = tuple[int, int, int]
"""From a place to another, at a cost."""


def road_map(roads: tuple[Road, ...], *, places: int, goal: int, metric: bool = True) -> Task:
    """One variable, the place; operator i goes along road i and is called (go-i)."""
    return Task(
        _native.Task.from_sas(render(_sas(roads, places, goal, metric)).encode()), name="map"
    )


def _sas(roads: tuple[Road, ...], places: int, goal: int, metric: bool) -> SasTask:
    facts = tuple(f"Atom at(p{place})" for place in range(places))
    return SasTask(
        metric=metric,
        variables=(SasVariable("place", facts),),
        mutexes=(),
        initial=(0,),
        goal=((0, goal),),
        operators=tuple(
            SasOperator(f"go-{i}", (), (SasEffect((), 0, start, end),), cost)
            for i, (start, end, cost) in enumerate(roads)
        ),
    )


class RoadPolicy:
    """Takes a given road at each place, none where none is given."""

    def __init__(self, choices: Mapping[int, int]) -> None:
        self.choices = dict(choices)

    def choose(self, states: StateArray) -> ActionArray:
        """The roads from these places."""
        return np.array([self.choices.get(int(s[0]), NO_ACTION) for s in states], dtype=np.int32)


def road_bench(
    task: Task,
    choices: Mapping[int, int],
    objective: str = "quantitative",
    *,
    step_limit: int = 1000,
) -> Bench:
    """The policy that takes these roads."""
    policy = RoadPolicy(choices)
    return Bench(task, policy, make_objective(objective, task), step_limit=step_limit)


def places(*numbers: int) -> StateArray:
    """States of a road map."""
    return np.array(numbers, dtype=np.uint16)[:, np.newaxis]
