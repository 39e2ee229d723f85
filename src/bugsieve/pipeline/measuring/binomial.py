"""Exact limits on a probability, from how often something happened (Clopper and Pearson, 1934)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

_NEGLIGIBLE = 1e-18
"""Terms of a tail fall at least geometrically: what follows such a one changes no digit."""

_PRECISION = 1e-12
"""Limits are wrong by that part at most, to the safe side."""


@lru_cache(maxsize=1 << 14)
def upper_limit(events: int, tests: int, error: float) -> float:
    """The largest probability of which so few events are not too unlikely.

    For every true probability, the limit is below it in at most a share `error` of all samples.
    """
    if events >= tests:
        return 1.0
    return _boundary(lambda p: at_most(events, tests, p) > error)[1]


@lru_cache(maxsize=1 << 14)
def lower_limit(events: int, tests: int, error: float) -> float:
    """The smallest probability of which so many events are not too unlikely."""
    if events <= 0:
        return 0.0
    return _boundary(lambda p: at_least(events, tests, p) <= error)[0]


def at_most(events: int, tests: int, probability: float) -> float:
    """The probability of at most so many events."""
    if probability <= 0.0 or events >= tests:
        return 1.0
    if probability >= 1.0 or events < 0:
        return 0.0
    # The sum begins with its largest term, so nothing is lost where that one is tiny.
    if events + 1 > (tests + 1) * probability:
        return max(0.0, 1.0 - at_least(events + 1, tests, probability))
    odds = (1.0 - probability) / probability
    return _tail(events, tests, probability, lambda k: k / (tests - k + 1) * odds, -1)


def at_least(events: int, tests: int, probability: float) -> float:
    """The probability of at least so many events."""
    if probability >= 1.0 or events <= 0:
        return 1.0
    if probability <= 0.0 or events > tests:
        return 0.0
    if events < (tests + 1) * probability:
        return max(0.0, 1.0 - at_most(events - 1, tests, probability))
    odds = probability / (1.0 - probability)
    return _tail(events, tests, probability, lambda k: (tests - k) / (k + 1) * odds, 1)


def _tail(
    first: int, tests: int, probability: float, ratio: Callable[[int], float], step: int
) -> float:
    """The sum of the terms from the first one on; `ratio` leads from one to the next."""
    term = total = math.exp(_log_term(first, tests, probability))
    count = first
    while term > total * _NEGLIGIBLE and 0 <= count + step <= tests:
        term *= ratio(count)
        total += term
        count += step
    return min(total, 1.0)


def _log_term(events: int, tests: int, probability: float) -> float:
    ways = math.lgamma(tests + 1) - math.lgamma(events + 1) - math.lgamma(tests - events + 1)
    rest = (tests - events) * math.log1p(-probability)
    return ways + events * math.log(probability) + rest


def _boundary(is_below: Callable[[float], bool]) -> tuple[float, float]:
    """Two close numbers between 0 and 1: below the first a test holds, above the second not."""
    low, high = 0.0, 1.0
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low, high
