"""A policy of ours in a process of its own, tested by another: the same bugs as without."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bugsieve.cli import main


@contextlib.contextmanager
def served(*arguments: str) -> Iterator[tuple[str, list[str]]]:
    """The address of `bugsieve serve`, and what it has said when it has ended by Ctrl-C."""
    command = [sys.executable, "-m", "bugsieve", "serve", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: list[str] = []
    try:
        lines.append(process.stdout.readline())
        yield lines[0].split()[-1], lines
    finally:
        process.send_signal(signal.SIGINT)
        lines += process.stdout.read().splitlines()
        assert process.wait() == 0


def bugs(folder: Path) -> set[str]:
    """The bugs without the names of task and policy, on which their ids depend."""
    found = [json.loads(path.read_text()) for path in (folder / "bugs").iterdir()]
    return {json.dumps(_nameless(bug), sort_keys=True) for bug in found}


def _nameless(bug: dict[str, Any]) -> dict[str, Any]:
    certificate = dict(bug["certificate"])
    return {**certificate, "policy": "", "task": certificate["task"]["sha256"]}


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "unix:policy.sock"])
def test_the_same_bugs_over_a_connection(
    listen: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["generate", "ferry", "--seed", "2", "-o", "task"]) == 0
    few = ["--pool-size", "30"]
    assert main(["test", "task", "--policy", "greedy:hff", "-o", "local", *few]) == 1
    with served("task", "--policy", "greedy:hff", "--listen", listen) as (address, lines):
        spec = f"phrm:{address}"
        assert main(["test", "--policy", spec, "-o", "remote", *few]) == 1
        assert main(["test", "task", "--policy", spec, "-o", "both", "--workers", "2", *few]) == 1
        assert main(["rollout", "--policy", spec]) == 0
        assert main(["judge", "--policy", f"{spec},probabilities"]) in (0, 1)
        bug = next((tmp_path / "remote" / "bugs").iterdir()).stem
        assert main(["replay", "remote", bug]) == 1
        capsys.readouterr()
        assert main(["test", "--policy", "greedy:hff"]) == 4
        assert "required: FILE" in capsys.readouterr().err
    assert lines[0].startswith("serving greedy:hff on ferry-")
    assert lines[1].startswith("served ") and "GetFDRTaskFD" in lines[1]
    assert bugs(tmp_path / "local") == bugs(tmp_path / "remote") == bugs(tmp_path / "both")
    assert len(bugs(tmp_path / "local")) > 3
