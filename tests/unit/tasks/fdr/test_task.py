"""Task: names, states and facts, and a clear sentence for every array that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import NO_ACTION, Task

INITIAL = {"(on a table)", "(on b a)", "(clear b)", "(clear table)", "(red a)"}


def test_names_are_pddl(stack: Task) -> None:
    assert stack.name == "two"
    assert stack.objects == {"table": "item", "a": "block", "b": "block"}
    assert "(move b a table)" in stack.operator_names
    atoms = {atom for variable in stack.variables for atom in variable.facts}
    assert {"(on a b)", "(on b table)", "(clear a)", None} <= atoms
    assert repr(stack) == "<Task 'two': 4 variables, 4 operators>"


def test_costs_and_goal(stack: Task) -> None:
    assert stack.uses_costs
    assert stack.operator_costs[stack.operator_id("(move b a table)")] == 2
    assert set(stack.goal_facts) == {"(on a b)", "(on b table)"}


def test_operators_are_found_by_any_spelling(stack: Task) -> None:
    number = stack.operator_names.index("(move b a table)")
    for spelling in ("(move b a table)", "move b a table", " (MOVE  b A table ) "):
        assert stack.operator_id(spelling) == number
        assert stack.operator_ids(spelling) == (number,)
    with pytest.raises(UsageError, match=r"there is no operator '\(move table a b\)'"):
        stack.operator_id("(move table a b)")


def test_facts_hold_fluent_and_static_atoms(stack: Task) -> None:
    assert stack.facts(stack.initial_state) == INITIAL
    assert {"(red a)", "(clear table)"} == stack.static_facts


def test_a_walk_through_the_task(stack: Task) -> None:
    state = stack.initial_state
    for name in ("move b a table", "move a table b"):
        operator = stack.operator_id(name)
        assert operator in stack.applicable(state).operators
        assert stack.is_applicable(state, operator).tolist() == [True]
        assert stack.is_goal(state).tolist() == [False]
        state = stack.successors(state, operator)
    assert {"(on a b)", "(on b table)", "(clear a)"} <= stack.facts(state)
    assert stack.is_goal(state).tolist() == [True]


def test_all_successors_agree_with_single_steps(stack: Task) -> None:
    found, operators, offsets = stack.all_successors([stack.initial_state] * 2)
    assert offsets.tolist() == [0, len(operators) // 2, len(operators)]
    repeated = np.repeat([stack.initial_state], len(operators), axis=0)
    assert np.array_equal(stack.successors(repeated, operators), found)


def test_ids_out_of_range_are_not_applicable(stack: Task) -> None:
    states = [stack.initial_state] * 3
    assert not stack.is_applicable(states, [NO_ACTION, stack.num_operators, -7]).any()


def test_hashes_tell_states_apart_and_never_change(stack: Task) -> None:
    states = stack.all_successors(stack.initial_state)[0]
    hashes = stack.hashes(states)
    assert hashes.dtype == np.uint64
    assert len(set(hashes.tolist())) == len({tuple(row) for row in states.tolist()})
    assert np.array_equal(hashes, stack.hashes(states.astype(np.int64)))


def test_heuristics_are_made_once(stack: Task) -> None:
    assert stack.heuristic("hmax") is stack.heuristic("hmax")
    assert stack.heuristic("hmax").evaluate(stack.initial_state[None]).tolist() == [5]
    with pytest.raises(UsageError, match=r"no heuristic 'hmx' \(did you mean 'hmax'\?\)"):
        stack.heuristic("hmx")


def test_heuristics_take_states_as_the_task_does(stack: Task) -> None:
    heuristic = stack.heuristic("hff")
    state = stack.initial_state
    (value,) = heuristic.evaluate(state[None]).tolist()
    for states in (state, state.tolist(), [state.tolist()], state.astype(np.int64)):
        assert heuristic.evaluate(states).tolist() == [value]
        values, preferred, offsets = heuristic.evaluate_preferred(states)
        assert values.tolist() == [value]
        assert offsets.tolist() == [0, len(preferred)]
    assert heuristic.evaluate(np.tile(state, (3, 1))).tolist() == [value] * 3
    assert repr(heuristic) == "<Heuristic hff>"


@pytest.mark.parametrize("dtype", [np.uint16, np.int64])
def test_heuristics_refuse_what_is_no_state(stack: Task, dtype: Any) -> None:
    heuristic = stack.heuristic("hff")
    with pytest.raises(UsageError, match="state 0 gives variable 0 the value 200"):
        heuristic.evaluate(np.full(stack.num_variables, 200, dtype=dtype))
    with pytest.raises(UsageError, match=r"but the array has shape \(2, 99\)"):
        heuristic.evaluate(np.zeros((2, 99), dtype=dtype))
    with pytest.raises(UsageError, match="hmax has no preferred operators"):
        stack.heuristic("hmax").evaluate_preferred(stack.initial_state)


def test_writes_itself_with_any_initial_state(stack: Task, tmp_path: Path) -> None:
    state = stack.successors(stack.initial_state, stack.operator_id("move b a table"))[0]
    path = tmp_path / "later.sas"
    stack.write_sas(path, state)
    later = load_task(path)
    assert later.name == "later"
    assert path.read_text() == stack.to_sas(state) != stack.to_sas()
    assert np.array_equal(later.initial_state, state)
    assert later.operator_names == stack.operator_names
    assert later.mutex_groups == stack.mutex_groups
    assert later.facts(later.initial_state) == stack.facts(state) - stack.static_facts


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "it is a folder, name a file"),
        ("missing/task.sas", "No such file or directory"),
        ("occupied/task.sas", "Not a directory"),
        ("nul\0.sas", "null byte"),
    ],
)
def test_places_that_cannot_be_written(
    stack: Task, tmp_path: Path, name: str, complaint: str
) -> None:
    (tmp_path / "occupied").write_text("not a folder")
    path = tmp_path / name
    with pytest.raises(InputError) as error:
        stack.write_sas(path)
    assert f"cannot write the task to {tmp_path}" in str(error.value)
    assert complaint in str(error.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["occupied"]


def test_arrays_of_a_task_cannot_be_changed(stack: Task) -> None:
    for array in (stack.initial_state, stack.operator_costs, stack.domain_sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("method", ["applicable", "all_successors", "is_goal", "hashes", "to_sas"])
@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.int64, np.uint8])
def test_values_out_of_range_are_refused(stack: Task, method: str, dtype: Any) -> None:
    state = stack.initial_state.astype(dtype)
    state[1] = 200
    with pytest.raises(
        UsageError, match="state 0 gives variable 1 the value 200, but it has only"
    ):
        getattr(stack, method)(state)
    with pytest.raises(UsageError, match="the value 200"):
        stack.facts(state)


@pytest.mark.parametrize(
    ("states", "complaint"),
    [
        (np.zeros((2, 99), np.uint16), r"but the array has shape \(2, 99\)"),
        (np.zeros((1, 1, 1), np.uint16), r"but the array has shape \(1, 1, 1\)"),
        (3, r"but the array has shape \(\)"),
        ("facts", r"but the array has shape \(\)"),
        ([[0, 0], [0]], "the states form no array: are all rows equally long?"),
    ],
)
def test_shapes_that_do_not_fit(stack: Task, states: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        stack.is_goal(states)


def test_types_that_are_no_whole_numbers(stack: Task) -> None:
    with pytest.raises(UsageError, match="the array has type float64"):
        stack.is_goal(stack.initial_state.astype(float))
    with pytest.raises(UsageError, match="value -1"):
        stack.is_goal(np.full(stack.num_variables, -1))
    with pytest.raises(UsageError, match="not a batch of 2"):
        stack.facts([stack.initial_state] * 2)


def test_empty_batches_give_empty_answers(stack: Task) -> None:
    nothing = np.zeros((0, stack.num_variables), np.uint16)
    assert stack.is_goal(nothing).tolist() == []
    assert stack.applicable(nothing).offsets.tolist() == [0]
    assert stack.successors(nothing, np.zeros(0, np.int32)).shape == nothing.shape


@pytest.mark.parametrize("operators", [[0, 1], [0.0], [2**40], ["move"], [[0]], [[0], [0, 1]]])
def test_operator_arrays_that_do_not_fit(stack: Task, operators: Any) -> None:
    with pytest.raises(UsageError, match="operator number"):
        stack.successors(stack.initial_state, operators)


def test_operators_that_cannot_be_applied(stack: Task) -> None:
    inapplicable = stack.operator_id("move a b table")
    with pytest.raises(UsageError, match=f"operator {inapplicable} is not applicable in state 0"):
        stack.successors(stack.initial_state, inapplicable)
    with pytest.raises(UsageError, match="no operator 99999"):
        stack.successors(stack.initial_state, 99_999)
