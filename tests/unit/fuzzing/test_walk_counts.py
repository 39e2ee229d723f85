from __future__ import annotations

import numpy as np
import pytest

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.walk_counts import WalkCounts, counts_from, counts_of
from bugsieve.policies.registry import make_policy
from tests.unit.policies.line import line_task


def test_each_offer_enters_the_pool_or_is_counted_once() -> None:
    task = line_task(8)
    bench = Bench(task, make_policy("random:1", task), make_objective("quantitative", task))
    for novelty in (0, 1):
        options = FuzzOptions(pool_size=100, novelty=novelty, bias="uniform", round_walks=10)
        fuzzer = Fuzzer(bench, options)
        for _ in range(5):
            fuzzer.round()
        counts = fuzzer.counts
        entered = counts.offered - counts.duplicates - counts.filtered
        assert entered == len(fuzzer.pool) - 1
        assert counts.duplicates > 0


def test_offers_twice_in_a_round_are_duplicates() -> None:
    offers = np.array([[0], [1], [1], [2]], dtype=np.uint16)
    known, novel = np.array([True, False, False, False]), np.array([False, True, False, False])
    assert counts_of(offers, known, novel, 3) == WalkCounts(4, 2, 1, 3)


def test_counts_are_read_as_they_were_written() -> None:
    counts = WalkCounts(10, 4, 3, 1)
    assert counts_from(str(counts)) == counts
    assert counts - counts == WalkCounts() and counts + counts == WalkCounts(20, 8, 6, 2)
    for text in ("", "offered 1", "offered -1, duplicates 0, filtered 0, stuck 0", f"{counts},"):
        with pytest.raises(ValueError, match="no counts"):
            counts_from(text)
