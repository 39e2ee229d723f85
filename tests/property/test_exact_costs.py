"""Exact costs of whole state spaces against exact goal distances found by plain exploration."""

from __future__ import annotations

from math import inf

import numpy as np
from hypothesis import given, settings

from bugsieve import _native
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.tasks.search import exact_costs
from tests.depth import examples
from tests.property.engine import native_task, rows
from tests.property.strategies import sas_tasks
from tests.reference.sas import SasTask
from tests.reference.search import goal_distances
from tests.unit.policies.line import as_task


@given(sas_tasks())
@settings(max_examples=examples(300))
def test_exact_costs_of_the_engine_equal_the_twin(task: SasTask) -> None:
    space = _native.explore_exact_costs(native_task(task))
    assert (space.status, space.count) == ("complete", len(space.states))
    found = dict(zip(rows(space.states), space.costs.tolist(), strict=True))
    assert len(found) == len(space.states), "no state comes twice"
    expected = goal_distances(task, task.initial)
    assert found == {s: -1 if d is None else d for s, d in expected.items()}


@given(sas_tasks())
@settings(max_examples=examples(300))
def test_ways_and_best_plans_of_exact_costs_are_some(sas: SasTask) -> None:
    task = as_task(sas)
    exact = exact_costs(task)
    for row, cost in enumerate(exact.costs.tolist()):
        way = path_states(task, task.initial_state, exact.path(row))
        assert (way[-1] == exact.states[row]).all()
        plan = exact.plan(row)
        assert (plan is None) == (cost < 0)
        if plan is not None:
            assert task.is_goal(path_states(task, exact.states[row], plan)[-1]).all()
            assert plan_cost(task, plan) == cost
    assert exact.find(exact.states).tolist() == list(range(len(exact)))
    assert exact.with_plan == int((exact.costs >= 0).sum())


@given(sas_tasks())
@settings(max_examples=examples(300))
def test_regrets_are_what_the_twin_says(sas: SasTask) -> None:
    task = as_task(sas)
    exact, best = exact_costs(task), goal_distances(sas, sas.initial)
    after, operators, offsets = task.all_successors(exact.states)
    before = np.repeat(np.arange(len(exact)), np.diff(offsets))
    regrets = exact.regrets(exact.states[before], operators)
    for row, operator, state, regret in zip(
        before.tolist(), operators.tolist(), rows(after), regrets.tolist(), strict=True
    ):
        start, end = best[rows(exact.states)[row]], best[state]
        if start is None:
            assert regret == 0
        else:
            step = int(task.operator_costs[operator])
            assert regret == (inf if end is None else step + end - start)
