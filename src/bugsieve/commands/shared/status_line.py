"""Says what a long job is doing: by a line on the terminal if it takes long, else if asked."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING, TypeVar

from bugsieve.base.current_activity import Activity, activities
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.wording import printable_lines

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

Self = TypeVar("Self", bound="StatusLine")

_DELAY_SECONDS = 1.0


class StatusLine(Closing):
    """Context manager; `update` may be called often and costs next to nothing."""

    def __init__(self, title: str, *, delay: float = _DELAY_SECONDS) -> None:
        self._title = title
        self._text = ""
        self._status: Status | None = None
        self._over = False
        self._lock = threading.Lock()
        self._delay = delay
        self._timer: threading.Timer | None = None
        self._start = time.monotonic()
        self._activities = activities()
        self._stack = contextlib.ExitStack()

    def update(self, text: str) -> None:
        """Say how far the job is."""
        self._text = text

    def __enter__(self: Self) -> Self:
        if sys.stderr.isatty():
            self._timer = threading.Timer(self._delay, self._show)
            self._timer.daemon = True
            self._timer.start()
        activity = Activity(self._words, self._start, is_progress=False)
        self._stack.enter_context(self._activities.inside(activity))
        return self

    def close(self) -> None:
        """Take the line away."""
        self._stack.close()
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def __rich__(self) -> Text:
        """The line as it is now, with what is done inside; asked for several times a second."""
        from rich.text import Text  # a plain string would be read as markup

        words, passed = self._words(), f"{time.monotonic() - self._start:.0f} s"
        inside = self._activities.innermost() or words
        part = "" if inside.startswith(words) else f"; {inside}"
        return Text(printable_lines(f"{words}, {passed}{part}"), no_wrap=True, overflow="ellipsis")

    def _words(self) -> str:
        return f"{self._title}: {self._text}" if self._text else self._title

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._over:
                self._status = Console(stderr=True).status(self)
                self._status.start()
