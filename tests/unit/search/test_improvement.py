"""The front of plan improvement: limits, wrong plans, and what always goes."""

from __future__ import annotations

import signal
import threading

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits, improve_plan
from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.unit.native.chains import chain, native, step, switches, variables

NONE = Limits()
AT_ONCE = Limits(expansions=0)


def task(count: int = 4) -> Task:
    return Task(native(switches(count)), name="switches")


def stairs(height: int) -> Task:
    """Steps of cost 2 up to the top, and a lift for 1 that takes three steps of 1 to open."""
    climbs = [step(0, k, k + 1, cost=2) for k in range(height)]
    doors = [step(1, k, k + 1) for k in range(3)]
    ride = SasOperator("ride", ((1, 3),), (SasEffect((), 0, 0, height),), 1)
    operators = (*climbs, *doors, ride)
    sas = SasTask(True, variables(height + 1, 4), (), (0, 0), ((0, height),), operators)
    return Task(native(sas), name="stairs")


def test_actions_that_are_not_needed_go_without_a_search() -> None:
    found = improve_plan(task(), task().initial_state, [0, 1, 0, 2, 4, 6, 5, 4], limits=AT_ONCE)
    assert (found.status, found.plan, found.cost) == ("solved", (0, 2, 4, 6), 4)
    assert (found.expanded, found.generated, found.evaluated) == (0, 0, 0)


def test_operators_nobody_needs_go_even_when_there_is_no_time() -> None:
    climb = Task(native(chain(3, extra=2)), name="chain")
    found = improve_plan(climb, climb.initial_state, [0, 2, 3, 1, 4], limits=Limits(seconds=0))
    assert found.plan == (2, 3, 4)


def test_a_neighbourhood_has_the_cheaper_way() -> None:
    climb = stairs(20)
    own = list(range(20))
    found = improve_plan(climb, climb.initial_state, own, limits=NONE)
    assert found.plan == (20, 21, 22, 23)
    assert found.cost == 4
    assert improve_plan(climb, climb.initial_state, own, limits=AT_ONCE).plan == tuple(own)


def test_no_plan_is_better_than_the_empty_one() -> None:
    on = [1, 1, 1, 1]
    assert improve_plan(task(), on, [], limits=NONE).plan == ()
    assert improve_plan(task(), on, [1, 0], limits=NONE).plan == ()


@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(expansions=7), Limits(bytes=1)])
def test_when_a_limit_is_reached_there_is_still_a_plan(limits: Limits) -> None:
    large = task(60)
    plan = [*range(0, 120, 2)]
    found = improve_plan(large, large.initial_state, plan, limits=limits)
    assert found.plan == tuple(plan)
    assert found.expanded <= 7


def test_memory_and_time_end_a_search_without_end() -> None:
    large = task(60)
    plan = [*range(0, 120, 2)]
    most = 10_000_000
    found = improve_plan(large, large.initial_state, plan, limits=Limits(bytes=most))
    assert 100 < found.generated < most
    found = improve_plan(large, large.initial_state, plan, limits=Limits(seconds=0.05))
    assert found.cost == 60


def test_an_interrupt_ends_an_improvement() -> None:
    large = task(60)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        improve_plan(large, large.initial_state, [*range(0, 120, 2)], limits=Limits(seconds=60))
    timer.join()


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ([0, 2, 4], "the plan does not reach the goal"),
        ([0, 0], "step 1 of the plan, operator 0, is not applicable"),
        ([8], "step 0 of the plan, operator 8, does not exist; the task has 8 operators"),
        ([-1], "step 0 of the plan, operator -1, does not exist"),
        ([0.5], "operator numbers, not an array of type float64"),
        ([[0, 2, 4, 6]], "a plan is a list of operators, not an array of 2 axes"),
        ([2**40], "too large for 32 bits"),
    ],
)
def test_wrong_plans_get_a_sentence(plan: list[int], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        improve_plan(task(), task().initial_state, plan, limits=NONE)


def test_wrong_states_get_a_sentence() -> None:
    with pytest.raises(UsageError, match="states of this task have 4 values"):
        improve_plan(task(), [0, 0], [0], limits=NONE)
