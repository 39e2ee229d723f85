"""Runs the real command line in a child process and measures what it used."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Outcome:
    """How a child ended."""

    code: int
    stdout: str
    stderr: str
    max_bytes: int

    def complaint(self) -> str:
        """The one line on stderr of a well-behaved refusal of bad input."""
        assert self.code == 4, self
        assert "Traceback" not in self.stderr, self
        assert self.stderr.startswith("bugsieve: error: "), self
        assert self.stderr.count("\n") == 1, self
        assert self.stdout == "", self
        assert self.max_bytes < GIBIBYTE, self
        return self.stderr


def bugsieve(*arguments: str | os.PathLike[str]) -> Outcome:
    """Run `python -m bugsieve` with these arguments."""
    command = [sys.executable, "-m", "bugsieve", *(os.fspath(argument) for argument in arguments)]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        # wait4 alone reports the memory of this child, not of all children so far.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Outcome(process.returncode, out.read(), err.read(), usage.ru_maxrss * 1024)
