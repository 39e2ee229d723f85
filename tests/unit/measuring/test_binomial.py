"""Exact limits on probabilities, beside published ones and beside fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bugsieve.pipeline.measuring.binomial import at_least, at_most, lower_limit, upper_limit
from tests.reference import binomial

_CLOSE = Fraction(1, 10**9)

# Two-sided 95 % limits as tables of Clopper and Pearson's give them.
PUBLISHED = [
    (0, 10, 0.0, 0.3085),
    (1, 10, 0.0025, 0.4450),
    (2, 10, 0.0252, 0.5561),
    (3, 10, 0.0667, 0.6525),
    (5, 10, 0.1871, 0.8129),
    (10, 10, 0.6915, 1.0),
    (0, 20, 0.0, 0.1684),
    (1, 20, 0.0013, 0.2487),
    (10, 100, 0.0490, 0.1762),
    (50, 100, 0.3983, 0.6017),
]


@pytest.mark.parametrize(("events", "tests", "low", "high"), PUBLISHED)
def test_limits_are_the_published_ones(events: int, tests: int, low: float, high: float) -> None:
    assert lower_limit(events, tests, 0.025) == pytest.approx(low, abs=5e-5)
    assert upper_limit(events, tests, 0.025) == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize(("events", "tests"), [(0, 7), (1, 1), (3, 50), (49, 50), (100, 200)])
@pytest.mark.parametrize("error", [0.025, 0.05 / 30, 1e-6])
def test_limits_are_where_the_exact_tails_say(events: int, tests: int, error: float) -> None:
    wanted = Fraction(error)
    high, low = (Fraction(limit(events, tests, error)) for limit in (upper_limit, lower_limit))
    if events < tests:
        assert binomial.at_most(events, tests, high + _CLOSE) < wanted
        assert binomial.at_most(events, tests, high - _CLOSE) > wanted
    if events:
        assert binomial.at_least(events, tests, low - _CLOSE) < wanted
        assert binomial.at_least(events, tests, low + _CLOSE) > wanted


@pytest.mark.parametrize("probability", [1e-9, 0.001, 0.3, 0.5, 0.999])
def test_tails_are_the_exact_ones(probability: float) -> None:
    for events in (0, 1, 29, 30, 31, 59, 60):
        exact = Fraction(probability)
        assert at_most(events, 60, probability) == pytest.approx(
            float(binomial.at_most(events, 60, exact)), rel=1e-11
        )
        assert at_least(events, 60, probability) == pytest.approx(
            float(binomial.at_least(events, 60, exact)), rel=1e-11
        )


def test_limits_of_nothing_and_of_everything_have_closed_forms() -> None:
    assert upper_limit(0, 800, 0.05 / 30) == pytest.approx(1 - (0.05 / 30) ** (1 / 800))
    assert lower_limit(800, 800, 0.01) == pytest.approx(0.01 ** (1 / 800))
    assert lower_limit(0, 5, 0.01) == 0.0
    assert upper_limit(5, 5, 0.01) == 1.0


def test_millions_of_tests_are_no_obstacle() -> None:
    low, high = lower_limit(400_000, 10**6, 0.0005), upper_limit(400_000, 10**6, 0.0005)
    # There the normal approximation is right to more digits than are asked for.
    spread = 3.2905 * (0.24 / 10**6) ** 0.5
    assert low == pytest.approx(0.4 - spread, abs=1e-5)
    assert high == pytest.approx(0.4 + spread, abs=1e-5)
