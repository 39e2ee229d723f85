"""The two filters in front of the pool."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.pipeline.pool.novelty import make_filter
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.tasks.grounded.task import StateArray
from tests.unit.fuzzing.tasks import switches_task

TASK = switches_task(3)


def states(*rows: str) -> StateArray:
    return np.array([[int(value) for value in row] for row in rows], dtype=np.uint16)


def pool_of(*rows: str) -> Pool:
    pool = Pool(TASK)
    for state in states(*rows):
        pool.add(state)
    return pool


def test_without_a_filter_every_new_state_enters() -> None:
    accepts = make_filter(pool_of("000", "111"), 0)
    assert accepts.admit(states("000", "011", "111", "100")).tolist() == [False, True, False, True]
    assert accepts.would_admit(states("000", "011")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, [False, False, False, False, False]),
        (2, [True, True, True, False, False]),
        (3, [True, True, True, True, False]),
    ],
)
def test_states_are_judged_one_after_the_other(depth: int, expected: list[bool]) -> None:
    accepts = make_filter(pool_of("000", "111"), depth)
    offered = states("011", "101", "110", "001", "011")
    assert accepts.admit(offered).tolist() == expected
    assert not accepts.admit(offered).any(), "the second time nothing is new"


def test_asking_does_not_change_the_answer() -> None:
    accepts = make_filter(pool_of("000"), 1)
    for _ in range(2):
        assert accepts.would_admit(states("100", "110", "000")).tolist() == [True, True, False]
    assert accepts.admit(states("110", "100")).tolist() == [True, False]


def test_the_whole_pool_counts() -> None:
    many = pool_of("000", "001", "010", "011", "100")
    assert make_filter(many, 3).admit(states("000", "100", "101")).tolist() == [False, False, True]
