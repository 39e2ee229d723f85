"""When campaigns stop before all their work is done, and the checks of such numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import option
from bugsieve.pipeline.measuring.looks import MOST_TESTS, is_look, look_from

DEFAULT_TESTS = 1600

STOPPING = "stopping"
LOOKS = "measuring"
"""Titles of the options of commands."""


@dataclass(frozen=True)
class StopRules:
    """When a campaign ends before all its work is done; None means never."""

    max_time: float | None = option(
        None,
        "after so many seconds, counted once all is loaded and the policy has started",
        is_time=True,
        metavar="S",
        group=STOPPING,
        rank=1,
    )
    """Seconds of running time, all sessions together."""
    max_bugs: int | None = option(None, "with so many bugs", group=STOPPING, rank=1)
    """The first so many bugs, in the order of the test states or walks."""
    until_stale: float | None = option(
        None,
        "after S seconds without a new bug",
        is_time=True,
        metavar="S",
        group=STOPPING,
        rank=3,
    )
    """Seconds without a new bug."""
    stale_rounds: int | None = option(
        None, "after N rounds of walks without a new bug", group=STOPPING, rank=3
    )
    """Rounds without a new bug; unlike seconds, the same on every machine."""
    tests: int | None = option(
        None, "tests to make (1600): 100, or twice as many as often as you like", group=LOOKS
    )
    """Of a measurement, which alone has some: a look at which it ends; None for 1600."""
    until_risk: float | None = option(
        None,
        "stop once one more test shows a new cause with a probability of at most R",
        least=0.0,
        most=1.0,
        metavar="R",
        group=LOOKS,
    )
    """Of a measurement: the first look at which the limit on the risk is so low."""
    max_calls: int | None = option(
        None,
        "before more than N questions to the policy; checks of its answers come on top, and no "
        "smallest examples are made",
        group=STOPPING,
        rank=2,
    )
    """Questions to the policy, all sessions together; checks of its answers come on top."""

    def __post_init__(self) -> None:
        require_number(self.max_time, "max_time")
        require_count(self.max_bugs, "max_bugs")
        require_count(self.max_calls, "max_calls")
        require_number(self.until_stale, "until_stale")
        require_count(self.stale_rounds, "stale_rounds")
        require_count(self.tests, "tests")
        check_fields(self)
        self._check_looks()

    @property
    def most_tests(self) -> int:
        """After how many tests a measurement ends at the latest."""
        return DEFAULT_TESTS if self.tests is None else self.tests

    def _check_looks(self) -> None:
        """UsageError if a measurement could not come to what is asked for."""
        from bugsieve.pipeline.measuring.figures import first_look_below, least_limit

        if self.tests is not None and self.tests > MOST_TESTS:
            raise UsageError(f"tests must be at most {MOST_TESTS}, got {self.tests}")
        if self.tests is not None and not is_look(self.tests):
            after = look_from(self.tests)
            before = f"{after // 2} or " if is_look(after // 2) else ""
            raise UsageError(
                f"limits are computed after 100, 200, 400, … tests, each time twice as many: "
                f"tests must be {before}{after}, not {self.tests}"
            )
        risk = self.until_risk
        if risk is None:
            return
        if not 0 < risk < 1:
            raise UsageError(f"until_risk must be a probability between 0 and 1, got {risk!r}")
        if risk < least_limit(MOST_TESTS):
            raise UsageError(f"until_risk must be at least {least_limit(MOST_TESTS):.1g}")
        if risk < least_limit(self.most_tests):
            raise UsageError(
                f"{self.most_tests} tests cannot show a risk of {risk:g}, even if nothing new "
                f"turns up: it takes {first_look_below(risk)} tests (--tests)"
            )


def require_count(value: int | None, name: str) -> None:
    """UsageError unless it is None or a whole number of at least 1."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and not (is_whole and value >= 1):
        raise UsageError(f"{name} must be a whole number of at least 1, got {value!r}")


def require_number(value: float | None, name: str) -> None:
    """UsageError unless it is None or a number of seconds above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (is_number and value > 0 and not math.isnan(value)):
        raise UsageError(f"{name} must be a number of seconds above 0, got {value!r}")


def require_utf8(text: str) -> None:
    """Options are kept in text files, which cannot hold a name that is no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{text}: the name is no valid UTF-8, rename the file") from None
