"""The pool keeps states apart and knows how each was reached."""

from __future__ import annotations

import pytest

from bugsieve.pipeline.pool.pool import Pool, PoolEntry
from tests.unit.policies.line import at, line_task

TASK = line_task(6)
RIGHT, LEFT = range(5), range(4, 10)
"""Operators by the place they start from; nothing leads left from place 0."""


@pytest.fixture
def pool() -> Pool:
    made = Pool(TASK)
    made.add(at(0)[0])
    made.add(at(4)[0])
    made.add(at(2)[0], parent=0, actions=[RIGHT[0], RIGHT[1]], walk=7)
    made.add(at(1)[0], parent=2, actions=(LEFT[2],), walk=9)
    made.add(at(3)[0], parent=1, actions=(LEFT[4],), walk=9)
    return made


def test_entries_come_back_as_they_went_in(pool: Pool) -> None:
    assert len(pool) == 5
    assert list(pool)[:3] == [
        PoolEntry(0, None),
        PoolEntry(1, None),
        PoolEntry(2, 0, (RIGHT[0], RIGHT[1]), 7),
    ]
    assert pool.states([2, 0]).tolist() == [[2], [0]]
    assert pool.states().tolist() == [[0], [4], [2], [1], [3]]


def test_a_state_enters_once(pool: Pool) -> None:
    assert pool.add(at(2)[0], parent=1, actions=(1,), walk=11) is None
    assert len(pool) == 5
    assert pool.entry(2).walk == 7
    assert pool.contains(at(0, 5, 3)).tolist() == [True, False, True]


def test_paths_lead_from_the_root(pool: Pool) -> None:
    assert pool.root_path(3) == (0, (RIGHT[0], RIGHT[1], LEFT[2]))
    assert pool.root_path(1) == (1, ())


def test_origins(pool: Pool) -> None:
    walked = pool.origin(3)
    assert walked is not None
    assert walked.start.tolist() == [2]
    assert walked.actions == (LEFT[2],)
    assert walked.from_initial == (RIGHT[0], RIGHT[1], LEFT[2])
    first = pool.origin(0)
    assert first is not None
    assert (first.actions, first.from_initial) == ((), ())
    assert pool.origin(1) is None, "a root that is not the initial state came from nowhere"
    elsewhere = pool.origin(4)
    assert elsewhere is not None
    assert elsewhere.from_initial is None
