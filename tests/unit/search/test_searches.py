"""The Python fronts of the searches: limits, bounds and errors arrive where they should."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import BudgetError, UnsupportedError, UsageError
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import (
    Limits,
    SearchResult,
    TooLargeError,
    astar,
    enforced_hill_climbing,
    exact_costs,
    exact_goal_distances,
    greedy,
    lookahead,
)
from tests.unit.native.chains import chain, native, switches
from tests.unit.policies.line import as_task

Search = Callable[..., SearchResult]
SEARCHES: list[Search] = [astar, greedy, enforced_hill_climbing]


def task(count: int = 4) -> Task:
    return Task(native(switches(count)), name="switches")


@pytest.mark.parametrize("search", SEARCHES)
def test_a_plan_and_its_cost(search: Search) -> None:
    found = search(task(), task().initial_state)
    assert found.solved
    assert found.plan is not None and sorted(found.plan) == [0, 2, 4, 6]
    assert found.cost == 4


@pytest.mark.parametrize("search", SEARCHES)
def test_limits_and_bounds_reach_the_core(search: Search) -> None:
    start = task().initial_state
    assert search(task(), start, limits=Limits(expansions=1)).status == "expansions"
    assert search(task(), start, limits=Limits(seconds=0)).status == "time"
    assert search(task(), start, limits=Limits(bytes=1)).status == "memory"
    bounded = search(task(), start, cost_bound=4)
    assert bounded.plan is None
    assert bounded.status in ("bound", "gave-up")
    assert search(task(), start, cost_bound=-1).status == "bound"


def test_a_lookahead_knows_the_way_to_each_leaf() -> None:
    found = lookahead(task(), task().initial_state, 2)
    assert found.result.status == "gave-up"
    assert len(found.states) == 1 + 4 + 6
    for leaf, (state, cost) in enumerate(zip(found.states, found.costs, strict=True)):
        reached = task().initial_state[None]
        for op in found.path(leaf):
            reached = task().successors(reached, np.array([op], dtype=np.int32))
        assert (reached[0] == state).all()
        assert len(found.path(leaf)) == cost


def test_exact_distances_count_the_open_switches() -> None:
    states, distances = exact_goal_distances(task())
    assert distances.tolist() == (4 - states.sum(axis=1)).tolist()
    with pytest.raises(
        BudgetError, match="switches: the task is too large to explore: more than 100 states"
    ):
        exact_goal_distances(task(20), max_states=100)


@pytest.mark.parametrize("number", [0, -1])
def test_exact_distances_need_room_for_a_state(number: int) -> None:
    with pytest.raises(UsageError, match=f"max_states must be at least 1, got {number}"):
        exact_goal_distances(task(), max_states=number)


@pytest.mark.parametrize("leaf", [11, 99_999, -1])
def test_there_is_no_way_to_a_leaf_that_is_none(leaf: int) -> None:
    found = lookahead(task(), task().initial_state, 2)
    with pytest.raises(IndexError, match=f"there is no leaf {leaf}; the lookahead has 11"):
        found.path(leaf)
    assert found.path(np.int64(0)) == ()


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"expansions": -1}, "a limit on expansions must be at least 0, got -1"),
        ({"bytes": -5}, "a limit on bytes must be at least 0, got -5"),
        ({"seconds": -0.1}, "a time limit must be a number of seconds, at least 0, got -0.1"),
        ({"seconds": math.nan}, "a time limit must be a number of seconds, at least 0, got nan"),
        ({"seconds": "soon"}, "a time limit must be a number of seconds, at least 0, got 'soon'"),
        ({"expansions": 1.5}, "a limit on expansions must be a whole number, got 1.5"),
        ({"bytes": "1k"}, "a limit on bytes must be a whole number, got '1k'"),
    ],
)
def test_limits_that_are_none(limits: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Limits(**limits)


def test_limits_of_any_size_and_make() -> None:
    endless = Limits(expansions=10**30, seconds=10**400, bytes=10**30)
    assert astar(task(), task().initial_state, limits=endless, cost_bound=10**30).solved
    some = Limits(expansions=np.int64(1), seconds=np.float32(60))
    assert astar(task(), task().initial_state, limits=some).status == "expansions"
    assert astar(task(), task().initial_state, limits=Limits(seconds=math.inf)).solved
    assert lookahead(task(), task().initial_state, 10**30).result.solved


def test_wrong_calls_get_a_sentence() -> None:
    start = task().initial_state
    with pytest.raises(UsageError, match="no heuristic 'lm-cut' \\(did you mean 'lmcut'"):
        astar(task(), start, "lm-cut")
    with pytest.raises(UsageError, match="a cost bound must be a whole number, got 1.5"):
        astar(task(), start, cost_bound=1.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="depth of a lookahead must be at least 0, got -1"):
        lookahead(task(), start, -1)
    with pytest.raises(UsageError, match="one state was expected, not a batch of 2"):
        greedy(task(), np.stack([start, start]))


def test_an_unsolvable_state_is_proved_so() -> None:
    one_way = Task(native(chain(3)), name="chain")
    beyond = chain(3)
    closed = Task(
        native(type(beyond)(True, beyond.variables, (), (3,), ((0, 0),), beyond.operators)),
        name="closed",
    )
    assert astar(one_way, one_way.initial_state).cost == 3
    for search in SEARCHES:
        assert search(closed, closed.initial_state).status == "unsolvable"


def test_costs_beyond_32_bits_are_exact() -> None:
    given = switches(3)
    operators = tuple(replace(operator, cost=2**30 - 1) for operator in given.operators)
    dear = as_task(replace(given, metric=True, operators=operators))
    exact = exact_costs(dear)
    assert exact.costs.max() == 3 * 2**30 - 3
    assert exact.to_go(dear.initial_state).tolist() == [3 * 2**30 - 3]
    with pytest.raises(UnsupportedError, match="a plan costs 3221225469 units"):
        exact_goal_distances(dear)


def test_counting_says_how_far_it_came() -> None:
    with pytest.raises(TooLargeError) as caught:
        exact_costs(task(20), limits=Limits(expansions=100))
    assert caught.value.count == 100
    with pytest.raises(TooLargeError, match="with too many transitions to keep") as caught:
        exact_costs(task(20), limits=Limits(bytes=1 << 20))
    assert 1000 < caught.value.count < 50_000


def test_costs_of_states_that_cannot_be_reached_are_not_known() -> None:
    given = switches(3)
    on = tuple(operator for operator in given.operators[::2])
    exact = exact_costs(as_task(replace(given, initial=(1, 0, 0), operators=on)))
    assert exact.find([[0, 0, 0], [1, 0, 0]]).tolist() == [-1, 0]
    with pytest.raises(UsageError, match="a state is not reachable"):
        exact.rows([0, 0, 0])
    assert np.isnan(exact.to_go([[0, 0, 0], [1, 0, 0]])).tolist() == [True, False]
