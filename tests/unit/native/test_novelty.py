"""The novelty store: wrong calls, memory, threads and Ctrl-C."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from bugsieve import _native
from tests.unit.native.chains import native, switches


def random_rows(count: int, width: int) -> NDArray[np.uint16]:
    return np.random.default_rng(0).integers(0, 2, (count, width), dtype=np.uint16)


def test_rows_count_for_those_after_them() -> None:
    store = _native.NoveltyStore(native(switches(3)), 2)
    rows = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [0, 0, 1]], dtype=np.uint16)
    assert store.novelty(rows).tolist() == [1, 1, 1, 1]
    assert store.insert(rows).tolist() == [1, 1, 2, 3]
    assert store.insert(rows).dtype == np.int8
    assert store.insert(rows[:0]).tolist() == []


@pytest.mark.parametrize("depth", [-1, 0, 4])
def test_other_depths_are_refused(depth: int) -> None:
    with pytest.raises(ValueError, match=f"depth of a novelty store is 1, 2 or 3, not {depth}"):
        _native.NoveltyStore(native(switches(3)), depth)


def test_states_of_another_task_are_refused() -> None:
    store = _native.NoveltyStore(native(switches(3)), 1)
    with pytest.raises(ValueError, match="states have 2 columns, but the task has 3 variables"):
        store.insert(random_rows(1, 2))
    with pytest.raises(ValueError, match="state 0 gives variable 0 the value 2"):
        store.insert(np.full((1, 3), 2, dtype=np.uint16))


@pytest.mark.parametrize(("depth", "bits"), [(1, 1), (2, 60), (3, 60 * 60)])
def test_memory_is_about_a_bit_for_each_set_of_facts(depth: int, bits: int) -> None:
    store = _native.NoveltyStore(native(switches(60)), depth)
    empty = store.memory_bytes
    store.insert(random_rows(1000, 60))
    assert empty <= store.memory_bytes <= empty + 120 * bits / 8 * 2 + 64


def test_threads_may_share_a_store() -> None:
    rows = random_rows(4000, 60)
    store = _native.NoveltyStore(native(switches(60)), 2)
    answers: list[NDArray[np.int8]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(store.insert(rows))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        assert store.memory_bytes > 0
        thread.join()
    first = _native.NoveltyStore(native(switches(60)), 2).insert(rows).tolist()
    assert sorted(answer.tolist() for answer in answers) == sorted([first, *[[3] * 4000] * 3])


def test_an_interrupt_ends_a_long_insertion() -> None:
    store = _native.NoveltyStore(native(switches(100)), 3)
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        store.insert(random_rows(100_000, 100))
    timer.join()
