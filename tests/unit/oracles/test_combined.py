"""Combinations of oracles, from members whose answers are set by the test."""

from __future__ import annotations

import math

import pytest

from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, implied, inconclusive, passed
from bugsieve.pipeline.oracles.combined import AnyOracle, BestOfOracle, CombinedOracle
from bugsieve.pipeline.oracles.oracle import Oracle
from tests.unit.oracles.benches import places, road_bench, road_map

TASK = road_map(((0, 1, 1), (1, 2, 1)), places=3, goal=2)


def bug(gap: float, value: float = 1.0, *, exact: bool = False) -> Verdict:
    return Verdict(Outcome.BUG, "found", (0, 1), value, gap, exact)


class Fixed(Oracle):
    """Gives the same verdict on every suspect and counts them."""

    def __init__(self, bench: Bench, spec: str, verdict: Verdict) -> None:
        super().__init__(bench, spec)
        self.verdict = verdict
        self.asked = 0
        self.closed = False

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """The fixed verdict."""
        self.asked += len(suspects)
        return [self.verdict] * len(suspects)

    def close(self) -> None:
        """Remember it."""
        self.closed = True


def combined(kind: type[CombinedOracle], *verdicts: Verdict) -> tuple[Verdict, list[int]]:
    """The joint verdict on one state, and how often each member was asked."""
    bench = road_bench(TASK, {})
    oracle = kind(bench, "any:perfect")
    members = [Fixed(bench, f"m{i}", verdict) for i, verdict in enumerate(verdicts)]
    oracle.members = list(members)
    (verdict,) = oracle.judge(bench.suspects(places(0)))
    oracle.close()
    assert all(member.closed for member in members)
    return verdict, [member.asked for member in members]


def test_any_stops_at_the_first_bug() -> None:
    verdict, asked = combined(AnyOracle, inconclusive("x"), bug(1.0), bug(5.0))
    assert verdict.gap == 1.0 and verdict.reason == "m1: found"
    assert asked == [1, 1, 0]


def test_best_of_keeps_the_largest_gap() -> None:
    verdict, asked = combined(BestOfOracle, bug(1.0), bug(5.0), bug(2.0))
    assert verdict.gap == 5.0 and asked == [1, 1, 1]


def test_best_of_prefers_the_better_value_between_equal_gaps() -> None:
    verdict, _ = combined(BestOfOracle, bug(math.inf, 9.0), bug(math.inf, 4.0), bug(math.inf, 7.0))
    assert verdict.value == 4.0


@pytest.mark.parametrize("kind", [AnyOracle, BestOfOracle])
def test_proofs_end_the_questions(kind: type[CombinedOracle]) -> None:
    verdict, asked = combined(kind, passed("proven"), bug(1.0))
    assert verdict.outcome is Outcome.PASS and asked == [1, 0]
    verdict, asked = combined(kind, bug(1.0, exact=True), bug(9.0))
    assert verdict.gap == 1.0 and asked == [1, 0]


@pytest.mark.parametrize("kind", [AnyOracle, BestOfOracle])
def test_a_plan_is_worth_more_than_knowing_that_there_is_one(kind: type[CombinedOracle]) -> None:
    verdict, asked = combined(kind, implied("must be", gap=math.inf), bug(2.0))
    assert verdict.is_bug and asked == [1, 1]
    verdict, _ = combined(kind, inconclusive("x"), implied("must be", gap=1.0), inconclusive("y"))
    assert verdict.outcome is Outcome.IMPLIED


def test_excuses_are_collected() -> None:
    verdict, _ = combined(AnyOracle, inconclusive("spent"), inconclusive("gave up"))
    assert verdict == inconclusive("m0: spent; m1: gave up")
