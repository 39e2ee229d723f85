"""Which processes there are, as Linux tells it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(),
    reason="this system does not list the children of a process in /proc",
)


def children(process: int) -> list[int]:
    """The ids of a process's children."""
    try:
        return [
            int(pid)
            for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()
        ]
    except FileNotFoundError:
        return []


def is_running(process: int) -> bool:
    """Whether the process runs; a zombie that nobody has reaped yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(processes: list[int]) -> None:
    """They end soon, or the test never does."""
    while any(is_running(process) for process in processes):
        time.sleep(0.02)
