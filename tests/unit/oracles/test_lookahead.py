"""Lookahead: a few steps of search, then the policy."""

from __future__ import annotations

import math

import pytest

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles import lookahead
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import ActionArray, StateArray
from bugsieve.tasks.search import Limits
from tests.unit.clock import Clock
from tests.unit.oracles.benches import RoadPolicy, places, road_bench, road_map

# A long way round 0-1-2-3-9 and shortcuts into it; the policy takes the long way.
ROADS = ((0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 9, 1), (0, 4, 1), (4, 5, 1), (5, 3, 0), (4, 9, 9))
TASK = road_map(ROADS, places=10, goal=9)
LONG_WAY = {0: 0, 1: 1, 2: 2, 3: 3, 5: 6}


def test_the_best_leaf_decides() -> None:
    bench = road_bench(TASK, LONG_WAY)
    (verdict,) = make_oracle("lookahead:2", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug
    assert verdict.plan == (4, 5, 6, 3)
    assert (verdict.value, verdict.gap) == (3.0, 1.0)


def test_a_smaller_depth_does_not_see_the_shortcut() -> None:
    bench = road_bench(TASK, LONG_WAY)
    (verdict,) = make_oracle("lookahead:1", bench).judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE


def test_a_failure_is_beaten_by_any_leaf_that_reaches_the_goal() -> None:
    for objective, gap in (("quantitative", math.inf), ("qualitative", 1.0)):
        bench = road_bench(TASK, {3: 3}, objective)
        (verdict,) = make_oracle("lookahead:2", bench).judge(bench.suspects(places(2)))
        assert verdict.is_bug and verdict.plan == (2, 3) and verdict.gap == gap


def test_the_way_to_the_leaf_must_avoid_the_condition_too() -> None:
    bench = road_bench(TASK, LONG_WAY, "avoid:(at p1)")
    (verdict,) = make_oracle("lookahead:2", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.plan == (4, 5, 6, 3)
    bench = road_bench(TASK, {**LONG_WAY, 0: 4, 4: 5}, "avoid:(at p4)")
    (verdict,) = make_oracle("lookahead:2", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.plan == (0, 1, 2, 3)


def test_an_exhausted_lookahead_is_a_proof() -> None:
    bench = road_bench(TASK, {2: 2, 3: 3})
    verdicts = make_oracle("lookahead:3", bench).judge(bench.suspects(places(2, 9)))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASS, Outcome.PASS]
    dead = road_map(((0, 1, 1),), places=3, goal=2)
    bench = road_bench(dead, {0: 0})
    (verdict,) = make_oracle("lookahead", bench).judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.PASS and "cannot be reached" in verdict.reason


def test_a_run_without_an_end_says_nothing() -> None:
    bench = road_bench(TASK, LONG_WAY, step_limit=2)
    (verdict,) = make_oracle("lookahead", bench).judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE and Ending.STEP_LIMIT.label in verdict.reason


def test_limits_are_named_and_leaves_count_as_expansions() -> None:
    bench = road_bench(TASK, LONG_WAY)
    oracle = make_oracle("lookahead:2", bench, limits=Limits(expansions=1))
    (verdict,) = oracle.judge(bench.suspects(places(0)))
    assert verdict.reason == "no better run within 2 steps, cut short by the limit on expansions"


class CountingPolicy(RoadPolicy):
    """Remembers where it was asked."""

    def __init__(self, choices: dict[int, int]) -> None:
        super().__init__(choices)
        self.asked: list[int] = []

    def choose(self, states: StateArray) -> ActionArray:
        """The roads, as ever."""
        self.asked += states[:, 0].tolist()
        return super().choose(states)


def test_runs_that_cannot_win_are_cut_off() -> None:
    # From 0 the goal is two steps away; from 1 the policy walks a road of a hundred places.
    endless = tuple((place, place + 1, 1) for place in range(2, 101))
    task = road_map((*endless, (0, 101, 1), (101, 102, 1), (0, 2, 1)), places=103, goal=102)
    policy = CountingPolicy({place: place - 2 for place in range(2, 101)} | {0: 99, 101: 100})
    bench = Bench(task, policy, make_objective("quantitative", task))
    (verdict,) = make_oracle("lookahead:1", bench).judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert max(set(policy.asked) - {101, 102}) < 10


@pytest.mark.parametrize("cells", [1, 7, 10**6])
def test_memory_portions_do_not_change_verdicts(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = road_bench(TASK, {3: 3, 5: 6, 0: 0})
    suspects = bench.suspects(places(*range(10)))
    expected = make_oracle("lookahead", bench).judge(suspects)
    monkeypatch.setattr(lookahead, "_CELLS_AT_A_TIME", cells)
    monkeypatch.setattr(lookahead, "_FIRST_WAVE", 1 + cells % 3)
    assert [v.outcome for v in make_oracle("lookahead", bench).judge(suspects)] == [
        v.outcome for v in expected
    ]


def test_no_suspects_no_verdicts() -> None:
    bench = road_bench(TASK, {})
    assert make_oracle("lookahead", bench).judge(bench.suspects(places())) == []


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_waves_under_a_time_limit_do_not_change_verdicts(
    monkeypatch: pytest.MonkeyPatch, objective: str
) -> None:
    monkeypatch.setattr(lookahead, "_FIRST_WAVE", 1)
    limits = Limits(expansions=1000, seconds=1e6)
    for policy in (LONG_WAY, {3: 3}):
        for depth in (1, 2, 3, 10):
            bench = road_bench(TASK, policy, objective)
            suspects = bench.suspects(places(*range(10)))
            expected = make_oracle(f"lookahead:{depth}", bench).judge(suspects)
            found = make_oracle(f"lookahead:{depth}", bench, limits=limits).judge(suspects)
            assert found == expected


def test_a_later_wave_that_wins_by_less_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "_FIRST_WAVE", 1)
    task = road_map(((0, 9, 9), (0, 1, 1), (1, 9, 2), (0, 2, 2), (2, 9, 2)), places=10, goal=9)
    bench = road_bench(task, {0: 0, 1: 2, 2: 4})
    for limits in (Limits(), Limits(seconds=1e6)):
        oracle = make_oracle("lookahead:1", bench, limits=limits)
        (verdict,) = oracle.judge(bench.suspects(places(0)))
        assert verdict.plan == (1, 2) and verdict.gap == 6.0


@pytest.mark.parametrize("depth", [2, 10])
def test_the_time_counts_runs_of_the_policy(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    """With depth 10 the search knows all states: but the goal is a leaf that nobody tried."""
    monkeypatch.setattr(lookahead, "_FIRST_WAVE", 1)
    for policy in (LONG_WAY, {0: 0, 1: 1}):
        bench = road_bench(TASK, policy)
        suspects = bench.suspects(places(0))
        with monkeypatch.context() as patch:
            Clock(patch, step=10.0)
            oracle = make_oracle(f"lookahead:{depth}", bench, limits=Limits(seconds=1.0))
            (verdict,) = oracle.judge(suspects)
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "cut short by the limit on seconds" in verdict.reason
