"""How far an experiment is: live on a terminal, else in a line every 30 seconds."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from bugsieve.cli.streams import complain

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from bugsieve.campaigns.events import RoundDone
    from bugsieve.campaigns.experiment import ExperimentStarted
    from bugsieve.campaigns.experiment_file import Grid
    from bugsieve.campaigns.experiment_jobs import JobReport

_SECONDS_BETWEEN_LINES = 30.0


class ExperimentDisplay:
    """Shows the events of an experiment."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._live: Live | None = None
        self._counts = Counts(len(grid.cells))
        self._current: dict[int, RoundDone | None] = {}
        """The campaigns under way, and how far they are."""
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES

    def __enter__(self) -> ExperimentDisplay:
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

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def take(self, event: ExperimentStarted | JobReport) -> None:
        """Listen to the experiment."""
        from bugsieve.campaigns import experiment, experiment_jobs

        if isinstance(event, experiment.ExperimentStarted):
            self._counts = Counts(event.campaigns, event.done)
        elif isinstance(event, experiment_jobs.JobStarted):
            self._current[event.number] = None
        elif isinstance(event, experiment_jobs.JobProgress):
            self._current[event.number] = event.state
        else:
            self._current.pop(event.number, None)
            failed = isinstance(event, experiment_jobs.JobFailed)
            self._counts.add(failed=failed)
            if isinstance(event, experiment_jobs.JobFailed):
                self._say(f"{self._grid.cells[event.number].folder}: {event.error}")
        if self._live is None and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            complain(self._line())

    def _say(self, line: str) -> None:
        if self._live is not None:
            from rich.text import Text

            self._live.console.print(Text(line))
        else:
            complain(line)

    def _text(self) -> Text:
        from rich.text import Text

        lines = "\n  ".join([self._counts.line(), *self._campaigns()])
        return Text(lines, no_wrap=True, overflow="ellipsis")

    def _line(self) -> str:
        return "; ".join([self._counts.line(), *self._campaigns()])

    def _campaigns(self) -> list[str]:
        """Those under way."""
        return [
            self._grid.cells[number].folder + ("" if state is None else f" ({_state(state)})")
            for number, state in list(self._current.items())  # the screen has its own thread
        ]


class Counts:
    """How many campaigns are done, and how long the rest will take."""

    def __init__(self, campaigns: int, done: int = 0) -> None:
        self._campaigns = campaigns
        self._before = done
        self._done = 0
        self._failed = 0
        self._start = time.monotonic()

    def add(self, *, failed: bool) -> None:
        """One more has come to its end."""
        self._done += not failed
        self._failed += failed

    def line(self) -> str:
        """`12 of 80 campaigns done, 1 failed, about 5 min left`."""
        parts = [f"{self._before + self._done} of {self._campaigns} campaigns done"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        ended = self._done + self._failed
        if ended:
            left = self._campaigns - self._before - ended
            seconds = (time.monotonic() - self._start) / ended * left
            parts.append(f"about {duration(seconds)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """A time span to about two digits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _state(state: RoundDone) -> str:
    return f"pool {state.pool} of {state.pool_size}, {sum(state.bugs.values())} bugs"
