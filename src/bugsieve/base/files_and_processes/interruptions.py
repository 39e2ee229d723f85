"""Tells the watcher of Ctrl-C that it was dealt with, and need not be raised again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_watchers: list[Callable[[], None]] = []


@contextlib.contextmanager
def calling_when_seen(watcher: Callable[[], None]) -> Iterator[None]:
    """Call the function inside whenever an interruption was caught for good."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def interruption_seen() -> None:
    """Tell the watchers; for code that catches KeyboardInterrupt and goes on."""
    for watcher in _watchers:
        watcher()
