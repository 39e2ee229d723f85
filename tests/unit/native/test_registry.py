"""The state registry: stable ids and little memory beside the packed states."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve import _native
from tests.unit.native.chains import native, switches


def test_ids_follow_the_order_of_insertion() -> None:
    task = native(switches(3))
    registry = _native.StateRegistry(task)
    rows = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 1]], dtype=np.uint16)
    assert registry.insert(rows).tolist() == [0, 1, 0]
    assert registry.find(np.array([[1, 1, 1], [0, 0, 0]], dtype=np.uint16)).tolist() == [1, -1]
    assert registry.states(np.array([1, 0])).tolist() == [[1, 1, 1], [0, 0, 1]]
    assert len(registry) == 2
    with pytest.raises(IndexError, match="there is no state 2"):
        registry.states(np.array([2]))


@pytest.mark.parametrize(("variables", "packed_bytes"), [(600, 76), (90, 12)])
def test_memory_stays_close_to_the_packed_states(variables: int, packed_bytes: int) -> None:
    task = native(switches(variables))
    registry = _native.StateRegistry(task)
    states = np.random.default_rng(0).integers(0, 2, (60_000, variables)).astype(np.uint16)
    ids = np.concatenate([registry.insert(part) for part in np.array_split(states, 7)])
    assert ids.tolist() == list(range(60_000))
    assert registry.find(states[::-1]).tolist() == list(reversed(range(60_000)))
    assert registry.packed_bytes == packed_bytes
    assert registry.memory_bytes < 1.3 * len(registry) * registry.packed_bytes
