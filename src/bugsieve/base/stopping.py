"""One token stops everything under way in a thread: rounds, policies, oracles, native searches.

Who sets the limit activates a token around the work; the work calls `check_stop` between its
portions, and waits no longer than `seconds_left`. The native core calls `check_stop` every 20 ms.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator


class Stopped(BaseException):
    """The active token has ended; work under way is dropped and may be done again.

    As KeyboardInterrupt, it is not an Exception: code that guards against mistakes of policies or
    files must not take the end of the time for one of them.
    """


class StopToken:
    """Ends at a time on the clock of `time.monotonic()`, or when any thread calls `stop`."""

    def __init__(self, deadline: float | None = None) -> None:
        self._deadline = math.inf if deadline is None else deadline

    def stop(self) -> None:
        """End now; may be called from any thread and from signal handlers."""
        self._deadline = -math.inf

    @property
    def has_ended(self) -> bool:
        """Return true if the time is over or `stop` was called."""
        return time.monotonic() >= self._deadline

    def remaining(self) -> float:
        """Seconds until the deadline: 0 after the end, infinite without a deadline."""
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """Raise Stopped if the token has ended."""
        if self.has_ended:
            raise Stopped

    @contextlib.contextmanager
    def active(self) -> Iterator[StopToken]:
        """Make it a token of this thread, beside those that are active already."""
        with _tokens(*_local.tokens, self):
            yield self


class _Local(threading.local):
    tokens: tuple[StopToken, ...] = ()


_local = _Local()


def postponed() -> contextlib.AbstractContextManager[None]:
    """Stop nothing inside: for short work that must be done as a whole or not at all."""
    return _tokens()


@contextlib.contextmanager
def _tokens(*tokens: StopToken) -> Iterator[None]:
    outer = _local.tokens
    _local.tokens = tokens
    try:
        yield
    finally:
        _local.tokens = outer


def check_stop() -> None:
    """Raise Stopped if a token that is active in this thread has ended."""
    for token in _local.tokens:
        token.check()


def seconds_left() -> float:
    """Seconds until the first of the active tokens ends; infinite without one."""
    return min((token.remaining() for token in _local.tokens), default=math.inf)
