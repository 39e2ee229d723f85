"""Makes the tests independent of how they were started, and says where their time went."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections import defaultdict

import pytest

from tests.depth import IS_DEEP

BUDGETS = {
    "tests": 10,
    "tests/browser": 45,
    "tests/hostile": 190,
    "tests/property": 135,
    "tests/quality": 25,
    "tests/system": 180,
    "tests/unit": 190,
    "tests/unit/campaigns": 70,
    "tests/unit/cli": 75,
    "tests/unit/domains": 45,
    "tests/unit/experiments": 55,
    "tests/unit/oracles": 45,
    "tests/unit/policies": 55,
    "tests/unit/tasks": 35,
    "tests/unit/training": 20,
}
"""Seconds of `make test` on two idle cores for each folder, without those of its own below."""


_STATE = tempfile.TemporaryDirectory(prefix="bugsieve-state-")


def pytest_configure() -> None:
    """Leave the user's list of policies alone, and let child processes take signals.

    A shell's background jobs ignore Ctrl-C, what nohup starts ignores SIGHUP; so would children.
    On a build server pytest cuts no lines short, so what the tests start must not see one.
    """
    os.environ["XDG_STATE_HOME"] = _STATE.name
    for variable in ("CI", "BUILD_NUMBER"):
        os.environ.pop(variable, None)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what lives to the end: all modules and all tests.

    It was a tenth of the time of the tests to go through them again and again.
    """
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the seconds of each folder beside its budget.

    Nothing fails for being slow: on machines that others use too, times say little.
    """
    terminalreporter.section("seconds in each folder")
    for folder, seconds in sorted(seconds_of_folders(terminalreporter).items()):
        budget = "" if IS_DEEP else f" of {BUDGETS[folder]:4}"
        over = "  OVER BUDGET" if not IS_DEEP and seconds > BUDGETS[folder] else ""
        terminalreporter.write_line(f"{folder:24} {seconds:7.1f}{budget}{over}")


def seconds_of_folders(reporter: pytest.TerminalReporter) -> dict[str, float]:
    """What set-up, call and teardown of the tests took, on all processes together."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in reporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[budgeted_folder(report.nodeid)] += report.duration
    return seconds


def budgeted_folder(test: str) -> str:
    """The innermost folder with a budget that holds the test."""
    return max((name for name in BUDGETS if test.startswith(f"{name}/")), key=len)
