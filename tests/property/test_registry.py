"""A state registry gives each state one id, in order of insertion, and gives it back."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import batch, native_task, rows
from tests.property.strategies import sas_tasks, seeds, some_states, wide_tasks
from tests.reference.sas import SasTask, State


def check_registry(task: SasTask, states: list[State], pieces: int) -> None:
    """Insertion in pieces numbers the states as a plain dictionary does."""
    registry = _native.StateRegistry(native_task(task))
    expected: dict[State, int] = {}
    assert set(registry.find(batch(task, states)).tolist()) == {-1}
    size = len(states) // pieces
    for start in range(0, len(states), size):
        piece = states[start : start + size]
        ids = [expected.setdefault(state, len(expected)) for state in piece]
        assert registry.insert(batch(task, piece)).tolist() == ids
        assert len(registry) == len(expected)
    everything = np.arange(len(expected), dtype=np.int64)
    assert rows(registry.states(everything)) == list(expected)
    assert rows(registry.states(everything[::-1].copy())) == list(expected)[::-1]
    known = registry.find(batch(task, states)).tolist()
    assert known == [expected[state] for state in states]
    assert len(registry) == len(expected), "looking up adds nothing"


@given(sas_tasks(), seeds())
@settings(max_examples=examples(150))
def test_ids_are_stable_and_states_come_back(task: SasTask, seed: int) -> None:
    check_registry(task, some_states(task, seed, 90), pieces=1 + seed % 5)


@given(wide_tasks(), seeds())
@settings(max_examples=examples(60))
def test_ids_are_stable_in_wide_tasks(task: SasTask, seed: int) -> None:
    check_registry(task, some_states(task, seed, 600), pieces=1 + seed % 5)


@given(sas_tasks(), seeds())
@settings(max_examples=examples(50))
def test_unknown_states_are_not_found(task: SasTask, seed: int) -> None:
    states = list(dict.fromkeys(some_states(task, seed, 40)))
    half = len(states) // 2
    registry = _native.StateRegistry(native_task(task))
    registry.insert(batch(task, states[:half]))
    found = registry.find(batch(task, states)).tolist()
    assert found == [*range(half), *[-1] * (len(states) - half)]
