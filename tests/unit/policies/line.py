"""A task so simple that every run can be foretold: a walker on a line of places p0, p1, …"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, render


def as_task(task: SasTask, *, name: str = "random") -> Task:
    """The package's task for a reference task."""
    return Task(native_task(render(task).encode(), name), name=name)


def line_task(
    places: int, *, right_costs: Sequence[int] | None = None, left_cost: int = 1
) -> Task:
    """The walker starts at p0 and wants to reach the last place.

    `(right pI)` leads from place I to the next one, `(left pI)` to the one before; the ids of the
    steps to the right come first. Each step costs 1 unless the arguments say otherwise.
    """
    costs = list(right_costs or [1] * (places - 1))
    rights = [_step("right", i, i + 1, cost) for i, cost in enumerate(costs)]
    lefts = [_step("left", i, i - 1, left_cost) for i in range(1, places)]
    atoms = tuple(f"Atom at(p{i})" for i in range(places))
    return as_task(
        SasTask(
            metric=True,
            variables=(SasVariable("var0", atoms),),
            mutexes=(),
            initial=(0,),
            goal=((0, places - 1),),
            operators=(*rights, *lefts),
        ),
        name="line",
    )


def at(*places: int) -> StateArray:
    """One state for each place."""
    return np.array(places, dtype=np.uint16)[:, np.newaxis]


def _step(name: str, here: int, there: int, cost: int) -> SasOperator:
    return SasOperator(f"{name} p{here}", (), (SasEffect((), 0, here, there),), cost)
