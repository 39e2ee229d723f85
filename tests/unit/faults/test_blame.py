"""Which decision is to blame, on tasks where one can see it."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import pytest

from bugsieve.explanation.blame import regret
from bugsieve.explanation.blame.blame import BOUND, EXACT, NO_SINGLE_DECISION, Blame, blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.bugs.samples import TablePolicy, fork_task, line_bench, proven
from tests.unit.policies.line import as_task, at, line_task


def blamed(
    bench: Bench, place: int, plan: tuple[int, ...], *, limits: Limits | None = None
) -> Blame:
    state = at(place)[0]
    certificate = certificate_of(bench, state, proven(bench, state, plan))
    return (
        blame(bench, certificate) if limits is None else blame(bench, certificate, limits=limits)
    )


def table_bench(task: Task, table: Mapping[tuple[int, ...], int], objective: str) -> Bench:
    return Bench(task, TablePolicy(table), make_objective(objective, task))


def test_the_first_step_of_a_detour() -> None:
    bench = table_bench(fork_task(), {(0,): 1, (1,): 2}, "quantitative")
    result = blamed(bench, 0, (0,))
    assert (result.index, result.action, result.better, result.sure) == (0, 1, 0, EXACT)
    assert (result.run, result.plan, result.better_run) == ((1, 2), (0,), (0,))
    assert result.plan_cost == 1
    assert result.state.tolist() == [0]
    assert result.sentence == "the best plan could be had before this decision, but not after it"


def test_good_steps_before_the_wrong_one_are_not_blamed() -> None:
    task = line_task(40)
    left = task.operator_id("left p25")
    bench = line_bench(task, {**dict.fromkeys(range(25), "right"), 25: "left"})
    result = blamed(bench, 0, tuple(range(39)))
    assert (result.index, result.action, result.better, result.sure) == (25, left, 25, EXACT)
    assert result.better_run == tuple(range(39))
    assert result.run == (*range(25), left)


def test_a_plan_that_is_not_the_best_is_improved_first() -> None:
    task = fork_task(stray_cost=0)
    bench = table_bench(task, {(0,): 7}, "quantitative")
    result = blamed(bench, 0, (1, 2))
    assert (result.index, result.action, result.plan, result.sure) == (0, None, (0,), EXACT)
    assert "to the last, where the policy gave no usable action" in result.sentence


def test_giving_up_is_a_decision_too() -> None:
    bench = line_bench(line_task(5), {0: "right", 1: "right"})
    result = blamed(bench, 0, (0, 1, 2, 3))
    assert (result.index, result.action, result.better, result.sure) == (2, None, 2, EXACT)
    assert result.better_run == (0, 1, 2, 3)


def test_an_illegal_action_is_shown() -> None:
    bench = table_bench(line_task(4), {(0,): 2}, "qualitative")
    assert blamed(bench, 0, (0, 1, 2)).action == 2


def test_a_loop_that_costs_nothing_has_no_single_decision() -> None:
    task = line_task(6, right_costs=[1, 0, 0, 0, 1], left_cost=0)
    bench = line_bench(task, {0: "right", 1: "right", 2: "right", 3: "left"})
    result = blamed(bench, 0, (0, 1, 2, 3, 4))
    assert result.sure == NO_SINGLE_DECISION
    assert (result.index, result.better) == (3, 3), "where a plan leaves the loop"
    assert result.action == task.operator_id("left p3")
    assert result.better_run == (0, 1, 2, 3, 4)
    assert "no single decision is to blame" in result.sentence


def test_a_loop_that_costs_something_is_the_fault_of_one_decision() -> None:
    task = line_task(6, right_costs=[1, 0, 0, 0, 1], left_cost=1)
    bench = line_bench(task, {0: "right", 1: "right", 2: "right", 3: "left"})
    result = blamed(bench, 0, (0, 1, 2, 3, 4))
    assert (result.index, result.sure) == (3, EXACT)


def test_where_only_success_counts_every_loop_costs_nothing() -> None:
    bench = line_bench(line_task(5), {0: "right", 1: "left"}, objective="qualitative")
    result = blamed(bench, 0, (0, 1, 2, 3))
    assert (result.sure, result.index) == (NO_SINGLE_DECISION, 1)


def test_conditions_that_could_be_avoided() -> None:
    task = fork_task()
    bench = table_bench(task, {(0,): 1, (1,): 2}, "avoid:(at p1)")
    result = blamed(bench, 0, (0,))
    assert (result.index, result.action, result.better, result.sure) == (0, 1, 0, EXACT)
    assert result.sentence.startswith("the condition could be avoided before this decision")


@pytest.mark.parametrize("limits", [Limits(expansions=0), Limits(bytes=0)])
def test_without_means_to_search_the_answer_is_a_bound(limits: Limits) -> None:
    task = line_task(40)
    bench = line_bench(task, {**dict.fromkeys(range(25), "right"), 25: "left"})
    result = blamed(bench, 24, tuple(range(24, 39)), limits=limits)
    assert (result.index, result.sure) == (1, EXACT), "the heuristic alone proves this plan best"
    assert result.better_run == tuple(range(24, 39))
    circle = (task.operator_id("left p24"), 23)
    result = blamed(bench, 24, (*circle, *range(24, 39)), limits=limits)
    assert (result.index, result.better, result.sure) == (1, 25, BOUND)
    assert result.sentence.endswith("as far as the searches could tell")


def test_hints_are_asked_where_the_culprit_is_not_certain_and_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = line_task(40)
    bench = line_bench(task, {**dict.fromkeys(range(25), "right"), 25: "left"})
    circle, few = (task.operator_id("left p24"), 23), Limits(expansions=0)
    asked: list[int] = []
    hints = {"told": lambda course, first: asked.append(first)}
    for known in ({}, hints):
        monkeypatch.setattr(regret, "PLAN_HINTS", known)
        result = blamed(bench, 24, (*circle, *range(24, 39)), limits=few)
        assert (result.index, result.sure) == (1, BOUND)
    assert asked


def test_a_dear_plan_does_not_hide_what_a_loop_costs() -> None:
    """The best plan is too far to find, but those around the run show that the loop is dear."""
    task = line_task(40)
    bench = line_bench(task, {**dict.fromkeys(range(25), "right"), 25: "left"})
    circles = (0, task.operator_id("left p1")) * 10
    result = blamed(bench, 0, (*circles, *range(39)), limits=Limits(expansions=20))
    assert (result.index, result.better, result.plan_cost) == (25, 25, 39)


def test_in_a_loop_the_culprit_is_in_the_cycle_whatever_came_before() -> None:
    task = line_task(6)
    left = task.operator_id("left p1")
    bench = table_bench(task, {(1,): left, (0,): 0}, "quantitative")
    assert blamed(bench, 1, (1, 2, 3, 4)).index == 0, "the whole run is the cycle"
    detour = line_bench(task, {2: "left", 1: "left", 0: "right"})
    result = blamed(detour, 2, (2, 3, 4))
    assert (result.index, result.run) == (1, (task.operator_id("left p2"), left, 0))
    assert (result.better, result.plan_cost) == (1, 5), "after the detour before the cycle"


def test_a_dead_end_weighs_more_than_any_detour() -> None:
    bench = table_bench(_trap_task(), {(0,): 1, (1,): 3}, "quantitative")
    result = blamed(bench, 0, (0,))
    assert (result.index, result.sure) == (0, EXACT)
    assert [(one.index, one.regret) for one in result.suspects] == [(1, inf), (0, 4)]
    assert result.named == (0, 1)


def test_the_same_question_has_the_same_answer() -> None:
    task = line_task(30)
    bench = line_bench(task, {**dict.fromkeys(range(20), "right"), 20: "left"})
    for expansions in (0, 7, 100):
        limits = Limits(expansions=expansions)
        one, two = (blamed(bench, 0, tuple(range(29)), limits=limits) for _ in range(2))
        assert (one.index, one.sure, one.plan, one.suspects) == (
            *(two.index, two.sure, two.plan),
            two.suspects,
        )


def _trap_task() -> Task:
    """From p0 straight to the goal p2 for 1, or by way of p1 for 5; from p1 into a trap, too."""
    moves = (("go", 0, 2, 1), ("stray", 0, 1, 1), ("return", 1, 2, 4), ("fall", 1, 3, 1))
    return as_task(
        SasTask(
            metric=True,
            variables=(SasVariable("var0", tuple(f"Atom at(p{i})" for i in range(4))),),
            mutexes=(),
            initial=(0,),
            goal=((0, 2),),
            operators=tuple(
                SasOperator(name, (), (SasEffect((), 0, here, there),), cost)
                for name, here, there, cost in moves
            ),
        )
    )
