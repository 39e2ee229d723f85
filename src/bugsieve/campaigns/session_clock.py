"""The clock of a session: when to stop, and when it is time for something again.

The clock decides when results are stored and when work ends, never what the results are.
"""

from __future__ import annotations

import time
from dataclasses import replace

from bugsieve.campaigns.stop_rules import StopRules

MAX_BUGS = "enough bugs"
MAX_CALLS = "no calls of the policy left"
MAX_TIME = "out of time"
STALE = "no new bugs"


_RESERVED = 10
"""One in so many seconds and calls is kept for asking the policy again at the end."""
_LEAST_SECONDS = 5.0


def without_reserve(rules: StopRules) -> StopRules:
    """The rules for the work, so that asking again at the end stays within the given ones."""
    time, calls = rules.max_time, rules.max_calls
    return replace(
        rules,
        max_time=None if time is None else time * (1 - 1 / _RESERVED),
        max_calls=None if calls is None else max(1, calls - calls // _RESERVED),
    )


def seconds_to_check(rules: StopRules, elapsed: float) -> float | None:
    """The time for asking again; some seconds in any case, for a process must start."""
    return None if rules.max_time is None else max(rules.max_time - elapsed, _LEAST_SECONDS)


class StopWatch:
    """Measures the running time of a campaign, all sessions together, and knows its stop rules."""

    def __init__(self, rules: StopRules, seconds_before: float) -> None:
        self._rules = rules
        self._before = seconds_before
        self.start = time.monotonic()

    def elapsed(self) -> float:
        """Running time, without the pauses."""
        return self._before + self.session_seconds()

    def session_seconds(self) -> float:
        """Running time of this session."""
        return time.monotonic() - self.start

    def deadline(self) -> float | None:
        """When work must stop, on the monotonic clock."""
        most = self._rules.max_time
        return None if most is None else self.start + most - self._before

    def reason(
        self, *, bugs: int, news_seconds: float | None, is_stale: bool = False, calls: int = 0
    ) -> str | None:
        """Which stop rule holds, those that do not depend on the clock first.

        `news_seconds` is the running time at the last find; None while nothing was judged.
        """
        rules = self._rules
        if rules.max_bugs is not None and bugs >= rules.max_bugs:
            return MAX_BUGS
        if rules.max_calls is not None and calls >= rules.max_calls:
            return MAX_CALLS
        if is_stale:
            return STALE
        elapsed = self.elapsed()
        if rules.max_time is not None and elapsed >= rules.max_time:
            return MAX_TIME
        if rules.until_stale is None or news_seconds is None:
            return None
        return STALE if elapsed - news_seconds >= rules.until_stale else None


class Pace:
    """Says when it is time for something again: after so many seconds, or a share of all time."""

    def __init__(self, seconds: float, *, share: float = 0.0) -> None:
        self._seconds = seconds
        self._share = share
        self._start = self._last = time.monotonic()
        self._wait = seconds

    def is_due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() - self._last > self._wait

    def done(self) -> None:
        """It has just been done."""
        self._last = time.monotonic()
        self._wait = max(self._seconds, (self._last - self._start) * self._share)
