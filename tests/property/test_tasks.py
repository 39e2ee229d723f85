"""The engine's tasks mean what the SAS text says: operators, successors, goals, hashes, text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import batch, native_task, rows, single, split
from tests.property.strategies import (
    ANY,
    all_states,
    sas_tasks,
    seeds,
    some_states,
    states_of,
    wide_tasks,
)
from tests.reference.sas import Fact, SasTask, State, parse, render
from tests.reference.successors import applicable, is_applicable, is_goal, successor, successors


def meaning(task: SasTask) -> tuple[object, ...]:
    """The task with preconditions gathered: where a file states them does not matter."""
    operators = [
        (o.name, o.preconditions, effects_of(task, number), task.cost(number))
        for number, o in enumerate(task.operators)
    ]
    goal = tuple(sorted(task.goal))
    return task.metric, task.variables, task.mutexes, task.initial, goal, operators


def effects_of(task: SasTask, operator: int) -> list[tuple[list[Fact], int, int]]:
    """Effects in file order, conditions sorted."""
    effects = task.operators[operator].effects
    return [(sorted(effect.conditions), effect.variable, effect.after) for effect in effects]


@given(sas_tasks(), st.data())
@settings(max_examples=examples(300))
def test_text_written_by_the_engine_means_the_same_with_any_initial_state(
    task: SasTask, data: st.DataObject
) -> None:
    state = data.draw(states_of(task))
    text = native_task(task).to_sas(single(state))
    assert meaning(parse(text.decode())) == meaning(replace(task, initial=state))
    assert _native.Task.from_sas(text).to_sas(single(state)) == text


@given(sas_tasks())
@settings(max_examples=examples(250))
def test_the_engine_tells_every_part_of_the_task(task: SasTask) -> None:
    native = native_task(task)
    operators = range(len(task.operators))
    assert native.num_variables == len(task.variables)
    assert native.num_operators == len(task.operators)
    assert native.uses_costs == task.metric
    assert native.domain_sizes == [variable.size for variable in task.variables]
    assert native.variable_names == [variable.name for variable in task.variables]
    assert [tuple(native.fact_names(v)) for v in range(len(task.variables))] == [
        variable.facts for variable in task.variables
    ]
    assert rows(native.initial_state[None]) == [task.initial]
    assert sorted(native.goal) == sorted(task.goal)
    assert tuple(map(tuple, native.mutex_groups)) == task.mutexes
    assert native.operator_names == [operator.name for operator in task.operators]
    assert native.operator_costs.tolist() == [task.cost(o) for o in operators]
    for o in operators:
        assert sorted(native.preconditions(o)) == list(task.operators[o].preconditions)
        effects = [(sorted(conditions), v, d) for conditions, v, d in native.effects(o)]
        assert effects == effects_of(task, o)
    assert native.has_conditional_effects == any(
        effect.conditions for operator in task.operators for effect in operator.effects
    )


def check_semantics(task: SasTask, states: list[State]) -> None:
    """Everything the engine says about the states equals the naive semantics."""
    native = native_task(task)
    array = batch(task, states)
    expected = [applicable(task, state) for state in states]
    tree = _native.Task.from_sas(render(task).encode(), max_mask_lines=0)
    assert split(*tree.applicable(array)) == expected
    operators, offsets = native.applicable(array)
    assert split(operators, offsets) == expected
    assert native.is_goal(array).tolist() == [is_goal(task, state) for state in states]
    after, operators, offsets = native.all_successors(array)
    assert split(operators, offsets) == expected
    assert rows(after) == [s for state in states for _, s in successors(task, state)]


@given(sas_tasks(), st.data())
@settings(max_examples=examples(500))
def test_applicable_operators_successors_and_goals_in_all_states(
    task: SasTask, data: st.DataObject
) -> None:
    states = all_states(task)
    first = data.draw(st.integers(0, len(states) - 1))
    check_semantics(task, states[first : first + 100])


@given(wide_tasks(), seeds())
@settings(max_examples=examples(100))
def test_applicable_operators_successors_and_goals_in_wide_tasks(task: SasTask, seed: int) -> None:
    check_semantics(task, some_states(task, seed, 20))


@given(sas_tasks(), seeds())
@settings(max_examples=examples(300))
def test_one_successor_per_row_and_the_test_before_it(task: SasTask, seed: int) -> None:
    native = native_task(task)
    states = some_states(task, seed, 12)
    asked = [(7 * row + seed) % len(task.operators) for row in range(len(states))]
    pairs = list(zip(states, asked, strict=True))
    fits = [is_applicable(task, state, operator) for state, operator in pairs]
    array, ids = batch(task, states), np.array(asked, dtype=np.int32)
    assert native.is_applicable(array, ids).tolist() == fits
    after = native.successors(array[fits], ids[fits])
    possible = [pair for pair, fit in zip(pairs, fits, strict=True) if fit]
    assert rows(after) == [successor(task, state, operator) for state, operator in possible]
    if not all(fits):
        with pytest.raises(ValueError, match=rf"\b{fits.index(False)}\b"):
            native.successors(array, ids)


@given(sas_tasks(), st.sampled_from([-(2**31), -2, -1, 0, 1, 2**31 - 1]))
@settings(max_examples=examples(50))
def test_ids_out_of_range_are_not_applicable_and_have_no_successor(
    task: SasTask, distance: int
) -> None:
    native = native_task(task)
    outside = distance if distance < 0 else min(len(task.operators) + distance, 2**31 - 1)
    array, ids = batch(task, [task.initial]), np.array([outside], dtype=np.int32)
    assert native.is_applicable(array, ids).tolist() == [False]
    with pytest.raises((ValueError, IndexError), match=str(outside)):
        native.successors(array, ids)


@given(sas_tasks(replace(ANY, contradictory=False)))
@settings(max_examples=examples(100))
def test_the_order_of_effects_matters_only_if_they_contradict_each_other(task: SasTask) -> None:
    turned = replace(
        task, operators=tuple(replace(o, effects=o.effects[::-1]) for o in task.operators)
    )
    states = batch(task, all_states(task)[:100])
    after, operators, _ = native_task(task).all_successors(states)
    after_turned, operators_turned, _ = native_task(turned).all_successors(states)
    assert rows(after) == rows(after_turned)
    assert operators.tolist() == operators_turned.tolist()


@given(sas_tasks(), seeds())
@settings(max_examples=examples(200))
def test_hashes_are_equal_exactly_for_equal_states(task: SasTask, seed: int) -> None:
    states = some_states(task, seed, 60)
    hashes = native_task(task).hashes(batch(task, states)).tolist()
    assert len(set(hashes)) == len(set(states))
    assert len(set(zip(states, hashes, strict=True))) == len(set(states))
    one_by_one = [native_task(task).hashes(batch(task, [s])).item() for s in states[:3]]
    assert one_by_one == hashes[:3], "a hash depends on nothing but the state"


@given(sas_tasks())
@settings(max_examples=examples(50))
def test_empty_batches_give_empty_answers(task: SasTask) -> None:
    native = native_task(task)
    none = batch(task, [])
    operators, offsets = native.applicable(none)
    assert operators.tolist() == []
    assert offsets.tolist() == [0]
    after, operators, offsets = native.all_successors(none)
    assert after.shape == none.shape
    assert operators.tolist() == []
    assert offsets.tolist() == [0]
    assert native.successors(none, np.array([], dtype=np.int32)).shape == none.shape
    assert native.is_goal(none).tolist() == native.hashes(none).tolist() == []
