"""The task without a condition: its size, its limits and the way back."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.grounded import restriction as module
from bugsieve.tasks.grounded.conditions import parse_condition
from bugsieve.tasks.grounded.restriction import Restriction, ways_to_fail
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import astar
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task, at, line_task


def restricted(task: Task, text: str) -> Restriction:
    return Restriction(task, parse_condition(text, task))


def grid(size: int, *, prefix: str = "") -> Task:
    """A walker on a square, `size` places wide, from one corner to the other."""
    moves = [(axis, i, i + step) for axis in (0, 1) for step in (1, -1) for i in range(size)]
    operators = [
        SasOperator(f"{prefix}move-{axis} {a} {b}", (), (SasEffect((), axis, a, b),), 5)
        for axis, a, b in moves
        if 0 <= b < size
    ]
    return as_task(
        SasTask(
            metric=False,
            variables=tuple(
                SasVariable(f"{name}", tuple(f"Atom {prefix}{name}(p{i})" for i in range(size)))
                for name in "xy"
            ),
            mutexes=(),
            initial=(0, 0),
            goal=((0, size - 1), (1, size - 1)),
            operators=tuple(operators),
        )
    )


def test_the_cost_of_a_way_around_is_that_of_its_own_operators() -> None:
    task = grid(4)
    for text, cost in (
        ("(and (x p2) (y p2))", 6),
        ("(x p1)", None),
        ("(and (x p3) (y p3))", None),
    ):
        inside = restricted(task, text)
        start = inside.state(task.initial_state)
        assert start is not None
        assert astar(inside.task, start).cost == cost


def test_the_number_of_operators_grows_with_the_ways_not_with_the_values() -> None:
    task = grid(40)
    assert restricted(task, "(x p5)").task.num_operators <= task.num_operators + 1
    two_ways = restricted(task, "(and (x p5) (y p5))").task.num_operators
    assert task.num_operators < two_ways <= 2 * (task.num_operators + 1)


def test_a_state_in_which_the_condition_holds_is_not_in_the_task() -> None:
    inside = restricted(line_task(4), "(at p1)")
    assert inside.state(at(1)[0]) is None
    start = inside.state(at(2)[0])
    assert start is not None
    found = astar(inside.task, start)
    assert found.plan is not None
    assert inside.plan(found.plan) == (2,)
    assert found.cost == 1, "reaching the goal costs nothing beside the steps"
    behind = inside.state(at(0)[0])
    assert behind is not None
    assert astar(inside.task, behind).status == "unsolvable"


def test_names_beyond_ascii_are_no_obstacle() -> None:
    task = grid(3, prefix="größe-")
    inside = restricted(task, "(größe-x p1)")
    assert "größe-" in inside.task.operator_names[0]
    assert inside.task.name == "random without (größe-x p1)"


@pytest.mark.parametrize("text", ["(or (not (x p0)) (not (y p0)))", "(not (x p0))"])
def test_a_condition_that_all_but_one_place_meet(text: str) -> None:
    inside = restricted(grid(3), text)
    start = inside.state(np.array([0, 0]))
    assert start is not None
    assert astar(inside.task, start).status == "unsolvable"


def test_ways_that_an_operator_decides_are_left_out() -> None:
    task = grid(3)
    ways = ways_to_fail(parse_condition("(and (x p1) (y p1))", task))
    assert ways == [{0: 0b101}, {1: 0b101}]
    names = restricted(task, "(and (x p1) (y p1))").task.operator_names
    counts = {name: names.count(name) for name in names}
    assert counts["(move-0 0 1)"] == 1, "x is p0 already, nothing else is needed"
    assert counts["(move-0 1 2)"] == 1, "only y can still be another"
    assert counts["(finish)"] == 1


def test_conditions_with_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    task = grid(12)
    pairs = " ".join(f"(and (x p{i}) (y p{j}))" for i in range(12) for j in range(12) if i != j)
    monkeypatch.setattr(module, "MAX_CASES", 3)
    with pytest.raises(UnsupportedError, match="can be false in more than 3 ways"):
        restricted(task, f"(or {pairs})")


def test_tasks_that_grow_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OPERATORS", 20)
    with pytest.raises(UnsupportedError, match="would have more than 20 operators"):
        restricted(grid(8), "(and (x p1) (y p1))")
