"""The native dominance function equals the naive one value by value, and is sound."""

from __future__ import annotations

from itertools import product
from math import inf
from random import Random

import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import StateArray
from tests.depth import examples
from tests.unit.dominance.checks import Table, assert_sound, table_of
from tests.unit.dominance.merging import atomic_blocks, dfp_blocks
from tests.unit.dominance.mistaken_cases import CASES, Case, reachable_task
from tests.unit.dominance.naive import NaiveDominance, State, all_states, h_star
from tests.unit.dominance.plans import cost_of, is_goal, run, some_plan
from tests.unit.dominance.random_tasks import KINDS, random_task, random_tasks
from tests.unit.dominance.small_tasks import small_task

LIMITS = (0, 30, 300, 10_000)
TAUS = ("stages", "local", "none")
FLOOR = 40
"""Values that sink for ever sink quicker to this one."""
EVERY_KIND = pytest.mark.parametrize("first", range(len(KINDS)), ids=KINDS)


def _batch(states: list[State]) -> StateArray:
    return np.array(states, dtype=np.uint16)


@EVERY_KIND
def test_blocks_and_values_equal_the_naive_ones(first: int) -> None:
    for number in range(first, examples(1200, quick=90), len(KINDS)):
        task = random_task(number)
        states = all_states(task)
        done = set()
        for limit, tau in product(LIMITS, TAUS):
            options = DominanceOptions(max_transitions=limit, tau=tau, floor=FLOOR)
            function = DominanceFunction.compute(task, options)
            assert function.blocks == dfp_blocks(task, limit)
            assert function.cut == ""
            if (function.blocks, tau) not in done:
                done.add((function.blocks, tau))
                naive = NaiveDominance(task, function.blocks, tau=tau, floor=FLOOR)
                values = function.between(_batch(states), _batch(states))
                np.testing.assert_array_equal(values, table_of(naive, states), str(options))


@EVERY_KIND
def test_sound_on_all_pairs(first: int) -> None:
    for number in range(first, examples(6000, quick=240), len(KINDS)):
        task = random_task(number)
        states, h = all_states(task), h_star(task)
        limit = LIMITS[number // len(KINDS) % len(LIMITS)]
        function = DominanceFunction.compute(task, DominanceOptions(max_transitions=limit))
        assert_sound(function.between(_batch(states), _batch(states)), states, h)


@EVERY_KIND
def test_sound_when_a_limit_is_met_in_the_middle(first: int) -> None:
    """Then every factor falls back to walks, so no value is above that of the full function."""
    cuts = []
    for number in range(first, examples(600, quick=60), len(KINDS)):
        task = random_task(number)
        states, h = all_states(task), h_star(task)
        naive: dict[tuple[tuple[int, ...], ...], Table] = {}
        for work in (0, 1, 10, 30, 100, 300, 1000, 3000, 10_000, 1_000_000):
            options = DominanceOptions(max_transitions=30, floor=FLOOR, max_work=work)
            function = DominanceFunction.compute(task, options)
            values = function.between(_batch(states), _batch(states))
            assert_sound(values, states, h)
            if function.blocks not in naive:
                full = NaiveDominance(task, function.blocks, floor=FLOOR)
                naive[function.blocks] = table_of(full, states)
            assert (values <= naive[function.blocks]).all()
            assert function.cut or (values == naive[function.blocks]).all()
            cuts.append(function.cut)
    assert "" in cuts and any(cuts)


@EVERY_KIND
def test_replayed_plans_are_valid_and_cheap_enough(first: int) -> None:
    replayed = 0
    for number in range(first, examples(1200, quick=120), len(KINDS)):
        task, random = random_task(number), Random(number)
        options = DominanceOptions(
            max_transitions=random.choice((0, 0, 30, 10_000)),
            tau=random.choice(TAUS[:2]),
            floor=FLOOR,
        )
        function = DominanceFunction.compute(task, options)
        states = all_states(task)
        values = function.between(_batch(states), _batch(states))
        pairs = np.argwhere(values > -inf).tolist()
        for a, b in random.sample(pairs, min(10, len(pairs))):
            plan = some_plan(task, states[a], random)
            if plan is None:
                continue
            found = function.replay(states[a], plan, states[b])
            assert found is not None, (states[a], plan, states[b], options)
            assert is_goal(task, run(task, states[b], found))
            assert cost_of(task, found) <= cost_of(task, plan) - values[a, b]
            replayed += 1
    assert replayed > 50


def test_no_bound_no_replay() -> None:
    task = small_task("b=1", "a=1 -> b=1", initial="10")
    function = DominanceFunction.compute(task, DominanceOptions(merging="atomic"))
    assert function.between(_batch([(1, 0)]), _batch([(0, 0)])).tolist() == [[-inf]]
    assert function.replay((1, 0), [0], (0, 0)) is None
    assert function.replay((1, 0), [0], (1, 0)) == (0,)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mistake.name)
def test_known_mistakes_are_not_made(case: Case) -> None:
    task = reachable_task(case)
    states = all_states(task)
    function = DominanceFunction.compute(task, DominanceOptions(merging="atomic"))
    values = function.between(_batch(states), _batch(states))
    assert_sound(values, states, h_star(task))
    naive = NaiveDominance(task, atomic_blocks(task))
    np.testing.assert_array_equal(values, table_of(naive, states))


def test_atomic_is_merging_nothing() -> None:
    for task in random_tasks(examples(60)):
        for options in (DominanceOptions(merging="atomic"), DominanceOptions(max_transitions=0)):
            assert DominanceFunction.compute(task, options).blocks == atomic_blocks(task)


def test_blocks_of_few_states() -> None:
    merged = 0
    for task, limit in product(random_tasks(examples(120)), (4, 8)):
        options = DominanceOptions(max_states=limit)
        blocks = DominanceFunction.compute(task, options).blocks
        assert blocks == dfp_blocks(task, max_states=limit)
        merged += len(blocks) < task.num_variables
    assert merged


@pytest.mark.parametrize("cost", [1, 60])
def test_values_that_sink_for_ever_end_at_the_default_floor(cost: int) -> None:
    task = small_task("a=1", f"-> a=1,b=1 ({cost})", "b=0 -> a=1 (0)")
    states = all_states(task)
    function = DominanceFunction.compute(task, DominanceOptions(merging="atomic"))
    naive = NaiveDominance(task, atomic_blocks(task))
    values = function.between(_batch(states), _batch(states))
    np.testing.assert_array_equal(values, table_of(naive, states))


def test_a_small_floor_leaves_only_walks_below_it() -> None:
    for task, floor in product(random_tasks(examples(120)), (1, 2)):
        states, blocks = all_states(task), atomic_blocks(task)
        options = DominanceOptions(merging="atomic", floor=floor)
        function = DominanceFunction.compute(task, options)
        naive = NaiveDominance(task, blocks, floor=floor)
        values = function.between(_batch(states), _batch(states))
        np.testing.assert_array_equal(values, table_of(naive, states))


def test_batches_are_rows_and_columns_of_one_table() -> None:
    task = random_task(1)
    states = _batch(all_states(task))
    function = DominanceFunction.compute(task, DominanceOptions())
    table = function.between(states, states)
    assert table.dtype == np.float64 and table.shape == (len(states), len(states))
    np.testing.assert_array_equal(function.between(states[2:5], states[::3]), table[2:5, ::3])
    assert function.between(states[:0], states).shape == (0, len(states))
    assert function.between(states, states[:0]).shape == (len(states), 0)


def test_operators_with_many_conditions_are_refused_by_name() -> None:
    conditions = [f"{letter}=1" for letter in "bcdefgh"]
    fits = small_task("a=1", "-> " + ",".join(f"a=1 if {one}" for one in conditions[:6]))
    DominanceFunction.compute(fits, DominanceOptions())
    large = small_task("a=1", "-> " + ",".join(f"a=1 if {one}" for one in conditions))
    with pytest.raises(UnsupportedError, match="op0"):
        DominanceFunction.compute(large, DominanceOptions())


def test_dear_operators_are_seen_before_anything_is_computed() -> None:
    task = small_task("a=1", "-> a=1 (900000)")
    assert DominanceFunction.objection(task) == "an operator costs 900000"
    assert DominanceFunction.objection(small_task("a=1", "-> a=1 (800000)")) is None
    with pytest.raises(UnsupportedError, match="an operator costs 900000"):
        DominanceFunction.compute(task, DominanceOptions())
