"""SIGTERM and SIGHUP end a command as Ctrl-C does: children die, temporary folders go."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_PATIENCE_SECONDS = 2.0
_AGAIN_SECONDS = 0.01


class InterruptedBySignal(KeyboardInterrupt):
    """Raised in the main thread, wherever it is, so that every block is left in order."""


def going_on(interruption: KeyboardInterrupt, how: str) -> KeyboardInterrupt:
    """The interruption, with a sentence that also says how to go on."""
    return KeyboardInterrupt(f"{str(interruption) or 'interrupted'}: {how}")


@contextlib.contextmanager
def ending_on_signals() -> Iterator[None]:
    """Inside, a signal to end raises; one that the caller has ignored (nohup) stays ignored.

    What Python runs on its own account, such as weak references' callbacks, swallows exceptions;
    an interruption that came there, also by Ctrl-C, is raised again a moment later.
    """
    earlier_hook = sys.unraisablehook
    guard = _Guard(earlier_hook)
    earlier = {}
    try:
        with contextlib.suppress(ValueError):  # not the main thread: leave all of it alone
            earlier[signal.SIGALRM] = signal.signal(signal.SIGALRM, guard.on_alarm)
            sys.unraisablehook = guard.on_unraisable
            for number in _ENDING:
                if signal.getsignal(number) == signal.SIG_DFL:
                    earlier[number] = signal.signal(number, guard.on_signal)
        yield
    finally:
        if earlier:
            sys.unraisablehook = earlier_hook
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in earlier.items():
            signal.signal(number, handler)


class _Guard:
    """Turns signals into exceptions, one at a time."""

    def __init__(self, hook: object) -> None:
        self._hook = hook
        self._raised = -_PATIENCE_SECONDS
        self._lost: BaseException = KeyboardInterrupt()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Raise, but not twice in close succession: the second would cut the cleaning up."""
        now = time.monotonic()
        if now - self._raised >= _PATIENCE_SECONDS:
            self._raised = now
            raise InterruptedBySignal(f"interrupted by {signal.Signals(number).name}")

    def on_unraisable(self, unraisable: UnraisableHookArgs) -> None:
        """Note an interruption that was swallowed, and set the alarm."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            self._lost = unraisable.exc_value
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        elif callable(self._hook):
            self._hook(unraisable)

    def on_alarm(self, number: int, frame: FrameType | None) -> None:
        """Raise the swallowed interruption again."""
        raise type(self._lost)(*self._lost.args)


def end_at_once_from_now_on() -> None:
    """The work is done: a Ctrl-C while the interpreter shuts down ends it without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
