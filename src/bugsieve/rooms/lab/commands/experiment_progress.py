"""How far an experiment is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bugsieve.base.wording import duration
from bugsieve.commands.shared.live_display import LiveDisplay

if TYPE_CHECKING:
    from bugsieve.campaigns.events import RoundDone
    from bugsieve.rooms.lab.experiments.experiment import ExperimentEvent
    from bugsieve.rooms.lab.experiments.final_jobs import FinalProgress
    from bugsieve.rooms.lab.experiments.grid import Grid
    from bugsieve.rooms.training.q_learning import Evaluated

    State = RoundDone | Evaluated | FinalProgress


class ExperimentDisplay(LiveDisplay):
    """Shows the events of an experiment."""

    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self._names = {number: cell.folder for number, cell in enumerate(grid.cells)}
        self._trainings: frozenset[int] = frozenset()
        self._counts = CampaignCounts(len(grid.cells))
        self._tests: CampaignCounts | None = None
        """Of a part of the final tests, when trainings are over."""
        self._current: dict[int, State | None] = {}
        """The jobs under way, and how far they are."""

    def take(self, event: ExperimentEvent) -> None:
        """Listen to the experiment."""
        from bugsieve.rooms.lab.experiments import experiment, jobs

        if isinstance(event, experiment.ExperimentStarted):
            self._counts = CampaignCounts(event.campaigns, event.done)
            self._trainings = frozenset(event.trainings)
            self._names.update(event.trainings)
            self.note_workers(event.workers)
        elif isinstance(event, experiment.TestsStarted):
            self._names.update(event.tasks)
            self._tests = CampaignCounts(len(event.tasks), noun="final tests")
        elif isinstance(event, jobs.JobStarted):
            self._current[event.number] = None
        elif isinstance(event, jobs.JobProgress):
            self._current[event.number] = event.state
        else:
            self._current.pop(event.number, None)
            failed = isinstance(event, jobs.JobFailed)
            if self._tests is not None:
                self._tests.add(failed=failed)
            elif event.number not in self._trainings:
                self._counts.add(failed=failed)
            if isinstance(event, jobs.JobFailed):
                self.say(f"{self._names[event.number]}: {event.error}")

    def counts_line(self) -> str:
        """How many campaigns are done, and how many failed."""
        return self._counts.ended()

    def lines(self) -> list[str]:
        """How many campaigns are done, and those under way."""
        return [
            (self._tests or self._counts).line(),
            *(
                self._names[number] + ("" if state is None else f" ({_state(state)})")
                for number, state in list(self._current.items())  # the screen has its own thread
            ),
        ]


class CampaignCounts:
    """How many campaigns are done, and how long the rest will take."""

    def __init__(self, campaigns: int, done: int = 0, *, noun: str = "campaigns") -> None:
        self._campaigns = campaigns
        self._noun = noun
        self._before = done
        self._done = 0
        self._failed = 0
        self._start = time.monotonic()

    def add(self, *, failed: bool) -> None:
        """One more has come to its end."""
        self._done += not failed
        self._failed += failed

    def ended(self) -> str:
        """`12 of 80 campaigns done, 1 failed`."""
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._before + self._done} of {self._campaigns} {self._noun} done{failed}"

    def line(self) -> str:
        """`12 of 80 campaigns done, 1 failed, about 5 min left`."""
        parts = [self.ended()]
        ended = self._done + self._failed
        if ended:
            left = self._campaigns - self._before - ended
            seconds = (time.monotonic() - self._start) / ended * left
            parts.append(f"about {duration(seconds)} left")
        return ", ".join(parts)


def _state(state: State) -> str:
    from bugsieve.campaigns.events import RoundDone
    from bugsieve.campaigns.kind import KINDS
    from bugsieve.rooms.lab.experiments.final_jobs import FinalProgress

    if isinstance(state, RoundDone):
        (place, *_) = KINDS[state.kind].wording.progress(state)
        return f"{place}, {sum(state.bugs.values())} bugs"
    if isinstance(state, FinalProgress):
        return f"model {state.tested + 1} of {state.models}"
    return f"training, step {state.steps}"
