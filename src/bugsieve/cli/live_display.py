"""What a long command shows while it runs: live on a terminal, else a line every 30 seconds."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from bugsieve.basis.closing import Closing
from bugsieve.basis.wording import printable_lines
from bugsieve.cli.streams import complain

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

Self = TypeVar("Self", bound="LiveDisplay")

_SECONDS_BETWEEN_LINES = 30.0


class LiveDisplay(Closing, ABC):
    """Shows where a job stands, from the first to the last line of its block."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES

    def __enter__(self: Self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(stderr=True),
                get_renderable=self._text,
                refresh_per_second=4,
                transient=True,
            )
            self._live.start()
        return self

    def close(self) -> None:
        """Take the display away."""
        if self._live is not None:
            self._live.stop()

    @abstractmethod
    def lines(self) -> list[str]:
        """Where the job stands: a headline, and what belongs under it."""

    def say(self, line: str) -> None:
        """Print something that stays."""
        if self._live is not None:
            from rich.text import Text

            self._live.console.print(Text(printable_lines(line)))
        else:
            complain(line)

    def tick(self) -> None:
        """Called when something has changed: without a terminal, print a line if it is time."""
        if self._live is None and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            complain("; ".join(self.lines()))

    def _text(self) -> Text:
        from rich.text import Text

        lines = printable_lines("\n  ".join(self.lines()))
        return Text(lines, no_wrap=True, overflow="ellipsis")
