"""What a long command shows while it runs: live on a terminal, else as the sign of life."""

from __future__ import annotations

import contextlib
import os
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from bugsieve.base.current_activity import activities, progressing
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.wording import counted, printable_lines
from bugsieve.commands.shared.streams import complain

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

Self = TypeVar("Self", bound="LiveDisplay")


class LiveDisplay(Closing, ABC):
    """Shows where a job stands, from the first to the last line of its block."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._activities = activities()
        self._stack = contextlib.ExitStack()

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
        self._stack.enter_context(progressing(lambda: "; ".join(self.lines())))
        return self

    def close(self) -> None:
        """Take the display away."""
        self._stack.close()
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

    def note_workers(self, workers: int) -> None:
        """More workers than cores are no mistake, but worth a sentence."""
        cores = len(os.sched_getaffinity(0))
        if workers > cores:
            shared = counted(cores, "core")
            self.say(f"{workers} workers share {shared}: they get no more done than {cores} would")

    def _text(self) -> Text:
        from rich.text import Text

        doing = self._activities.innermost()
        lines = self.lines() + ([] if doing is None else [doing])
        text = printable_lines("\n  ".join(lines))
        return Text(text, no_wrap=True, overflow="ellipsis")
