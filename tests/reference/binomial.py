"""Tails of binomial distributions in fractions: slow, and obviously right."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def exactly(events: int, tests: int, probability: Fraction) -> Fraction:
    """How likely so many events are."""
    return comb(tests, events) * probability**events * (1 - probability) ** (tests - events)


def at_most(events: int, tests: int, probability: Fraction) -> Fraction:
    """How likely at most so many events are."""
    return sum((exactly(k, tests, probability) for k in range(events + 1)), Fraction(0))


def at_least(events: int, tests: int, probability: Fraction) -> Fraction:
    """How likely at least so many events are."""
    return sum((exactly(k, tests, probability) for k in range(events, tests + 1)), Fraction(0))
