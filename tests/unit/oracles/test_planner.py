"""Planners as oracles: better runs, and proofs that there are none."""

from __future__ import annotations

import math

import pytest

from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.tasks.search import Limits
from tests.unit.oracles.benches import places, road_bench, road_map

ROADS = ((0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 3, 2), (3, 4, 1), (5, 5, 1))
TASK = road_map(ROADS, places=6, goal=4)
LONG_WAY = {0: 0, 1: 1, 2: 2, 3: 4}
PLANNERS = ("astar-lmcut", "astar-hmax", "astar-blind", "ehc", "gbfs-100")


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_cheaper_plan_is_a_bug(planner: str) -> None:
    bench = road_bench(TASK, LONG_WAY)
    (verdict,) = make_oracle(f"planner:{planner}", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.plan == (3, 4)
    assert (verdict.value, verdict.gap) == (3.0, 1.0)
    assert verdict.exact == planner.startswith("astar")
    assert planner in verdict.reason


@pytest.mark.parametrize("planner", ["astar-lmcut", "gbfs-100"])
def test_a_complete_search_without_a_plan_is_a_pass(planner: str) -> None:
    bench = road_bench(TASK, LONG_WAY)
    verdicts = make_oracle(f"planner:{planner}", bench).judge(bench.suspects(places(1, 5)))
    assert [v.outcome for v in verdicts] == [Outcome.PASS, Outcome.PASS]
    assert "no plan is cheaper" in verdicts[0].reason
    assert "cannot be reached" in verdicts[1].reason


def test_values_that_cannot_be_beaten_need_no_planner() -> None:
    for objective in ("qualitative", "avoid:(at p5)"):
        bench = road_bench(TASK, LONG_WAY, objective)
        (verdict,) = make_oracle("planner:ehc", bench).judge(bench.suspects(places(0)))
        assert verdict.outcome is Outcome.PASS
    bench = road_bench(TASK, {})
    (verdict,) = make_oracle("planner:ehc", bench).judge(bench.suspects(places(4)))
    assert verdict.outcome is Outcome.PASS, "a plan of no cost is as cheap as can be"


def test_a_value_of_one_is_exact_for_any_planner() -> None:
    bench = road_bench(TASK, {}, "qualitative")
    (verdict,) = make_oracle("planner:ehc", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.exact and verdict.gap == 1.0


def test_where_the_condition_holds_already_nothing_is_better() -> None:
    bench = road_bench(TASK, LONG_WAY, "avoid:(at p1)")
    verdicts = make_oracle("planner:astar-lmcut", bench).judge(bench.suspects(places(1, 0)))
    assert verdicts[0].outcome is Outcome.PASS
    assert verdicts[1].is_bug and verdicts[1].plan == (3, 4)


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        (Limits(expansions=0), "expansions"),
        (Limits(seconds=0.0), "time"),
        (Limits(bytes=0), "memory"),
    ],
)
def test_spent_limits_are_named(limits: Limits, word: str) -> None:
    bench = road_bench(TASK, LONG_WAY)
    oracle = make_oracle("planner:astar-lmcut", bench, limits=limits)
    (verdict,) = oracle.judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE and word in verdict.reason


def test_the_number_of_expansions_in_the_name_counts() -> None:
    bench = road_bench(TASK, LONG_WAY)
    suspects = bench.suspects(places(0))
    (few,) = make_oracle("planner:gbfs-1", bench).judge(suspects)
    (many,) = make_oracle("planner:gbfs-9", bench, limits=Limits(expansions=0)).judge(suspects)
    assert few.outcome is Outcome.INCONCLUSIVE and many.is_bug


def test_an_infinite_gap() -> None:
    bench = road_bench(TASK, {0: 0})
    (verdict,) = make_oracle("planner:astar-lmcut", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.exact and verdict.gap == math.inf and verdict.value == 3.0
