"""Stop tokens: their clock, their flag, nesting, and threads."""

from __future__ import annotations

import math
import threading
import time

import pytest

from bugsieve.base.stopping import Stopped, StopToken, check_stop, postponed, seconds_left


def test_a_token_without_a_deadline_ends_when_it_is_told_to() -> None:
    token = StopToken()
    token.check()
    assert not token.has_ended and token.remaining() == math.inf
    token.stop()
    assert token.has_ended and token.remaining() == 0
    with pytest.raises(Stopped):
        token.check()


def test_a_deadline_counts_on_the_monotonic_clock() -> None:
    token = StopToken(time.monotonic() + 3600)
    token.check()
    assert 0 < token.remaining() <= 3600
    with pytest.raises(Stopped):
        StopToken(time.monotonic()).check()


def test_no_guard_against_mistakes_takes_the_end_for_one() -> None:
    assert not issubclass(Stopped, Exception)


def test_without_an_active_token_nothing_is_checked() -> None:
    StopToken(0.0)
    check_stop()
    assert seconds_left() == math.inf


def test_the_first_end_of_nested_tokens_counts() -> None:
    early, late = StopToken(time.monotonic() + 1000), StopToken(time.monotonic() + 5000)
    for outer, inner in ((early, late), (late, early)):
        with outer.active():
            with inner.active() as given:
                assert given is inner and seconds_left() <= 1000
            assert (seconds_left() <= 1000) is (outer is early)
    with late.active(), StopToken().active():
        late.stop()
        with pytest.raises(Stopped):
            check_stop()
    check_stop()


def test_the_outer_token_is_active_again_after_an_error() -> None:
    outer = StopToken()
    with outer.active():
        with pytest.raises(Stopped), StopToken(0.0).active():
            check_stop()
        check_stop()
        outer.stop()
        with pytest.raises(Stopped):
            check_stop()


def test_what_is_postponed_is_not_stopped() -> None:
    with StopToken(0.0).active():
        with postponed():
            check_stop()
        with pytest.raises(Stopped):
            check_stop()


def test_a_token_is_active_in_its_thread_alone_but_any_thread_may_stop_it() -> None:
    token = StopToken()
    elsewhere: list[float] = []
    with token.active():
        for work in (lambda: elsewhere.append(seconds_left()), token.stop):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        with pytest.raises(Stopped):
            check_stop()
    assert elsewhere == [math.inf]
