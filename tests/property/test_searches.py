"""The engine's searches against exact goal distances found by plain exploration."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import native_task, single
from tests.property.strategies import (
    LONG,
    sas_tasks,
    seeded_task,
    seeds,
    some_states,
    wide_tasks,
)
from tests.reference.sas import SasTask, State
from tests.reference.search import goal_distances
from tests.reference.successors import is_goal, simulate

ADMISSIBLE = st.sampled_from(["lmcut", "hmax", "blind"])
GREEDY = st.sampled_from(["hff", "hadd", "hmax", "lmcut", "blind"])


def some_distances(task: SasTask, seed: int) -> list[tuple[State, int | None]]:
    """The initial state and up to seven others, with their h*; farther ones more often."""
    distances = list(goal_distances(task, *some_states(task, seed, 20)).items())
    sample = Random(seed).sample(distances[1:], min(20, len(distances) - 1))
    return [distances[0], *sorted(sample, key=lambda pair: pair[1] or 0)[-7:]]


def check_plan(task: SasTask, state: State, result: _native.SearchResult) -> int:
    """A solved search has a plan that works and costs what it says; returns that cost."""
    assert result.status == "solved"
    assert result.plan is not None
    end, cost = simulate(task, state, result.plan)
    assert is_goal(task, end)
    assert result.cost == cost
    return cost


def check_no_plan(result: _native.SearchResult) -> None:
    """A search that is not solved has neither plan nor cost."""
    assert result.status != "solved"
    assert result.plan is None
    assert result.cost is None


@given(sas_tasks(), seeds(), ADMISSIBLE)
@settings(max_examples=examples(500))
def test_astar_finds_the_exact_distance_or_proves_that_there_is_no_plan(
    task: SasTask, seed: int, heuristic: str
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        result = _native.astar(native, single(state), heuristic)
        if exact is None:
            check_no_plan(result)
            assert result.status == "unsolvable"
        else:
            assert check_plan(task, state, result) == exact


@given(seeds())
@settings(max_examples=examples(80))
def test_astar_finds_the_exact_distance_where_plans_are_longer(seed: int) -> None:
    task = seeded_task(seed, LONG)
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        for heuristic in ("lmcut", "hmax", "blind"):
            result = _native.astar(native, single(state), heuristic)
            if exact is None:
                assert result.status == "unsolvable"
            else:
                assert check_plan(task, state, result) == exact


@given(wide_tasks())
@settings(max_examples=examples(80))
def test_searches_in_wide_tasks_agree_with_each_other_and_give_plans(task: SasTask) -> None:
    native, state = native_task(task), single(task.initial)
    optimal = [
        _native.astar(native, state, heuristic, max_expansions=2000)
        for heuristic in ("lmcut", "hmax", "blind")
    ]
    others = [
        _native.greedy(native, state, "hff", max_expansions=2000),
        _native.greedy(native, state, "hff", deferred=False, max_expansions=2000),
        _native.greedy(native, state, "hadd", preferred=False, max_expansions=2000),
        _native.enforced_hill_climbing(native, state, max_expansions=2000),
    ]
    best = {check_plan(task, task.initial, r) for r in optimal if r.status == "solved"}
    costs = [check_plan(task, task.initial, r) for r in others if r.status == "solved"]
    assert len(best) <= 1
    assert all(cost >= least for least in best for cost in costs)
    if best or costs:
        assert not any(result.status == "unsolvable" for result in (*optimal, *others))


@given(sas_tasks(), seeds(), ADMISSIBLE)
@settings(max_examples=examples(300))
def test_astar_with_a_bound_finds_cheaper_plans_only(
    task: SasTask, seed: int, heuristic: str
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        if exact is None:
            result = _native.astar(native, single(state), heuristic, cost_bound=5)
            check_no_plan(result)
            assert result.status in {"unsolvable", "bound"}
            continue
        below = _native.astar(native, single(state), heuristic, cost_bound=exact + 1)
        assert check_plan(task, state, below) == exact
        at = _native.astar(native, single(state), heuristic, cost_bound=exact)
        check_no_plan(at)
        assert at.status == "bound"


@given(sas_tasks(), seeds(), GREEDY, st.booleans(), st.booleans())
@settings(max_examples=examples(500))
def test_greedy_search_solves_exactly_what_is_solvable(
    task: SasTask, seed: int, heuristic: str, deferred: bool, preferred: bool
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        result = _native.greedy(
            native,
            single(state),
            heuristic,
            deferred=deferred,
            preferred=preferred and heuristic == "hff",
        )
        if exact is None:
            check_no_plan(result)
            assert result.status == "unsolvable"
        else:
            assert check_plan(task, state, result) >= exact


@given(sas_tasks(), seeds(), st.booleans(), st.booleans(), st.integers(0, 8))
@settings(max_examples=examples(300))
def test_greedy_search_with_a_bound_solves_exactly_what_is_cheaper(
    task: SasTask, seed: int, deferred: bool, preferred: bool, bound: int
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        result = _native.greedy(
            native,
            single(state),
            "hff",
            deferred=deferred,
            preferred=preferred,
            cost_bound=bound,
        )
        check_bounded(task, state, result, exact, bound)
        cheaper_exists = exact is not None and exact < bound
        assert (result.status == "solved") == cheaper_exists, "greedy search is complete"


def check_bounded(
    task: SasTask, state: State, result: _native.SearchResult, exact: int | None, bound: int
) -> None:
    """A bounded search finds a plan below the bound or claims nothing wrong."""
    if result.status == "solved":
        assert check_plan(task, state, result) < bound
        return
    check_no_plan(result)
    assert result.status in {"unsolvable", "bound", "gave-up"}
    if result.status == "unsolvable":
        assert exact is None
    if result.status == "bound":
        assert exact is None or exact >= bound


@given(sas_tasks(), seeds(), st.booleans())
@settings(max_examples=examples(400))
def test_enforced_hill_climbing_returns_plans_and_no_wrong_proofs(
    task: SasTask, seed: int, preferred: bool
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        result = _native.enforced_hill_climbing(native, single(state), preferred=preferred)
        if result.status == "solved":
            assert exact is not None
            assert check_plan(task, state, result) >= exact
            continue
        check_no_plan(result)
        assert result.status in {"unsolvable", "gave-up"}
        assert result.status != "unsolvable" or exact is None


@given(sas_tasks(), seeds(), st.booleans(), st.integers(0, 8))
@settings(max_examples=examples(200))
def test_enforced_hill_climbing_keeps_its_bound(
    task: SasTask, seed: int, preferred: bool, bound: int
) -> None:
    native = native_task(task)
    for state, exact in some_distances(task, seed):
        result = _native.enforced_hill_climbing(
            native, single(state), preferred=preferred, cost_bound=bound
        )
        check_bounded(task, state, result, exact, bound)


@given(sas_tasks(), st.integers(0, 6), ADMISSIBLE)
@settings(max_examples=examples(250))
def test_a_limit_on_expansions_is_kept_and_never_gives_a_wrong_answer(
    task: SasTask, limit: int, heuristic: str
) -> None:
    native = native_task(task)
    state = task.initial
    exact = goal_distances(task, state)[state]
    searches = [
        _native.astar(native, single(state), heuristic, max_expansions=limit),
        _native.greedy(native, single(state), "hff", max_expansions=limit),
        _native.greedy(native, single(state), "hff", deferred=False, max_expansions=limit),
        _native.enforced_hill_climbing(native, single(state), max_expansions=limit),
        _native.lookahead(native, single(state), 3, max_expansions=limit)[0],
    ]
    for result in searches:
        assert result.expanded <= limit
        if result.status == "solved":
            assert exact is not None
            assert check_plan(task, state, result) >= exact
        else:
            check_no_plan(result)
            assert result.status != "unsolvable" or exact is None
    if searches[0].status == "solved":
        assert searches[0].cost == exact
