"""Choosing by the values of successors does not depend on how many values are remembered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import batch, native_task
from tests.property.strategies import ANY, seeded_task, seeds, some_states
from tests.unit.native.chains import native, switches


@given(seed=seeds(), improving=st.booleans(), max_bytes=st.sampled_from([0, 2000]))
@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
def test_forgetting_changes_nothing(seed: int, improving: bool, max_bytes: int) -> None:
    reference = seeded_task(seed, ANY)
    task = native_task(reference)
    states = batch(reference, some_states(reference, seed, 40))
    remembers = _native.BestSuccessors(task, "hff", improving=improving)
    forgets = _native.BestSuccessors(task, "hff", improving=improving, max_bytes=max_bytes)
    expected = remembers.choose(states).tolist()
    assert forgets.choose(states).tolist() == expected
    pieces = [forgets.choose(states[row : row + 3]) for row in range(0, 40, 3)]
    assert np.concatenate(pieces).tolist() == expected


def test_many_successors_are_compared_in_several_portions() -> None:
    task = native(switches(12))
    states = np.zeros((1500, 12), dtype=np.uint16)
    states[np.arange(1500), np.arange(1500) % 12] = 1
    best = _native.BestSuccessors(task, "hadd", improving=True)
    alone = [best.choose(states[row : row + 1])[0] for row in range(12)]
    assert best.choose(states).tolist() == [alone[row % 12] for row in range(1500)]
    assert len(set(alone)) > 1


def test_wrong_calls_are_refused() -> None:
    task = native(switches(3))
    with pytest.raises(ValueError, match="unknown heuristic 'hfff'"):
        _native.BestSuccessors(task, "hfff", improving=True)
    best = _native.BestSuccessors(task, "hff", improving=False)
    with pytest.raises(ValueError, match="gives variable 0 the value 9"):
        best.choose(np.full((1, 3), 9, dtype=np.uint16))
    assert best.choose(np.zeros((0, 3), dtype=np.uint16)).tolist() == []
