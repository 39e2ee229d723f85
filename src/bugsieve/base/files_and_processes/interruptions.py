"""Tells the watcher of Ctrl-C that it was dealt with, and need not be raised again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_watchers: list[Callable[[], None]] = []


@contextlib.contextmanager
def calling_when_seen(watcher: Callable[[], None]) -> Iterator[None]:
    """Inside, the function is called whenever an interruption was caught for good."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def interruption_seen() -> None:
    """To be called by who catches KeyboardInterrupt and goes on."""
    for watcher in _watchers:
        watcher()
