"""Makes the tests independent of how they were started."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Take Ctrl-C, and let child processes take it: a shell's background jobs ignore it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
