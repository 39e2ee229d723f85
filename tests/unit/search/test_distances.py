"""The front of the path distances: what it answers, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UsageError
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import PathDistances
from tests.unit.native.chains import chain, native, switches


def test_distances_along_a_chain() -> None:
    paths = PathDistances(Task(native(chain(9, cost=3)), name="chain"))
    states = np.arange(10, dtype=np.uint16)[:, None]
    found = paths.hff(states, np.tile(states, (10, 1)), np.arange(0, 101, 10))
    assert found.dtype == np.int32
    for source in range(10):
        row = found[10 * source : 10 * source + 10].tolist()
        assert row == [DEAD_END] * source + [3 * steps for steps in range(10 - source)]


def test_switches_count_those_that_differ() -> None:
    task = Task(native(switches(5)), name="switches")
    states = np.random.default_rng(0).integers(0, 2, (40, 5), dtype=np.uint16)
    found = PathDistances(task).hff(states, states[::-1], range(41))
    assert found.tolist() == (states != states[::-1]).sum(axis=1).tolist()


def test_no_sources_and_sources_without_targets() -> None:
    paths = PathDistances(Task(native(switches(2)), name="switches"))
    nothing = np.empty((0, 2), dtype=np.uint16)
    assert paths.hff(nothing, nothing, [0]).tolist() == []
    assert paths.hff([[0, 0], [1, 1]], [[0, 1]], [0, 0, 1]).tolist() == [1]
    assert repr(paths) == "<PathDistances of 'switches'>"


@pytest.mark.parametrize("offsets", [[0, 2], [0, 2, 1], [1, 1, 1], [0, 0, 2], [0, -1, 1]])
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    paths = PathDistances(Task(native(switches(2)), name="switches"))
    with pytest.raises(UsageError, match="offsets"):
        paths.hff([[0, 0], [1, 1]], [[0, 1]], offsets)


def test_wrong_arrays_are_refused() -> None:
    paths = PathDistances(Task(native(switches(2)), name="switches"))
    with pytest.raises(UsageError, match="offsets are a list of whole numbers"):
        paths.hff([[0, 0]], [[0, 1]], [0.0, 1.0])
    with pytest.raises(UsageError, match="states of this task have 2 values"):
        paths.hff([[0, 0]], [[0, 1, 1]], [0, 1])
    with pytest.raises(UsageError, match="state 0 gives variable 1 the value 2"):
        paths.hff([[0, 0]], [[0, 2]], [0, 1])
