"""The activity of a thread, in words: long work names it, displays and signs of life show it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Activity(NamedTuple):
    """One thing under way, with the time at which it began."""

    words: Callable[[], str]
    start: float
    is_progress: bool
    """True if the words tell the progress of a whole job, rather than the activity."""


class Activities:
    """Activities of one thread, each inside the one before; other threads may ask for the line."""

    def __init__(self) -> None:
        self._all: tuple[Activity, ...] = ()

    @contextlib.contextmanager
    def inside(self, activity: Activity) -> Iterator[None]:
        """Mark the activity as under way inside."""
        outer = self._all
        self._all = (*outer, activity)
        try:
            yield
        finally:
            self._all = outer

    def line(self) -> str:
        """`still judging state 12 with aras, 34 s`, and how far the job is as a whole."""
        return "; ".join(self._parts()) or "still at work"

    def innermost(self) -> str | None:
        """The current activity, with the seconds it has taken; None if there is none."""
        doing = [activity for activity in self._all if not activity.is_progress]
        if not doing:
            return None
        return f"{doing[-1].words()}, {time.monotonic() - doing[-1].start:.0f} s"

    def _parts(self) -> Iterator[str]:
        innermost = self.innermost()
        if innermost is not None:
            yield f"still {innermost}"
        yield from (activity.words() for activity in self._all if activity.is_progress)


class _Local(threading.local):
    def __init__(self) -> None:
        self.activities = Activities()


_local = _Local()


def activities() -> Activities:
    """The activities of this thread."""
    return _local.activities


def doing(words: str) -> contextlib.AbstractContextManager[None]:
    """Tell inside that this thread does what the words say, as in "judging state 12"."""
    return activities().inside(Activity(lambda: words, time.monotonic(), is_progress=False))


def progressing(words: Callable[[], str]) -> contextlib.AbstractContextManager[None]:
    """Tell inside, by these words, how far the job of this thread is."""
    return activities().inside(Activity(words, time.monotonic(), is_progress=True))
