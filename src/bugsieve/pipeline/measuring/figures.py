"""The two figures of a measurement: the share of tests with a bug, and the risk of a new cause.

All that counts of a test is which causes it shows, and whether something in it was left open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bugsieve.pipeline.measuring.binomial import lower_limit, upper_limit
from bugsieve.pipeline.measuring.looks import error_at, look_from, looks


@dataclass(frozen=True)
class SampledTest:
    """The result of one test."""

    causes: frozenset[str] = frozenset()
    """Of its proven bugs, by their ids."""
    is_open: bool = False
    """True if there is, or may be, a bug without a proof."""

    @property
    def is_undecided(self) -> bool:
        """Return true if it is unknown whether it has a bug."""
        return self.is_open and not self.causes


FINE = SampledTest()
UNDECIDED = SampledTest(is_open=True)


@dataclass(frozen=True)
class Share:
    """The share of all tests that could be drawn that has a proven bug."""

    bugs: int
    undecided: int
    tests: int
    low: float
    """A limit from below, for the proven bugs."""
    high: float
    """A limit from above, should all undecided tests have a bug."""

    @property
    def estimate(self) -> float:
        """The share of the tests that were made."""
        return self.bugs / self.tests

    @classmethod
    def of(cls, tests: Sequence[SampledTest], error: float) -> Share:
        """Both limits together are wrong with a probability of at most `error`."""
        count = len(tests)
        bugs = sum(bool(test.causes) for test in tests)
        undecided = sum(test.is_undecided for test in tests)
        low = lower_limit(bugs, count, error / 2)
        return cls(bugs, undecided, count, low, upper_limit(bugs + undecided, count, error / 2))


@dataclass(frozen=True)
class Risk:
    """The risk that one more test shows a cause that was not seen before."""

    estimate: float
    """Of Good and Turing: the share of tests that alone show a cause, or were left open."""
    limit: float
    new: int
    """Tests of the second half with a cause that no test of the first half has, or left open."""
    halved_at: int
    """Tests after which the limit will be at most half of this, if nothing new turns up."""

    @classmethod
    def of(cls, tests: Sequence[SampledTest], error: float) -> Risk:
        """The limit is wrong with a probability of at most `error`.

        Given the first half, each test of the second one is new with the same probability. With
        more tests the unseen causes become fewer, so the limit holds after all.
        """
        half = len(tests) // 2
        seen = frozenset().union(*(test.causes for test in tests[:half]))
        new = sum(test.is_open or bool(test.causes - seen) for test in tests[half:])
        limit = upper_limit(new, len(tests) - half, error)
        return cls(_good_turing(tests), limit, new, _halved_at(len(tests), limit))


@dataclass(frozen=True)
class FiguresAtLook:
    """The figures after so many tests; they hold for all readers at every look."""

    tests: int
    share: Share
    risk: Risk


@dataclass(frozen=True)
class Figures:
    """The figures of a measurement; between looks, they are those of the last one."""

    tests: int
    """Made so far."""
    looks: tuple[FiguresAtLook, ...] = ()
    causes: Mapping[str, int] = field(default_factory=dict)
    """The number of tests that show each cause, those of most tests first."""
    distribution: str = ""
    """The distribution of tests, in one sentence."""

    @property
    def last(self) -> FiguresAtLook | None:
        """The last look; None before the first."""
        return self.looks[-1] if self.looks else None

    @property
    def share(self) -> Share | None:
        """The share at the last look."""
        return None if self.last is None else self.last.share

    @property
    def risk(self) -> Risk | None:
        """The risk at the last look."""
        return None if self.last is None else self.last.risk


def figures_of(tests: Sequence[SampledTest], distribution: str = "") -> Figures:
    """The figures of tests in the order of their numbers."""
    causes = Counter(cause for test in tests for cause in sorted(test.causes))
    ordered = dict(sorted(causes.items(), key=lambda item: (-item[1], item[0])))
    seen = tuple(look_at(tests[:count]) for count in looks(len(tests)))
    return Figures(len(tests), seen, ordered, distribution)


def look_at(tests: Sequence[SampledTest]) -> FiguresAtLook:
    """The figures at the look after these tests."""
    error = error_at(len(tests))
    return FiguresAtLook(len(tests), Share.of(tests, error), Risk.of(tests, error))


def least_limit(tests: int) -> float:
    """The limit on the risk at a look if its second half shows nothing new."""
    return upper_limit(0, tests // 2, error_at(tests))


def first_look_below(risk: float) -> int:
    """The first look at which the limit can be so small."""
    look = look_from(1)
    while least_limit(look) > risk:
        look *= 2
    return look


def _good_turing(tests: Sequence[SampledTest]) -> float:
    counts = Counter(cause for test in tests for cause in test.causes)
    alone = sum(test.is_open or any(counts[cause] == 1 for cause in test.causes) for test in tests)
    return alone / len(tests)


def _halved_at(tests: int, limit: float) -> int:
    look = look_from(tests + 1)
    while least_limit(look) > limit / 2:
        look *= 2
    return look
