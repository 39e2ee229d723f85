"""Makes the tests independent of how they were started."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Take the signals that end programs, and let child processes take them.

    A shell's background jobs ignore Ctrl-C, what nohup starts ignores SIGHUP; so would children.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
