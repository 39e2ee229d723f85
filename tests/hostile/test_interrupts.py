"""Ctrl-C while a task is grounded: one line, exit code 2, and no child left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.hostile.processes import children, needs_proc, wait_until_gone
from tests.unit.tasks.fdr.test_translator import LARGE_DOMAIN, large_problem


@needs_proc
def test_interrupting_the_translator(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_bytes(LARGE_DOMAIN)
    (tmp_path / "problem.pddl").write_bytes(large_problem(30))
    files = [str(tmp_path / name) for name in ("domain.pddl", "problem.pddl")]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "rollout", *files, "--policy", "random"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not children(process.pid) and process.poll() is None:
        time.sleep(0.02)
    (translator,) = children(process.pid)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (2, "", "bugsieve: interrupted\n")
    wait_until_gone([translator])
