"""Small tasks and benches on which walks can be foretold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task, line_task


class PlacePolicy:
    """Chooses by the value of the first variable."""

    def __init__(self, choice: Callable[[int], int]) -> None:
        self._choice = choice

    def choose(self, states: StateArray) -> ActionArray:
        """One operator per state."""
        return np.array([self._choice(int(state[0])) for state in states], dtype=np.int32)


def bench(task: Task, choice: Callable[[int], int]) -> Bench:
    """A bench whose policy chooses by the value of the first variable."""
    return Bench(task, PlacePolicy(choice), Quantitative(task))


def line_bench(places: int, choice: Callable[[int], int] | None = None) -> Bench:
    """A line of places; the policy goes right unless told otherwise."""
    return bench(line_task(places), choice or (lambda place: place))


def star_task(rays: int) -> Task:
    """From the middle, value 0, `(go I)` leads to value I + 1, from which no way leads on.

    The goal, in the last ray, is within reach of the middle alone.
    """
    goes = [SasOperator(f"go {i}", (), (SasEffect((), 0, 0, i + 1),), 1) for i in range(rays)]
    return as_task(
        SasTask(
            metric=False,
            variables=(SasVariable("var0", tuple(f"Atom at(p{i})" for i in range(rays + 1))),),
            mutexes=(),
            initial=(0,),
            goal=((0, rays),),
            operators=tuple(goes),
        ),
        name="star",
    )


def switches_task(count: int) -> Task:
    """Switches that can be turned on and off one by one; the goal is to have all of them on."""
    turns = [
        SasOperator(f"turn {i} {after}", (), (SasEffect((), i, 1 - after, after),), 1)
        for i in range(count)
        for after in (0, 1)
    ]
    atoms = [SasVariable(f"var{i}", (f"Atom off(s{i})", f"Atom on(s{i})")) for i in range(count)]
    return as_task(
        SasTask(
            metric=False,
            variables=tuple(atoms),
            mutexes=(),
            initial=(0,) * count,
            goal=tuple((i, 1) for i in range(count)),
            operators=tuple(turns),
        ),
        name="switches",
    )
