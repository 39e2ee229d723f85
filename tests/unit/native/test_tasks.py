"""The native task: sizes far beyond the usual, refused arrays, and the projection of searches."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve import _native
from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.unit.native.chains import chain, native, switches, variables


def test_searches_ignore_what_no_plan_needs() -> None:
    task = native(chain(4, extra=40))
    result = _native.astar(task, task.initial_state, "blind")
    assert result.plan is not None
    assert [task.operator_names[op] for op in result.plan] == [
        f"step 0 {k} {k + 1}" for k in range(4)
    ]
    assert result.generated <= 4  # the 40 switches would have multiplied the states


def test_nothing_recurses_over_ten_thousand_variables() -> None:
    count = 10_000
    effects = tuple(SasEffect((), v, 0, 1) for v in range(count))
    everything = SasOperator("everything", (), effects, 1)
    goal = tuple((v, 1) for v in range(count))
    task = native(SasTask(False, variables(*([2] * count)), (), (0,) * count, goal, (everything,)))
    states = np.tile(task.initial_state, (5, 1))
    assert task.applicable(states)[0].tolist() == [0] * 5
    for name in _native.HEURISTICS:
        value = count if name == "hadd" else 1
        assert _native.Heuristic(task, name).evaluate(states).tolist() == [value] * 5
    assert _native.astar(task, task.initial_state).plan == [0]


def test_a_plan_of_twenty_thousand_steps() -> None:
    length = 20_000
    task = native(chain(length))
    for result in (
        _native.astar(task, task.initial_state, "blind"),
        _native.greedy(task, task.initial_state, "blind"),
        _native.lookahead(task, task.initial_state, length)[0],
    ):
        assert result.plan is not None
        assert len(result.plan) == length


def test_the_successor_generator_is_sparse() -> None:
    """Many values per variable and few operators per value: a dense tree would be quadratic."""
    count = 3_000
    operators = tuple(
        SasOperator(f"o {k}", ((0, k), (1, (k * 7) % count)), (SasEffect((), 2, 0, 1),), 1)
        for k in range(count)
    )
    task = native(SasTask(True, variables(count, count, 2), (), (0, 0, 0), ((2, 1),), operators))
    assert task.applicable(task.initial_state[None])[0].tolist() == [0]
    assert task.generator_bytes < 100 * count


@pytest.mark.parametrize(
    ("states", "complaint"),
    [
        (np.zeros((2, 3), dtype=np.uint16), "states have 3 columns, but the task has 4"),
        (np.full((2, 4), 2, dtype=np.uint16), "state 0 gives variable 0 the value 2"),
    ],
)
def test_states_that_do_not_fit_are_refused(
    states: np.ndarray[tuple[int, int], np.dtype[np.uint16]], complaint: str
) -> None:
    task = native(switches(4))
    for question in (task.applicable, task.all_successors, task.is_goal, task.hashes):
        with pytest.raises(ValueError, match=complaint):
            question(states)
    with pytest.raises(ValueError, match=complaint):
        _native.Heuristic(task, "hmax").evaluate(states)


def test_numbers_are_never_converted_in_silence() -> None:
    task = native(switches(1))
    for wrong in (np.array([[65537]]), np.array([[-65535]]), np.array([[1.9]])):
        with pytest.raises(TypeError):
            task.is_goal(wrong)
    with pytest.raises(TypeError):
        task.is_applicable(task.initial_state[None], np.array([2**32]))


def test_strided_arrays_are_read_as_they_look() -> None:
    task = native(switches(3))
    states = np.array([[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1]], dtype=np.uint16)
    assert task.is_goal(states[::-2]).tolist() == [True, True]
    assert task.is_goal(states[:, ::-1]).tolist() == [False, True, False, True]


def test_operators_that_do_not_fit_are_refused() -> None:
    task = native(switches(2))
    start = task.initial_state[None]
    with pytest.raises(ValueError, match="operator 1 is not applicable in state 0"):
        task.successors(start, np.array([1], dtype=np.int32))
    with pytest.raises(IndexError, match="there is no operator 99"):
        task.successors(start, np.array([99], dtype=np.int32))
    with pytest.raises(ValueError, match="1 states, but 2 operators"):
        task.successors(start, np.array([0, 0], dtype=np.int32))
    assert task.is_applicable(start, np.array([-1], dtype=np.int32)).tolist() == [False]


def mixed(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def content_hash(values: list[int]) -> int:
    """The definition of the hash, in arithmetic that no machine does differently."""
    step = 0x9E3779B97F4A7C15
    result = mixed((step + len(values)) % 2**64)
    for at in range(0, len(values), 4):
        word = sum(value << (16 * k) for k, value in enumerate(values[at : at + 4]))
        result = mixed((result + step + word) % 2**64) ^ (word * 0xD6E8FEB86659FD93 % 2**64)
    return mixed(result)


def test_content_hashes_are_the_same_everywhere() -> None:
    task = native(SasTask(True, variables(*([60_000] * 2), 2, 2, 9), (), (0,) * 5, (), ()))
    states = np.array([[0, 0, 0, 0, 0], [59_999, 3, 1, 0, 8], [1, 59_999, 0, 1, 0]], np.uint16)
    assert task.hashes(states).tolist() == [content_hash(row) for row in states.tolist()]
    assert content_hash([59_999, 3, 1, 0, 8]) == KNOWN_HASH


KNOWN_HASH = 0x69F0CCA6E34CFAD1
