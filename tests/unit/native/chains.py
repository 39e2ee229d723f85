"""Hand-made tasks whose answers can be told by looking at them."""

from __future__ import annotations

from bugsieve import _native
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, render


def variables(*sizes: int) -> tuple[SasVariable, ...]:
    """Variables of the given sizes with made-up atoms."""
    return tuple(
        SasVariable(f"var{v}", tuple(f"Atom p{v}({k})" for k in range(size)))
        for v, size in enumerate(sizes)
    )


def step(variable: int, before: int, after: int, *, cost: int = 1, name: str = "") -> SasOperator:
    """An operator that moves one variable."""
    effect = SasEffect((), variable, before, after)
    return SasOperator(name or f"step {variable} {before} {after}", (), (effect,), cost)


def chain(length: int, *, cost: int = 1, extra: int = 0) -> SasTask:
    """One variable that must climb from 0 to `length`, beside `extra` switches nobody needs."""
    climbs = tuple(step(0, k, k + 1, cost=cost) for k in range(length))
    flips = tuple(step(v, 0, 1, name=f"flip {v}") for v in range(1, extra + 1))
    sizes = (length + 1, *([2] * extra))
    start = (0,) * len(sizes)
    return SasTask(True, variables(*sizes), (), start, ((0, length),), flips + climbs)


def switches(count: int) -> SasTask:
    """`count` switches that must all be on: 2 ** count states, each with a plan."""
    flips = tuple(
        step(v, before, 1 - before, name=f"flip {v} {before}")
        for v in range(count)
        for before in (0, 1)
    )
    goal = tuple((v, 1) for v in range(count))
    return SasTask(False, variables(*([2] * count)), (), (0,) * count, goal, flips)


def native(task: SasTask) -> _native.Task:
    """The engine's view of a task."""
    return _native.Task.from_sas(render(task).encode())
