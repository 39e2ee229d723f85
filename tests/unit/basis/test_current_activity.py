"""What a thread says it is doing."""

from __future__ import annotations

import threading

import pytest

from bugsieve.base.current_activity import activities, doing, progressing
from tests.unit.clock import Clock


def test_the_innermost_activity_is_told_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert (activities().line(), activities().innermost()) == ("still at work", None)
    with doing("judging state 12"):
        clock.now += 5
        with doing("asking the policy"):
            clock.now += 2
            assert activities().line() == "still asking the policy, 2 s"
        assert activities().line() == "still judging state 12, 7 s"
    assert activities().innermost() is None


def test_how_far_the_job_is_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    done = 3
    with progressing(lambda: f"{done} of 9 judged"):
        assert activities().line() == "3 of 9 judged"
        with doing("storing"):
            done += 1
            assert activities().line() == "still storing, 0 s; 4 of 9 judged"


def test_an_error_ends_an_activity() -> None:
    with pytest.raises(ValueError), doing("failing"):  # noqa: PT011
        raise ValueError
    assert activities().innermost() is None


def test_threads_have_activities_of_their_own_which_others_may_read() -> None:
    ours, seen = activities(), []
    with doing("waiting"):
        thread = threading.Thread(target=lambda: seen.extend([activities().line(), ours.line()]))
        thread.start()
        thread.join()
    assert seen == ["still at work", "still waiting, 0 s"]
