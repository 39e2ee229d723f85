"""Ctrl-C, SIGTERM and SIGHUP end a command, and each alike: children die, temporary folders go.

An interruption is an exception, which may be raised in a function that Python or a library calls
for its own purposes. Some of these callers drop exceptions: NumPy, for one, asks the classes of
its operands for attributes, which for an Enum is a function in Python. So an interruption that
nobody is seen to handle a moment later is raised again.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from bugsieve.base.files_and_processes.interruptions import calling_when_seen

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_PATIENCE_SECONDS = 2.0
_AGAIN_SECONDS = 0.01
_LOOK_SECONDS = 0.2


class InterruptedBySignal(KeyboardInterrupt):
    """Raised in the main thread, wherever it is, so that every block is left in order."""


def going_on(interruption: KeyboardInterrupt, how: str) -> KeyboardInterrupt:
    """The interruption, with a sentence that also says how to go on."""
    return KeyboardInterrupt(f"{str(interruption) or 'interrupted'}: {how}")


@contextlib.contextmanager
def ending_on_signals() -> Iterator[None]:
    """Inside, a signal to end raises; one that the caller has ignored (nohup) stays ignored."""
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
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                earlier[signal.SIGINT] = signal.signal(signal.SIGINT, guard.on_ctrl_c)
        with calling_when_seen(guard.forget) if earlier else contextlib.nullcontext():
            yield
    finally:
        try:
            if earlier:
                sys.unraisablehook = earlier_hook
                guard.forget()
        finally:  # also if the alarm came first
            for number, handler in earlier.items():
                signal.signal(number, handler)


class _Guard:
    """Turns signals into exceptions, one at a time, and watches what becomes of them."""

    def __init__(self, hook: object) -> None:
        self._hook = hook
        self._raised = -_PATIENCE_SECONDS
        self._last: BaseException = KeyboardInterrupt()

    def on_ctrl_c(self, number: int, frame: FrameType | None) -> None:
        """Raise, whatever came before: who presses it twice means it."""
        self._raise(KeyboardInterrupt())

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Raise, but not twice in close succession: the second would cut the cleaning up."""
        now = time.monotonic()
        if now - self._raised >= _PATIENCE_SECONDS:
            self._raised = now
            self._raise(InterruptedBySignal(f"interrupted by {signal.Signals(number).name}"))

    def on_unraisable(self, unraisable: UnraisableHookArgs) -> None:
        """Raise an interruption that Python itself has dropped, in a moment."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            self._last = unraisable.exc_value
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        elif callable(self._hook):
            self._hook(unraisable)

    def on_alarm(self, number: int, frame: FrameType | None) -> None:
        """Raise the interruption again unless it is being handled."""
        if stems_from_interruption(sys.exc_info()[1]):
            signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS)
        else:
            self._raise(type(self._last)(*self._last.args))

    def forget(self) -> None:
        """Somebody has dealt with it."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _raise(self, interruption: BaseException) -> NoReturn:
        self._last = interruption
        signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS)
        raise interruption


def stems_from_interruption(error: BaseException | None) -> bool:
    """Whether Ctrl-C came before this error, or where Python or a library made it of Ctrl-C."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def end_at_once_from_now_on() -> None:
    """The work is done: a Ctrl-C while the interpreter shuts down ends it without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
