"""Reference h^max, h^add and h^FF against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace

from tests.reference.relaxation import (
    CAP,
    DEAD_END,
    RelaxedPlan,
    best_supporters,
    blind,
    hadd,
    hff,
    hmax,
    supporter_weights,
)
from tests.reference.strips import Strips, strips_task


def test_two_independent_preconditions() -> None:
    # a costs 2, b costs 3, g needs both and costs 1.
    actions = (Strips(2, adds="a"), Strips(3, adds="b"), Strips(1, needs="a b", adds="g"))
    task = strips_task("a b g", actions, "g")
    assert hmax(task, task.initial) == 3 + 1
    assert hadd(task, task.initial) == 2 + 3 + 1
    assert hff(task, task.initial) == RelaxedPlan(6, (0, 1, 2), (0, 1))


def test_a_shared_precondition_counts_twice_for_hadd_and_once_for_hff() -> None:
    actions = (
        Strips(5, adds="c"),
        Strips(1, needs="c", adds="a"),
        Strips(1, needs="c", adds="b"),
        Strips(1, needs="a b", adds="g"),
    )
    task = strips_task("a b c g", actions, "g")
    assert hmax(task, task.initial) == 5 + 1 + 1
    assert hadd(task, task.initial) == 6 + 6 + 1
    assert hff(task, task.initial) == RelaxedPlan(8, (0, 1, 2, 3), (0,))


def test_several_goal_facts() -> None:
    task = strips_task("a b c", (Strips(2, adds="a"), Strips(3, adds="b")), "a b c", initial="c")
    assert hmax(task, task.initial) == 3
    assert hadd(task, task.initial) == 5
    assert hff(task, task.initial).value == 5


def test_goal_states_are_free() -> None:
    task = strips_task("a", (Strips(4, adds="a"),), "a", initial="a")
    assert hmax(task, task.initial) == hadd(task, task.initial) == 0
    assert hff(task, task.initial) == RelaxedPlan(0, (), ())


def test_an_unreachable_goal_fact_is_a_dead_end() -> None:
    task = strips_task("a b", (Strips(1, adds="a"), Strips(1, needs="b", adds="b")), "a b")
    assert hmax(task, task.initial) == hadd(task, task.initial) == DEAD_END
    assert hff(task, task.initial) == RelaxedPlan(DEAD_END, (), ())


def test_conditional_effects_count_the_operator_once_each_time_in_hmax_but_once_in_hff() -> None:
    # The operator must be applied three times: a, then b by a, then g by b.
    task = strips_task("a b g", (Strips(4, adds="a", when=(("a", "b"), ("b", "g"))),), "g")
    assert hmax(task, task.initial) == 12
    assert hadd(task, task.initial) == 12
    assert hff(task, task.initial) == RelaxedPlan(4, (0,), (0,))


def test_a_fact_that_is_precondition_and_condition_counts_once() -> None:
    task = strips_task("a g", (Strips(3, adds="a"), Strips(1, needs="a", when=(("a", "g"),))), "g")
    assert hadd(task, task.initial) == 4


def test_unit_costs_without_a_metric() -> None:
    actions = (Strips(0, adds="a"), Strips(9, needs="a", adds="g"))
    task = strips_task("a g", actions, "g", metric=False)
    assert (
        hmax(task, task.initial) == hadd(task, task.initial) == hff(task, task.initial).value == 2
    )


def test_supporters_take_the_lowest_operator_among_equals() -> None:
    actions = (Strips(3, adds="a"), Strips(2, adds="a"), Strips(2, adds="a"))
    task = strips_task("a", actions, "a")
    assert best_supporters(task, task.initial)[0, 1].operator == 1
    assert hff(task, task.initial) == RelaxedPlan(2, (1,), (1,))


def test_supporters_take_the_lowest_effect_within_an_operator() -> None:
    actions = (Strips(1, when=(("x", "g"), ("y", "g"))), Strips(1, adds="x"), Strips(1, adds="y"))
    task = strips_task("x y g", actions, "g")
    assert hff(task, task.initial) == RelaxedPlan(2, (0, 1), (0, 1))


def test_supporters_of_free_operators_have_no_cycles() -> None:
    # x and y support each other for free; the way in is o2.
    actions = (Strips(0, needs="x", adds="y"), Strips(0, needs="y", adds="x"), Strips(0, adds="x"))
    task = strips_task("x y", actions, "x y")
    assert hadd(task, task.initial) == 0
    assert hff(task, task.initial) == RelaxedPlan(0, (0, 2), (2,))


def test_a_free_operator_anywhere_makes_short_supporters_preferable() -> None:
    # Both ways to g cost 2; with weights 1024c + 1 the single step is lighter than two.
    actions = (
        Strips(1, needs="a", adds="g"),
        Strips(1, adds="a"),
        Strips(2, adds="g"),
    )
    task = strips_task("a g", actions, "g")
    assert hff(task, task.initial) == RelaxedPlan(2, (0, 1), (1,))
    with_free = strips_task("a g", (*actions, Strips(0, needs="g")), "g")
    assert supporter_weights(with_free) == [1025, 1025, 2049, 1]
    assert hff(with_free, with_free.initial) == RelaxedPlan(2, (2,), (2,))


def test_preferred_operators_are_those_whose_own_preconditions_hold() -> None:
    # o0 applies here although its conditional effect does not fire yet.
    actions = (Strips(1, needs="p", when=(("a", "g"),)), Strips(1, adds="a"))
    task = strips_task("p a g", actions, "g", initial="p")
    assert hff(task, task.initial).preferred == (0, 1)
    without_p = (0, *task.initial[1:])
    assert hff(task, without_p) == RelaxedPlan(DEAD_END, (), ())


def test_large_sums_stay_below_the_dead_end_value() -> None:
    actions = (Strips(2**30, adds="a"), Strips(2**30, adds="b"), Strips(2**30, adds="c"))
    task = strips_task("a b c", actions, "a b c")
    assert hmax(task, task.initial) == 2**30
    assert hadd(task, task.initial) == hff(task, task.initial).value == CAP == DEAD_END - 1


def test_blind_is_the_cheapest_operator_outside_the_goal() -> None:
    task = strips_task("a", (Strips(4, adds="a"), Strips(3, needs="a")), "a")
    assert blind(task, (0,)) == 3
    assert blind(task, (1,)) == 0
    assert blind(replace(task, metric=False), (0,)) == 1
