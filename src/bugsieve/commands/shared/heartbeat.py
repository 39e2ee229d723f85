"""Signs of life without a terminal: a line every 30 seconds, whatever is going on."""

from __future__ import annotations

import threading
import time
from typing import TypeVar

from bugsieve.base.current_activity import activities
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.commands.shared.streams import complain

Self = TypeVar("Self", bound="Heartbeat")

_SECONDS = 30.0
_JOIN_SECONDS = 1.0


class Heartbeat(Closing):
    """Says what the thread that made it is doing, from a thread of its own.

    It needs Python to be free now and then: our core and foreign programs leave it free, a policy
    that is an object of this process may not.
    """

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._activities = activities()
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self: Self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Say nothing more."""
        self._over.set()
        self._thread.join(_JOIN_SECONDS)  # nobody may be reading what it is about to say

    def beat(self) -> None:
        """Say the line if it is time."""
        if time.monotonic() >= self._last + self._seconds:
            self._last = time.monotonic()
            complain(self._activities.line())

    def _run(self) -> None:
        while not self._over.wait(max(self._last + self._seconds - time.monotonic(), 0.0)):
            self.beat()
