"""What sessions of all kinds share: the clock, and how finds get from the store to listeners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path

from bugsieve.campaigns.events import Event, Finished, Listener
from bugsieve.campaigns.pacing import Pace, StopWatch
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.results.folder import StoredBug, write_bugs

_COMMIT_SECONDS = 1.0
"""A round that takes longer is stored in parts, so that little is lost when we die."""
_TIMELINE_SECONDS = 10.0


class FolderSession(ABC):
    """One session of the campaign in a folder."""

    def __init__(
        self, directory: Path, stop: StopRules, seconds_before: float, listener: Listener
    ) -> None:
        self._directory = directory
        self._tell = listener
        self._watch = StopWatch(stop, seconds_before)
        self._commits = Pace(_COMMIT_SECONDS)
        # Rarely, and ever more so: the file is written anew each time.
        self._timeline = Pace(_TIMELINE_SECONDS, share=0.25)

    def _publish(self, bugs: Sequence[StoredBug], events: Iterable[Event]) -> None:
        """Write and tell what has just been stored."""
        write_bugs(self._directory, bugs)
        for event in events:
            self._tell(event)
        if self._timeline.is_due():
            self._renew_timeline()

    def _finish(self, reason: str, detail: str) -> None:
        """Store and tell why the session ends."""
        self._commit("end", detail, finished=reason)
        self._renew_timeline()
        self._tell(Finished(reason))

    def _renew_timeline(self) -> None:
        self._write_timeline()
        self._timeline.done()

    @abstractmethod
    def _commit(self, event: str, detail: str = "", *, finished: str | None = None) -> None:
        """Store what is not stored yet, with an event of the timeline, then tell about it."""

    @abstractmethod
    def _write_timeline(self) -> None:
        """Write the whole timeline, in place of the old one."""
