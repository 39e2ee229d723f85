"""The task without the states of a condition has exactly the plans that avoid the condition."""

from __future__ import annotations

import heapq
from collections import Counter

from hypothesis import given, settings

from bugsieve import _native
from bugsieve.tasks.grounded.conditions import parse_condition
from bugsieve.tasks.grounded.restriction import Restriction
from bugsieve.tasks.grounded.sas_text import from_core, write_sas
from bugsieve.tasks.search import astar
from tests.depth import examples
from tests.property.condition_strategies import Formula, seeded_formula
from tests.property.engine import batch, native_task, single
from tests.property.strategies import (
    LONG,
    SMALL,
    all_states,
    sas_tasks,
    seeded_task,
    seeds,
    some_states,
)
from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal, successor, successors
from tests.unit.policies.line import as_task


def cheapest_avoiding(task: SasTask, start: State, formula: Formula) -> int | None:
    """Cost of a cheapest plan in none of whose states the formula holds."""
    done: set[State] = set()
    queue = [(0, start)]
    while queue:
        cost, state = heapq.heappop(queue)
        if state in done or formula.holds(state):
            continue
        if is_goal(task, state):
            return cost
        done.add(state)
        for operator, after in successors(task, state):
            heapq.heappush(queue, (cost + task.cost(operator), after))
    return None


def check_plans(sas: SasTask, formula: Formula, starts: list[State]) -> Counter[str]:
    """Compare A* in the restricted task with brute force; what was seen."""
    task = as_task(sas)
    restriction = Restriction(task, parse_condition(formula.text, task))
    seen: Counter[str] = Counter()
    for start in starts:
        inside = restriction.state(single(start))
        expected = cheapest_avoiding(sas, start, formula)
        if inside is None:
            assert formula.holds(start)
            seen["met at once"] += 1
            continue
        result = astar(restriction.task, inside)
        assert result.cost == expected
        seen["unsolvable" if expected is None else "solved"] += 1
        if result.plan is not None:
            check_plan(sas, formula, start, restriction.plan(result.plan), expected)
            seen["detour"] += cheapest_avoiding(sas, start, Formula("or")) != expected
    return seen


def check_plan(
    sas: SasTask, formula: Formula, start: State, plan: tuple[int, ...], cost: int | None
) -> None:
    state = start
    assert not formula.holds(state)
    for operator in plan:
        state = successor(sas, state, operator)
        assert not formula.holds(state)
    assert is_goal(sas, state)
    assert sum(map(sas.cost, plan)) == cost


@given(sas_tasks(SMALL), seeds())
@settings(max_examples=examples(300))
def test_plans_exist_and_cost_as_brute_force_says(task: SasTask, seed: int) -> None:
    check_plans(task, seeded_formula(seed, task), some_states(task, seed, 4))


def test_all_cases_occur_in_random_tasks() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(60, quick=30)):
        task = seeded_task(seed, LONG)
        seen += check_plans(task, seeded_formula(seed, task), some_states(task, seed, 6))
    assert min(
        seen[what] for what in ("met at once", "unsolvable", "solved", "detour")
    ) >= examples(5)


@given(sas_tasks(SMALL), seeds())
@settings(max_examples=examples(200))
def test_a_condition_holds_where_its_naive_meaning_does(task: SasTask, seed: int) -> None:
    formula = seeded_formula(seed, task)
    states = all_states(task)[:200]
    condition = parse_condition(formula.text, as_task(task))
    expected = [formula.holds(state) for state in states]
    assert condition.holds(batch(task, states)).tolist() == expected
    again = parse_condition(condition.text, as_task(task))
    assert again.text == condition.text, "the text of a condition is its own"
    assert again.program == condition.program


@given(sas_tasks())
@settings(max_examples=examples(100))
def test_a_task_from_the_core_is_written_as_it_was(task: SasTask) -> None:
    native = native_task(task)
    again = _native.Task.from_sas(write_sas(from_core(native)))
    for operator in range(native.num_operators):
        assert again.preconditions(operator) == native.preconditions(operator)
        assert again.effects(operator) == native.effects(operator)
    assert again.operator_names == native.operator_names
    assert again.operator_costs.tolist() == native.operator_costs.tolist()
    assert (again.goal, again.initial_state.tolist()) == (native.goal, list(task.initial))
    assert list(map(sorted, again.mutex_groups)) == list(map(sorted, native.mutex_groups))
    assert list(map(again.fact_names, range(again.num_variables))) == list(
        map(native.fact_names, range(native.num_variables))
    )
