"""Rounds, their options, and the reasons to stop."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.pool.fuzzer import NO_WAY_OUT, NOTHING_NEW, POOL_FULL, Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from tests.property.engine import rows
from tests.reference.novelty import Novelty
from tests.unit.fuzzing.tasks import bench, line_bench, star_task, switches_task
from tests.unit.policies.line import at, line_task

UNIFORM = FuzzOptions(bias="uniform", novelty=0)


def switches_fuzzer(**options: Any) -> Fuzzer:
    task = switches_task(8)
    return Fuzzer(bench(task, lambda value: 0), FuzzOptions(**{"bias": "uniform", **options}))


def places(pool: Pool) -> list[int]:
    return [int(place) for place in pool.states()[:, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool_size": 0}, "the pool size must be at least 1, not 0"),
        ({"walk_length": 0}, "the walk length must be at least 1, not 0"),
        ({"round_walks": -3}, "the round walks must be at least 1, not -3"),
        ({"patience": 0}, "the patience must be at least 1, not 0"),
        ({"novelty": 4}, r"the novelty must be 0 \(no filter\) or 1 to 3, not 4"),
        ({"novelty": -1}, "or 1 to 3, not -1"),
        ({"bias": "unifrom"}, "did you mean 'uniform'"),
        ({"insert": "al"}, r"no insert 'al' \(did you mean 'all'\?\); there are one, all"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FuzzOptions(**options)


def test_the_pool_begins_with_the_initial_state() -> None:
    fuzzer = Fuzzer(line_bench(5), UNIFORM)
    assert places(fuzzer.pool) == [0]
    assert (fuzzer.walks_done, fuzzer.steps_done, fuzzer.finished) == (0, 0, None)
    with pytest.raises(UsageError, match="at least one state to start from"):
        Fuzzer(fuzzer.bench, UNIFORM, pool=Pool(fuzzer.bench.task))


def test_walks_start_from_all_roots_that_are_given() -> None:
    one = line_bench(200)
    pool = Pool(one.task)
    for place in (20, 120):
        pool.add(at(place)[0])
    fuzzer = Fuzzer(one, FuzzOptions(bias="uniform", novelty=0, pool_size=20), pool=pool)
    for entry in fuzzer.round():
        assert entry.parent in (0, 1)
        start, end = (20, 120)[entry.parent], places(fuzzer.pool)[entry.number]
        assert abs(start - end) <= 5
    assert {pool.entry(index).parent for index in range(2, len(pool))} == {0, 1}


def test_a_round_reports_its_entries_and_counts_its_walks() -> None:
    fuzzer = switches_fuzzer(novelty=0, round_walks=16)
    entries = fuzzer.round()
    assert fuzzer.walks_done == 16
    assert 16 <= fuzzer.steps_done <= 16 * 5
    assert entries == list(fuzzer.pool)[1:]
    walks = [entry.walk for entry in entries if entry.walk is not None]
    assert walks == sorted(set(walks))
    assert all(1 <= len(entry.actions) <= 5 and entry.parent == 0 for entry in entries)


def test_the_pool_is_cut_at_its_size() -> None:
    large, small = (switches_fuzzer(novelty=0, pool_size=size) for size in (1000, 17))
    large.round()
    small.round()
    assert len(small.pool) == 17
    assert list(small.pool) == list(large.pool)[:17]
    assert small.finished == POOL_FULL
    assert small.round() == []
    assert small.walks_done == 64


def test_the_seed_decides() -> None:
    def states(seed: int) -> list[list[int]]:
        fuzzer = switches_fuzzer(novelty=0, seed=seed)
        fuzzer.round()
        return [list(row) for row in rows(fuzzer.pool.states())]

    assert states(1) == states(1)
    assert states(1) != states(2)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_entry_is_novel(depth: int) -> None:
    fuzzer = switches_fuzzer(novelty=depth)
    for _ in range(5):
        fuzzer.round()
    seen = Novelty(depth)
    novelties = [seen.insert(state) for state in rows(fuzzer.pool.states())]
    assert max(novelties) <= depth
    assert len(fuzzer.pool) > 4 * depth


def test_a_small_state_space_is_all_found() -> None:
    fuzzer = Fuzzer(line_bench(12), UNIFORM)
    while fuzzer.finished is None:
        fuzzer.round()
    assert fuzzer.finished == NO_WAY_OUT
    assert sorted(places(fuzzer.pool)) == list(range(12))


def test_a_start_without_live_successors_is_no_way_out() -> None:
    task = star_task(3)
    pool = Pool(task)
    pool.add(np.array([1], dtype=np.uint16))
    fuzzer = Fuzzer(bench(task, lambda place: place), UNIFORM, pool=pool)
    assert fuzzer.finished == NO_WAY_OUT
    assert fuzzer.round() == []


def test_unsolved_successors_that_are_not_novel_are_no_way_out() -> None:
    # No run ever solves anything: walks make no step, and only offer what is one step away.
    task = switches_task(3)
    fuzzer = Fuzzer(bench(task, lambda value: -1), FuzzOptions(novelty=1))
    while fuzzer.finished is None:
        fuzzer.round()
    assert fuzzer.finished == NO_WAY_OUT
    assert fuzzer.steps_done == 0
    assert len(fuzzer.pool) == 4, "the initial state, and each switch turned on"


def test_a_filter_nobody_chose_is_loosened_step_by_step() -> None:
    # The filter of depth 2 admits 37 of the 256 states, that of depth 3 admits 93.
    fuzzer = switches_fuzzer(pool_size=10**6, patience=300)
    seen: dict[int, int] = {}
    while fuzzer.finished is None:
        fuzzer.round()
        seen[fuzzer.novelty] = len(fuzzer.pool)
    assert fuzzer.finished == NO_WAY_OUT
    assert list(seen) == [2, 3, 0]
    assert seen[2] < seen[3] < seen[0] == 2**8


def test_patience_ends() -> None:
    # All facts are met soon, but walks can still leave the pool.
    fuzzer = switches_fuzzer(novelty=1, patience=300)
    while fuzzer.finished is None:
        fuzzer.round()
    assert fuzzer.finished == NOTHING_NEW
    newest = fuzzer.pool.entry(len(fuzzer.pool) - 1).walk
    assert newest is not None
    assert 300 <= fuzzer.walks_done - newest - 1 < 300 + 64


def test_walks_under_policy_quality_keep_to_solved_states() -> None:
    # From place 5 on the policy only goes left: nothing there is solved.
    task = line_task(20)
    one = bench(task, lambda place: place if place < 5 else 19 + place - 1)
    pool = Pool(task)
    pool.add(at(3)[0])
    fuzzer = Fuzzer(one, FuzzOptions(novelty=0, pool_size=100), pool=pool)
    entries = fuzzer.round()
    assert fuzzer.steps_done == 0
    assert {places(fuzzer.pool)[entry.number] for entry in entries} == {2, 4}


def test_one_walk_fills_no_pool() -> None:
    # No run solves anything, so a walk makes no step and meets what is one step away.
    one = bench(switches_task(28), lambda value: -1)
    pools = {}
    for insert in ("one", "all"):
        fuzzer = Fuzzer(one, FuzzOptions(pool_size=200, insert=insert))
        while fuzzer.finished is None:
            fuzzer.round()
        pools[insert] = Counter(entry.walk for entry in fuzzer.pool)
    assert max(pools["all"].values()) == 28, "all that the first walk meets"
    assert set(pools["one"].values()) == {1}
    assert len(pools["all"]) < 20 < 200 == len(pools["one"])
