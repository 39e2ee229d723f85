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


@pytest.mark.parametrize("variables", [1, 8, 9, 31, 32, 33, 51, 64, 65, 100])
def test_the_registry_agrees_with_a_dictionary(variables: int) -> None:
    registry = _native.StateRegistry(native(switches(variables)))
    rng = np.random.default_rng(variables)
    known: dict[bytes, int] = {}
    seen: list[np.ndarray] = []
    for size in (1, 7, 400, 3000, 9000):  # the index splits its pages at every power of two
        states = rng.integers(0, 2, (size, variables)).astype(np.uint16)
        if size > 1:  # many again, some of them within the same batch
            again = np.concatenate([*seen, states])[rng.integers(0, size, size // 2)]
            states = rng.permutation(np.concatenate([states, again]))
        expected = [known.setdefault(state.tobytes(), len(known)) for state in states]
        assert registry.insert(states).tolist() == expected
        seen.append(states)
    everything = np.concatenate(seen)
    assert len(registry) == len(known)
    ids = np.array([known[state.tobytes()] for state in everything])
    assert registry.find(everything).tolist() == ids.tolist()
    assert (registry.states(ids) == everything).all()
    strangers = rng.integers(0, 2, (2000, variables)).astype(np.uint16)
    assert registry.find(strangers).tolist() == [known.get(s.tobytes(), -1) for s in strangers]


@pytest.mark.parametrize(
    ("variables", "packed_bytes"), [(600, 76), (128, 16), (90, 12), (55, 8), (43, 8)]
)
def test_memory_stays_close_to_the_packed_states(variables: int, packed_bytes: int) -> None:
    task = native(switches(variables))
    registry = _native.StateRegistry(task)
    states = np.random.default_rng(0).integers(0, 2, (60_000, variables)).astype(np.uint16)
    ids = np.concatenate([registry.insert(part) for part in np.array_split(states, 7)])
    assert ids.tolist() == list(range(60_000))
    assert registry.find(states[::-1]).tolist() == list(reversed(range(60_000)))
    assert registry.packed_bytes == packed_bytes
    assert registry.memory_bytes < 1.3 * len(registry) * registry.packed_bytes
