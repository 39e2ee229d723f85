"""The naive novelty on cases worked out by hand."""

from __future__ import annotations

import pytest

from tests.reference.novelty import Novelty


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_smallest_new_set_counts(depth: int) -> None:
    store = Novelty(depth)
    states = [(0, 0, 0), (0, 0, 0), (1, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1)]
    # (0, 0, 1): its pairs came with the first, the fourth and the fifth state.
    new = [1, 4, 1, 2, 2, 2, 3]
    assert [store.insert(state) for state in states] == [min(size, depth + 1) for size in new]


def test_asking_adds_nothing() -> None:
    store = Novelty(2)
    store.insert((0, 0))
    assert [store.novelty(state) for state in [(0, 1), (0, 1), (0, 0)]] == [1, 1, 3]
