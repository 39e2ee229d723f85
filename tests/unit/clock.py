"""A clock that tests turn by hand; all of Bugsieve reads it in place of `time.monotonic`."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest


class Clock:
    """Stands still until it is turned, or goes on by `step` whenever somebody looks."""

    def __init__(self, patch: pytest.MonkeyPatch, *, step: float = 0.0) -> None:
        self.now = 1000.0
        self.looks = 0
        self._step = step
        patch.setattr(time, "monotonic", self._look)

    def held(self, call: Callable[[], None]) -> Callable[[], None]:
        """The call, whose looks do not turn the clock."""

        def calling() -> None:
            step, self._step = self._step, 0.0
            try:
                call()
            finally:
                self._step = step

        return calling

    def _look(self) -> float:
        self.looks += 1
        self.now += self._step
        return self.now
