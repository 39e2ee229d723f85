"""Plan improvement: valid plans, never more expensive, and the same ones as the twin's."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import native_task, single
from tests.property.plans import some_plan
from tests.property.strategies import (
    ANY,
    CONDITIONAL,
    HUGE_COSTS,
    LONG,
    SMALL,
    sas_tasks,
    seeded_task,
    seeds,
    some_states,
)
from tests.reference.improvement import improve
from tests.reference.sas import SasTask, State
from tests.reference.search import optimal_cost
from tests.reference.successors import is_goal, simulate, successors

LIMITS = (0, 1, 2, 5, 17, 33, 100, -1)


def improved(
    native: _native.Task, state: State, plan: list[int], limit: int
) -> _native.SearchResult:
    """The engine's answer; a limit of -1 is none."""
    operators = np.array(plan, dtype=np.int32)
    return _native.improve_plan(native, single(state), operators, max_expansions=limit)


def check_improvement(task: SasTask, seed: int, most_steps: int = 20) -> None:
    """Plans for all limits: valid, cheaper the more may be spent, in the end the cheapest."""
    native = native_task(task)
    for state in some_states(task, seed, 4):
        plan = some_plan(task, state, seed, most_steps)
        if plan is None:
            continue
        last = simulate(task, state, plan)[1]
        for limit in LIMITS:
            result = improved(native, state, plan, limit)
            assert result.status == "solved"
            assert result.plan is not None
            end, cost = simulate(task, state, result.plan)
            assert is_goal(task, end)
            assert result.cost == cost
            assert cost <= last
            assert limit == -1 or result.expanded <= limit
            assert (result.plan, result.expanded) == improve(
                task, state, plan, None if limit == -1 else limit
            )
            last = cost
        assert last == optimal_cost(task, state)


@given(sas_tasks(SMALL), seeds())
@settings(max_examples=examples(150))
def test_improvement_equals_the_twin(task: SasTask, seed: int) -> None:
    check_improvement(task, seed)


@given(sas_tasks(CONDITIONAL), seeds())
@settings(max_examples=examples(80))
def test_the_same_with_many_conditional_effects(task: SasTask, seed: int) -> None:
    check_improvement(task, seed)


@given(sas_tasks(replace(ANY, costs=HUGE_COSTS)), seeds())
@settings(max_examples=examples(60))
def test_the_same_where_costs_are_huge(task: SasTask, seed: int) -> None:
    check_improvement(task, seed)


@given(seeds())
@settings(max_examples=examples(25))
def test_the_same_where_plans_are_longer(seed: int) -> None:
    check_improvement(seeded_task(seed, LONG), seed, most_steps=60)


@given(seeds())
@settings(max_examples=examples(40))
def test_every_further_expansion_is_worth_it_or_changes_nothing(seed: int) -> None:
    task = seeded_task(seed, LONG)
    plan = some_plan(task, task.initial, seed, 60)
    assume(plan is not None)
    assert plan is not None
    native = native_task(task)
    results = [improved(native, task.initial, plan, limit) for limit in range(300)]
    costs = [result.cost for result in results if result.cost is not None]
    assert len(costs) == len(results)
    assert all(less <= more for more, less in pairwise(costs))
    assert all(result.expanded <= limit for limit, result in enumerate(results))


def there_and_back(task: SasTask, state: State) -> list[list[int]]:
    """Pairs of actions that lead back to the state."""
    return [
        [away, back]
        for away, other in successors(task, state)
        for back, after in successors(task, other)
        if after == state and other != state
    ]


@given(sas_tasks(), seeds(), st.integers(1, 4))
@settings(max_examples=examples(150))
def test_planted_detours_are_removed_without_any_expansion(
    task: SasTask, seed: int, detours: int
) -> None:
    native, random = native_task(task), Random(seed)
    for state in some_states(task, seed, 3):
        best = _native.astar(native, single(state)).plan
        if not best:
            continue
        plan = list(best)
        for _ in range(detours):
            at = random.randrange(len(plan))
            ways = there_and_back(task, simulate(task, state, plan[:at])[0])
            plan[at:at] = random.choice(ways) if ways else []
        assert improved(native, state, plan, 0).cost == simulate(task, state, best)[1]
