"""Walks go where weights and dead ends let them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bugsieve._native import LiveSuccessors, Walks
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases import make_bias
from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets
from bugsieve.pipeline.pool.draws import FIRST_STEP, draws_of
from bugsieve.pipeline.pool.walks import Walked, Walker
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.fuzzing.tasks import bench, line_bench, star_task, switches_task


class FixedBias(Bias):
    """Weighs successors by the value of their first variable, and offers some of them."""

    def __init__(self, bench: Bench, weights: list[int], offered: list[bool]) -> None:
        super().__init__(bench, "fixed")
        self._weights, self._offered = np.array(weights), np.array(offered)

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Look up the weights."""
        places = successors[:, 0]
        return BiasResult(self._weights[places], self._offered[places])


def walked(walker: Walker, task: Task, lengths: list[int], *, seed: int = 0) -> Walked:
    starts = np.repeat(task.initial_state[None], len(lengths), axis=0)
    return walker.walk(starts, np.array(lengths), draws_of(seed, np.arange(len(lengths))))


def test_steps_are_as_likely_as_their_weights() -> None:
    task = star_task(4)
    weights = [0, 1, 0, 2, 5]
    bias = FixedBias(bench(task, lambda place: place), weights, [False] * 5)
    result = walked(Walker(task, bias, prune_dead_ends=False), task, [1] * 8000)
    counts = Counter(result.offers.states[:, 0].tolist())
    assert sum(counts.values()) == result.steps == 8000
    assert counts[2] == 0
    for place in (1, 3, 4):
        likely = weights[place] / 8
        assert abs(counts[place] - 8000 * likely) < 5 * (8000 * likely * (1 - likely)) ** 0.5


def test_dead_ends_are_left_out() -> None:
    task = star_task(5)
    one = bench(task, lambda place: place)
    pruned = walked(Walker(task, make_bias("uniform", one)), task, [3] * 40)
    assert set(pruned.offers.states[:, 0].tolist()) == {5}
    free = walked(Walker(task, make_bias("uniform", one), prune_dead_ends=False), task, [3] * 40)
    assert set(free.offers.states[:, 0].tolist()) == {1, 2, 3, 4, 5}


def test_a_walk_ends_where_nothing_is_left_to_choose() -> None:
    task = star_task(2)
    one = bench(task, lambda place: place)
    result = walked(Walker(task, make_bias("uniform", one)), task, [9, 9])
    assert result.offers.steps.tolist() == [1, 1]
    zero = FixedBias(one, [0, 0, 0], [False, True, False])
    stuck = walked(Walker(task, zero, prune_dead_ends=False), task, [9, 9])
    assert stuck.steps == 0
    assert stuck.offers.rows.tolist() == [0, 1], "no end without a step, but what the bias wants"
    assert stuck.offers.states[:, 0].tolist() == [1, 1]
    assert [stuck.path(offer) for offer in range(2)] == [(0,), (0,)]


def test_one_of_the_offers_beside_a_walk_is_drawn_evenly_and_its_end_stays() -> None:
    task = star_task(4)
    bias = FixedBias(
        bench(task, lambda place: place), [0, 0, 0, 0, 1], [False, True, True, True, False]
    )
    draws = draws_of(3, np.arange(6000))
    every = walked(Walker(task, bias, prune_dead_ends=False), task, [1] * 6000, seed=3)
    places = every.with_one_each(draws).offers.states[:, 0].reshape(6000, 2)
    assert (places[:, 1] == 4).all()
    counts = Counter(places[:, 0].tolist())
    assert counts.keys() == {1, 2, 3}
    assert all(abs(count - 2000) < 5 * (6000 * 2 / 9) ** 0.5 for count in counts.values())


def test_walks_keep_the_only_states_they_offer() -> None:
    one = line_bench(9)
    nothing_beside = FixedBias(one, [1] * 9, [False] * 9)
    nowhere_to_go = FixedBias(one, [0] * 9, [True] * 9)
    for bias in (nothing_beside, nowhere_to_go):
        every = walked(Walker(one.task, bias), one.task, [2, 1, 3])
        kept = every.with_one_each(draws_of(0, np.arange(3)))
        assert kept.offers.rows.tolist() == every.offers.rows.tolist() == [0, 1, 2]
        assert np.array_equal(kept.offers.states, every.offers.states)
        assert [kept.path(row) for row in range(3)] == [every.path(row) for row in range(3)]


def test_offers_come_by_walk_then_by_step_then_by_operator() -> None:
    one = line_bench(9)
    bias = FixedBias(one, [1] * 9, [True] * 9)
    result = walked(Walker(one.task, bias), one.task, [2, 1, 3], seed=4)
    offers = result.offers
    assert offers.rows.tolist() == sorted(offers.rows.tolist())
    for row, length in enumerate([2, 1, 3]):
        own = np.flatnonzero(offers.rows == row)
        *beside, end = own.tolist()
        keys = [(int(offers.steps[i]), int(offers.operators[i])) for i in beside]
        assert keys == sorted(keys)
        assert len(result.path(end)) == length
    for offer in range(len(offers.rows)):
        state = one.task.initial_state[None]
        for operator in result.path(offer):
            state = one.task.successors(state, [operator])
        assert state.tolist() == offers.states[offer : offer + 1].tolist()


def test_a_walk_may_pass_the_goal() -> None:
    one = line_bench(2)
    result = walked(Walker(one.task, make_bias("uniform", one)), one.task, [4])
    assert result.path(0) == (0, 1, 0, 1)


def test_the_walks_of_a_batch_do_not_disturb_each_other() -> None:
    task = switches_task(5)
    walker = Walker(task, make_bias("uniform", bench(task, lambda place: 0)))
    together = walked(walker, task, [4] * 30)
    for walk in (0, 17, 29):
        draws = draws_of(0, np.array([walk]))
        alone = walker.walk(task.initial_state[None], np.array([4]), draws)
        assert alone.path(0) == together.path(walk)


def test_wrong_weights_are_refused() -> None:
    one = line_bench(4)
    live = LiveSuccessors(one.task.native, prune_dead_ends=True)
    draws = draws_of(0, np.arange(1))
    walks = Walks(live, draws, FIRST_STEP, one.task.initial_state[None], np.array([3]))
    with pytest.raises(ValueError, match="1 weights for 0 successors"):
        walks.move(np.array([1]), None)
    walks.expand(10)
    with pytest.raises(ValueError, match="2 weights for 1 successors"):
        walks.move(np.array([1, 1]), None)
    with pytest.raises(ValueError, match="must not be negative"):
        walks.move(np.array([-1]), None)
    with pytest.raises(ValueError, match="one start, one length and its draws"):
        Walks(live, draws, FIRST_STEP, one.task.initial_state[None], np.array([3, 3]))
