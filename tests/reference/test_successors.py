"""The reference semantics on examples worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.reference.strips import Strips, strips_task
from tests.reference.successors import (
    applicable,
    is_goal,
    simulate,
    successor,
    successors,
)


def task_with_effects(*effects: SasEffect) -> SasTask:
    task = strips_task("a b c", (), "c")
    return replace(task, operators=(SasOperator("o", (), effects, 1),))


def test_an_operator_needs_all_its_preconditions() -> None:
    task = strips_task("a b", (Strips(1, needs="a b"), Strips(1), Strips(1, needs="b")), "b")
    assert applicable(task, (1, 1)) == [0, 1, 2]
    assert applicable(task, (0, 1)) == [1, 2]
    assert applicable(task, (1, 0)) == [1]


def test_effect_conditions_look_at_the_state_before() -> None:
    task = strips_task("a b c", (Strips(1, adds="a", when=(("a", "b"), ("b", "c"))),), "c")
    assert successor(task, (0, 0, 0), 0) == (1, 0, 0)
    assert successor(task, (1, 0, 0), 0) == (1, 1, 0)
    assert successor(task, (0, 1, 0), 0) == (1, 1, 1)


def test_the_last_of_contradicting_effects_wins() -> None:
    true, false = SasEffect((), 0, -1, 1), SasEffect((), 0, -1, 0)
    assert successor(task_with_effects(true, false), (0, 0, 0), 0) == (0, 0, 0)
    assert successor(task_with_effects(false, true), (0, 0, 0), 0) == (1, 0, 0)


def test_a_last_effect_that_does_not_fire_wins_nothing() -> None:
    always = SasEffect((), 0, -1, 1)
    sometimes = SasEffect(((1, 1),), 0, -1, 0)
    task = task_with_effects(always, sometimes)
    assert successor(task, (0, 0, 0), 0) == (1, 0, 0)
    assert successor(task, (0, 1, 0), 0) == (0, 1, 0)


def test_the_before_value_of_a_conditional_effect_blocks_the_operator() -> None:
    task = task_with_effects(SasEffect(((1, 1),), 0, 0, 1))
    assert applicable(task, (0, 0, 0)) == [0]
    assert applicable(task, (1, 0, 0)) == []
    with pytest.raises(ValueError, match="not applicable"):
        successor(task, (1, 0, 0), 0)


def test_successors_come_with_ascending_operators() -> None:
    task = strips_task(
        "a b", (Strips(1, adds="b"), Strips(1, needs="b"), Strips(1, adds="a")), "b"
    )
    assert successors(task, (0, 0)) == [(0, (0, 1)), (2, (1, 0))]


def test_a_goal_state_satisfies_all_goal_facts_and_may_differ_elsewhere() -> None:
    task = strips_task("a b c", (), "a c")
    assert is_goal(task, (1, 0, 1))
    assert is_goal(task, (1, 1, 1))
    assert not is_goal(task, (1, 1, 0))


def test_simulation_adds_up_costs_and_stops_at_a_wrong_step() -> None:
    task = strips_task("a b", (Strips(2, adds="a"), Strips(5, needs="a", adds="b")), "b")
    assert simulate(task, (0, 0), [0, 0, 1]) == ((1, 1), 9)
    assert simulate(task, (0, 0), []) == ((0, 0), 0)
    with pytest.raises(ValueError, match="operator 1"):
        simulate(task, (0, 0), [1])
