"""The share of tests with a bug, and the risk of a new cause."""

from __future__ import annotations

import random

import pytest

from bugsieve.pipeline.measuring.binomial import lower_limit, upper_limit
from bugsieve.pipeline.measuring.figures import (
    FINE,
    UNDECIDED,
    Risk,
    SampledTest,
    Share,
    figures_of,
    first_look_below,
    least_limit,
)


def bug(*causes: str) -> SampledTest:
    return SampledTest(frozenset(causes))


def test_the_share_reaches_from_the_proven_to_the_possible() -> None:
    share = Share.of([bug("a")] * 10 + [UNDECIDED] * 5 + [FINE] * 85, 0.02)
    assert (share.bugs, share.undecided, share.estimate) == (10, 5, 0.1)
    assert share.low == lower_limit(10, 100, 0.01)
    assert share.high == upper_limit(15, 100, 0.01)


def test_a_test_with_a_proven_bug_is_decided_whatever_else_is_open() -> None:
    share = Share.of([SampledTest(frozenset("a"), is_open=True)] * 2, 0.02)
    assert (share.bugs, share.undecided) == (2, 0)


def test_new_is_what_the_first_half_has_not_shown() -> None:
    first = [bug("a"), FINE, bug("b"), FINE]
    second = [bug("a"), bug("c"), bug("c"), UNDECIDED]
    risk = Risk.of(first + second, 0.05)
    assert risk.new == 3  # a cause that occurs twice is new twice, and so is what nobody decided
    assert risk.limit == upper_limit(3, 4, 0.05)


def test_the_estimate_counts_causes_that_one_test_has_shown() -> None:
    tests = [bug("a"), bug("a"), bug("b"), bug("a", "c"), FINE, UNDECIDED, FINE, FINE]
    assert Risk.of(tests, 0.05).estimate == 3 / 8


def test_a_test_with_a_known_and_a_new_cause_is_new() -> None:
    assert Risk.of([bug("a"), bug("a", "b")], 0.05).new == 1


def test_between_looks_figures_are_those_of_the_last_one() -> None:
    before = figures_of([FINE] * 100)
    later = figures_of([FINE] * 100 + [bug("a")] * 99)
    assert later.looks == before.looks
    assert (later.tests, later.causes) == (199, {"a": 99})
    assert figures_of([FINE] * 99).share is None


def test_the_commonest_cause_comes_first() -> None:
    tests = [bug("b"), bug("a"), bug("c"), bug("c")]
    assert list(figures_of(tests).causes.items()) == [("c", 2), ("a", 1), ("b", 1)]


def test_halving_the_limit_takes_the_tests_that_are_said() -> None:
    tests = [FINE] * 50 + [bug("a")] + [FINE] * 49
    risk = figures_of(tests).risk
    assert risk is not None
    later = figures_of(tests + [FINE] * (risk.halved_at - 100))
    assert later.risk is not None
    assert later.risk.limit <= risk.limit / 2
    assert later.looks[-2].risk.limit > risk.limit / 2


def test_a_risk_is_in_reach_from_some_look_on() -> None:
    assert least_limit(1600) == pytest.approx(0.00796, abs=1e-5)
    assert first_look_below(0.008) == 1600
    assert first_look_below(0.00796) == 3200


def test_the_limit_on_the_risk_holds_where_nearly_everything_is_rare() -> None:
    """300 causes of 0.2 % each: most tests of small samples show something new."""
    rng = random.Random(5)
    causes = [bug(str(number)) for number in range(300)]
    kept = 0
    for _ in range(60):
        tests = [rng.choice(causes) if rng.random() < 0.6 else FINE for _ in range(400)]
        looks = figures_of(tests).looks
        seen = [{c for test in tests[: look.tests] for c in test.causes} for look in looks]
        truths = [0.6 * (1 - len(known) / 300) for known in seen]
        kept += all(t <= look.risk.limit for t, look in zip(truths, looks, strict=True))
        estimate = looks[-1].risk.estimate
        assert abs(estimate - truths[-1]) < 0.1
    assert kept >= 58
