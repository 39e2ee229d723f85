"""Heuristic values at the edges: large costs, huge sums, many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bugsieve import _native
from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.unit.native.chains import chain, native, step, switches, variables

LARGEST_COST = 2**30 - 1


@pytest.mark.parametrize("name", ["hmax", "hadd", "hff", "lmcut"])
@pytest.mark.parametrize("cost", [0, 1, 700, 7_000, 70_000, 7_000_000])
def test_costs_of_every_width_give_the_same_value_in_every_batch(name: str, cost: int) -> None:
    task = native(chain(10, cost=cost))
    heuristic = _native.Heuristic(task, name)
    rows = np.arange(11, dtype=np.uint16).reshape(-1, 1)
    expected = [(10 - k) * cost for k in range(11)]
    assert heuristic.evaluate(rows).tolist() == expected
    assert heuristic.evaluate(np.tile(rows, (9, 1))).tolist() == expected * 9
    assert [int(heuristic.evaluate(row[None])[0]) for row in rows] == expected


@pytest.mark.parametrize("name", ["hmax", "hadd", "hff", "lmcut"])
def test_values_beyond_32_bits_stay_below_a_dead_end(name: str) -> None:
    task = native(chain(9, cost=LARGEST_COST))
    heuristic = _native.Heuristic(task, name)
    for batch in (1, 50):
        values = heuristic.evaluate(np.zeros((batch, 1), dtype=np.uint16))
        assert values.tolist() == [_native.DEAD_END - 1] * batch


def test_an_unreachable_goal_is_a_dead_end() -> None:
    task = native(SasTask(True, variables(3), (), (0,), ((0, 2),), (step(0, 0, 1),)))
    for name in ("hmax", "hadd", "hff", "lmcut"):
        values = _native.Heuristic(task, name).evaluate(np.array([[0], [1], [2]], dtype=np.uint16))
        assert values.tolist() == [_native.DEAD_END, _native.DEAD_END, 0]


def test_a_conditional_operator_pays_its_cost_once_in_lmcut() -> None:
    both = SasOperator(
        "both",
        (),
        (SasEffect(((2, 1),), 0, -1, 1), SasEffect(((3, 1),), 1, -1, 1)),
        5,
    )
    goal = ((0, 1), (1, 1))
    task = native(SasTask(True, variables(2, 2, 2, 2), (), (0, 0, 1, 1), goal, (both,)))
    start = task.initial_state
    assert _native.Heuristic(task, "lmcut").evaluate(start[None]).tolist() == [5]
    assert _native.astar(task, start).cost == 5


def doubling(levels: int) -> SasTask:
    """h^add doubles from level to level: each level needs both facts of the one before."""
    sizes = [2] * (2 * levels + 2)
    operators = [step(v, 0, 1, name=f"start {v}") for v in (0, 1)]
    for level in range(1, levels + 1):
        needed = ((2 * level - 2, 1), (2 * level - 1, 1))
        for v in (2 * level, 2 * level + 1):
            operators.append(SasOperator(f"o {v}", needed, (SasEffect((), v, 0, 1),), 1))
    goal = ((2 * levels, 1), (2 * levels + 1, 1))
    return SasTask(True, variables(*sizes), (), (0,) * len(sizes), goal, tuple(operators))


def test_sums_beyond_64_bits_are_no_dead_ends() -> None:
    levels = 70
    task = native(doubling(levels))
    for name in ("hadd", "hff"):
        heuristic = _native.Heuristic(task, name)
        single = int(heuristic.evaluate(task.initial_state[None])[0])
        batch = heuristic.evaluate(np.tile(task.initial_state, (40, 1)))
        assert batch.tolist() == [single] * 40
        assert single == (2 * levels + 2 if name == "hff" else _native.DEAD_END - 1)
        found = _native.greedy(task, task.initial_state, name, deferred=False)
        assert found.cost == 2 * levels + 2


def test_free_operators_do_not_support_each_other_beside_enormous_costs() -> None:
    operators = (step(1, 0, 1, cost=0), step(1, 1, 0, cost=0), *chain(5, cost=3_000_000).operators)
    task = native(SasTask(True, variables(6, 2), (), (0, 0), ((0, 5), (1, 1)), operators))
    for batch in (1, 40):
        values = _native.Heuristic(task, "hff").evaluate(np.tile(task.initial_state, (batch, 1)))
        assert values.tolist() == [15_000_000] * batch


@pytest.mark.parametrize("name", _native.HEURISTICS)
def test_an_empty_goal_costs_nothing(name: str) -> None:
    task = native(SasTask(True, variables(2), (), (0,), (), (step(0, 0, 1),)))
    for batch in (1, 40):
        states = np.zeros((batch, 1), dtype=np.uint16)
        assert _native.Heuristic(task, name).evaluate(states).tolist() == [0] * batch


def test_a_long_chain_walked_against_the_order_of_the_operators() -> None:
    """Sweeps settle one step at a time here; the lanes must give up in favour of Dijkstra."""
    length = 3_000
    up = chain(length).operators
    down = tuple(step(0, k + 1, k) for k in range(length))
    task = native(SasTask(True, variables(length + 1), (), (0,), ((0, 0),), up + down))
    states = np.full((40, 1), length, dtype=np.uint16)
    assert _native.Heuristic(task, "hmax").evaluate(states).tolist() == [length] * 40


def test_threads_share_a_heuristic() -> None:
    task = native(switches(12))
    states = np.random.default_rng(1).integers(0, 2, (500, 12)).astype(np.uint16)
    heuristic = _native.Heuristic(task, "hff")
    expected = (12 - states.sum(axis=1)).tolist()
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: heuristic.evaluate(states).tolist(), range(20)):
            assert values == expected


def test_preferred_operators_are_for_hff_only() -> None:
    task = native(switches(3))
    with pytest.raises(ValueError, match="hmax has no preferred operators"):
        _native.Heuristic(task, "hmax").evaluate_preferred(task.initial_state[None])
    with pytest.raises(ValueError, match="unknown heuristic 'hmx'"):
        _native.Heuristic(task, "hmx")
