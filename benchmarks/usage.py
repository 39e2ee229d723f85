"""The CPU time that a measurement is about."""

from __future__ import annotations

import os


def cpu_seconds() -> float:
    """CPU time of this process and of its children that have ended, user and system."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
