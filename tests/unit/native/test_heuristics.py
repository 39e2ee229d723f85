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
