"""Bounds: what the propositions say, and the oracle built on them."""

from __future__ import annotations

import math

import pytest

from bugsieve.pipeline.bench import Origin
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.pipeline.oracles.bounds import Point, proposition_8, proposition_10, proposition_11
from bugsieve.pipeline.oracles.registry import make_oracle
from tests.unit.oracles.benches import places, road_bench, road_map

# From 0 the policy goes the long way 0-1-2-3; from 4 it is right.
ROADS = ((0, 1, 2), (1, 2, 2), (2, 3, 2), (0, 3, 1), (4, 3, 1), (4, 0, 1), (5, 5, 1))
TASK = road_map(ROADS, places=6, goal=3)
LONG_WAY = {0: 0, 1: 1, 2: 2, 4: 4}


def test_the_propositions_on_numbers() -> None:
    cost = Quantitative(TASK)
    assert proposition_8(cost, Point(policy=9, optimistic=2, pessimistic=5)) == 4
    assert proposition_8(cost, Point(policy=5, optimistic=2, pessimistic=9)) == 0
    assert proposition_8(cost, Point(math.inf, 2, 5)) == math.inf
    assert proposition_8(cost, Point(math.inf, 2, math.inf)) == 0
    start = Point(policy=4, optimistic=3, pessimistic=4)
    assert proposition_10(cost, Point(policy=9, optimistic=2, pessimistic=5), start)
    assert not proposition_10(cost, Point(policy=6, optimistic=2, pessimistic=5), start)
    assert not proposition_10(cost, Point(policy=0, optimistic=0, pessimistic=0), start)
    assert proposition_11(cost, Point(policy=4, optimistic=0, pessimistic=1), start)
    assert not proposition_11(cost, Point(policy=2, optimistic=0, pessimistic=1), start)
    assert not proposition_11(cost, Point(policy=4, optimistic=0, pessimistic=3), start)


def test_both_infinite_values_leave_proposition_11_open_unless_the_start_is_dead() -> None:
    cost = Quantitative(TASK)
    s = Point(math.inf, 0, 1)
    assert not proposition_11(cost, s, Point(math.inf, 5, math.inf))
    assert proposition_11(cost, s, Point(math.inf, math.inf, math.inf))


@pytest.mark.parametrize("spec", ["bounds", "bounds:hmax,astar-lmcut", "bounds:blind,aras"])
def test_a_better_run_confirms(spec: str) -> None:
    bench = road_bench(TASK, LONG_WAY)
    (verdict,) = make_oracle(spec, bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.gap == 5.0
    assert verdict.reason.startswith("Proposition 8 with H from")


def test_the_bug_is_exact_where_both_bounds_meet() -> None:
    bench = road_bench(TASK, LONG_WAY)
    (verdict,) = make_oracle("bounds:lmcut,ehc", bench).judge(bench.suspects(places(0)))
    assert verdict.exact
    (verdict,) = make_oracle("bounds:blind,gbfs-9", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug


def test_an_optimistic_bound_as_bad_as_the_policy_is_a_pass() -> None:
    bench = road_bench(TASK, LONG_WAY)
    verdicts = make_oracle("bounds:lmcut,ehc", bench).judge(bench.suspects(places(4, 5)))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASS, Outcome.PASS]
    assert verdicts[0].reason == "lmcut shows that no run is better"


def test_the_start_of_the_walk_is_compared_with() -> None:
    bench = road_bench(TASK, LONG_WAY)
    origin = Origin(places(4)[0], (5,))
    (verdict,) = make_oracle("bounds", bench).judge(bench.suspects(places(0), [origin]))
    assert verdict.reason == "Propositions 8 and 10 with H from ehc"


def test_for_reaching_the_goal_the_bounds_are_dead_ends_and_plans() -> None:
    bench = road_bench(TASK, {0: 0}, "qualitative")
    verdicts = make_oracle("bounds", bench).judge(bench.suspects(places(0, 5)))
    assert verdicts[0].is_bug and verdicts[0].gap == 1.0
    assert verdicts[1].outcome is Outcome.PASS


def test_where_the_condition_holds_the_bound_is_the_worst() -> None:
    bench = road_bench(TASK, LONG_WAY, "avoid:(at p1)")
    verdicts = make_oracle("bounds", bench).judge(bench.suspects(places(1, 0)))
    assert verdicts[0].outcome is Outcome.PASS
    assert verdicts[1].is_bug and verdicts[1].plan == (3,)
