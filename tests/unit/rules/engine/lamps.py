"""A small task whose traces are plain to see: two lamps and a key."""

from __future__ import annotations

from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.tasks.grounded.task import Task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task

OFF, ON = 0, 1
SWITCH_ON_A, SWITCH_OFF_A, SWITCH_ON_B, TURN_KEY = range(4)

LAMPS = SasTask(
    metric=False,
    variables=(
        SasVariable("a", ("Atom off(a)", "Atom on(a)")),
        SasVariable("b", ("Atom off(b)", "Atom on(b)")),
        SasVariable("key", ("Atom left()", "Atom middle()", "Atom right()")),
        SasVariable("wall", ("Atom white()", "Atom black()")),
    ),
    mutexes=(),
    initial=(OFF, OFF, 0, 0),
    goal=((1, ON),),
    operators=(
        SasOperator("on a", (), (SasEffect((), 0, OFF, ON),), 1),
        SasOperator("off a", (), (SasEffect((), 0, ON, OFF),), 1),
        # Only while the other one is dark.
        SasOperator("on b", ((0, OFF),), (SasEffect((), 1, OFF, ON),), 1),
        SasOperator(
            "turn", (), (SasEffect(((2, 0),), 2, -1, 1), SasEffect(((2, 1),), 2, -1, 2)), 1
        ),
    ),
)

ATOMS: dict[str, Condition] = {
    "a": ("fact", 0, ON),
    "b": ("fact", 1, ON),
    "left": ("fact", 2, 0),
    "white": ("fact", 3, 0),
    "switched": ("did", (SWITCH_ON_A, SWITCH_OFF_A)),
}


def lamps() -> Task:
    """The task of the lamps."""
    return as_task(LAMPS)


def exclusive_lamps(others: int) -> Task:
    """Two lamps of which one at most burns, and others that do not matter, switched on for good.

    No fact alone excludes that both burn, and there are too many states to look at all of them.
    """
    first, second = 0, 1
    switches = [
        SasOperator("on x", ((second, OFF),), (SasEffect((), first, OFF, ON),), 1),
        SasOperator("off x", (), (SasEffect((), first, ON, OFF),), 1),
        SasOperator("on y", ((first, OFF),), (SasEffect((), second, OFF, ON),), 1),
        SasOperator("off y", (), (SasEffect((), second, ON, OFF),), 1),
    ]
    for lamp in range(2, 2 + others):
        switches.append(SasOperator(f"on {lamp}", (), (SasEffect((), lamp, OFF, ON),), 1))
    return as_task(
        SasTask(
            metric=False,
            variables=tuple(
                SasVariable(f"l{lamp}", (f"Atom off(l{lamp})", f"Atom on(l{lamp})"))
                for lamp in range(2 + others)
            ),
            mutexes=(),
            initial=(OFF,) * (2 + others),
            goal=((first, ON),),
            operators=tuple(switches),
        )
    )
