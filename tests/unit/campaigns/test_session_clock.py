"""The clock of a session, with a clock that the tests turn by hand."""

from __future__ import annotations

import pytest

from bugsieve.campaigns import session_clock
from bugsieve.campaigns.session_clock import MAX_BUGS, MAX_TIME, STALE, Pace, StopWatch
from bugsieve.campaigns.stop_rules import StopRules


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(session_clock, "time", made)
    return made


def test_running_time_goes_on_from_earlier_sessions(clock: Clock) -> None:
    watch = StopWatch(StopRules(max_time=30), 10.0)
    clock.now += 5
    assert (watch.elapsed(), watch.session_seconds()) == (15.0, 5.0)
    assert watch.deadline() == 120.0
    assert StopWatch(StopRules(), 10.0).deadline() is None


def test_reasons_to_stop(clock: Clock) -> None:
    watch = StopWatch(StopRules(max_time=30, max_bugs=2, until_stale=8), 10.0)
    assert watch.reason(bugs=1, news_seconds=10.0) is None
    assert watch.reason(bugs=1, news_seconds=10.0, is_stale=True) == STALE
    assert watch.reason(bugs=2, news_seconds=10.0, is_stale=True) == MAX_BUGS
    clock.now += 8
    assert watch.reason(bugs=1, news_seconds=10.0) == STALE
    assert watch.reason(bugs=1, news_seconds=10.5) is None
    assert watch.reason(bugs=1, news_seconds=None) is None  # nothing was judged yet
    clock.now += 12
    assert watch.reason(bugs=1, news_seconds=None) == MAX_TIME
    assert StopWatch(StopRules(), 1e9).reason(bugs=10**9, news_seconds=0.0) is None


def test_a_pace_may_slow_down(clock: Clock) -> None:
    pace = Pace(10, share=0.25)
    clock.now += 10
    assert not pace.is_due()
    clock.now += 90
    assert pace.is_due()
    pace.done()  # after 100 seconds: the next one in 25
    clock.now += 24
    assert not pace.is_due()
    clock.now += 2
    assert pace.is_due()
