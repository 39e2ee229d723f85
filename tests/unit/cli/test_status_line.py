"""The status line shows on terminals when the job takes long, and nowhere else."""

from __future__ import annotations

import io
import os
import re
import sys
import time

import pytest

from bugsieve.base.current_activity import doing
from bugsieve.commands.shared.status_line import StatusLine


def test_a_terminal_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", os.fdopen(terminal, "w"))
    seen = b""
    with StatusLine("greedy:hff [bold]", delay=0.0) as status:
        while not re.search(rb"step 7, \d+ s", seen):
            status.update("step 7")
            seen += os.read(ours, 1000)
    assert b"greedy:hff [bold]: step 7, " in seen
    sys.stderr.close()
    os.close(ours)


def test_what_is_done_inside_is_told() -> None:
    """A job that judges states may spend its time on something that only one oracle needs."""
    with StatusLine("judging 3 states") as status:
        assert str(status.__rich__()) == "judging 3 states, 0 s"
        status.update("1 done")
        with doing("computing the dominance function of ferry"):
            assert str(status.__rich__()) == (
                "judging 3 states: 1 done, 0 s; computing the dominance function of ferry, 0 s"
            )
        assert str(status.__rich__()) == "judging 3 states: 1 done, 0 s"


def test_a_pipe_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with StatusLine("quiet", delay=0.0) as status:
        status.update("step 1")
        time.sleep(0.1)
    assert pipe.getvalue() == ""


def test_a_short_job_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    os.set_blocking(ours, False)
    monkeypatch.setattr(sys, "stderr", os.fdopen(terminal, "w"))
    with StatusLine("short", delay=1000.0) as status:
        status.update("step 1")
    with pytest.raises(BlockingIOError):
        os.read(ours, 1000)
    sys.stderr.close()
    os.close(ours)
