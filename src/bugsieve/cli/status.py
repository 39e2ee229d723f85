"""A line on the terminal that says what a long job is doing; silent for short jobs and pipes."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

_DELAY_SECONDS = 1.0


class StatusLine:
    """Context manager; `update` may be called often and costs next to nothing."""

    def __init__(self, title: str, *, delay: float = _DELAY_SECONDS) -> None:
        self._title = title
        self._text = ""
        self._status: Status | None = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(delay, self._show)
        self._timer.daemon = True

    def update(self, text: str) -> None:
        """Say how far the job is."""
        self._text = text
        if self._status is not None:
            from rich.text import Text  # a plain string would be read as markup

            self._status.update(Text(self._line()))

    def __enter__(self) -> StatusLine:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.text import Text

        with self._lock:
            if not self._over:
                self._status = Console(stderr=True).status(Text(self._line()))
                self._status.start()

    def _line(self) -> str:
        return f"{self._title}: {self._text}" if self._text else self._title
