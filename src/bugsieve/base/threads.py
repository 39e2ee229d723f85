"""The number of threads that a call of the native core may use; results never depend on it.

Processes of our own are one for each core already, so `basis.processes` gives them one thread.
"""

from __future__ import annotations

import os

from bugsieve.base.errors import UsageError

VARIABLE = "BUGSIEVE_THREADS"
"""The environment variable that says so; without it, as many as there are cores for us."""

_MOST = 16
"""Batches are rarely large enough for more."""
_MOST_DIGITS = 9


def num_threads() -> int:
    """The number in the environment variable, or one for each core that this process may use."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return min(len(os.sched_getaffinity(0)), _MOST)
    if not named.isdecimal() or len(named) > _MOST_DIGITS or int(named) == 0:
        raise UsageError(
            f"the environment variable {VARIABLE} is {named!r}: it must be a number of threads "
            "from 1 on"
        )
    return min(int(named), _MOST)
