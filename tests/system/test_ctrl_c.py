"""Ctrl-C in a campaign: what was found so far is printed, exit code 2, and `resume` goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main

KINDS = {
    "test": ["blocksworld", "--blocks", "6", "--seed", "1"],
    "safety": ["nd-blocksworld", "--seed", "1"],
}
ENDLESS = {
    "test": ["--pool-size", str(10**7), "--novelty", "0", "--round-walks", "2"],
    "safety": ["--walks", str(10**9), "--choice", "uniform", "--lookahead", "1"],
}


@pytest.fixture(params=KINDS)
def command(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """A campaign that would go on for days, without the folder for it."""
    task = tmp_path / "task"
    assert main(["generate", *KINDS[request.param], "-o", str(task)]) == 0
    subject = task / "model.jani" if request.param == "safety" else task
    return [request.param, str(subject), "--policy", "random", *ENDLESS[request.param]]


def interrupted(arguments: list[str], folder: Path, known: int = 0) -> tuple[int, str, str]:
    """Exit code, output and complaints of a command that gets SIGINT when it has found bugs.

    `known` are stored already, perhaps without their files.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while bugs_in(folder) <= known:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, complaints = process.communicate()
    return process.returncode, output, complaints


def bugs_in(folder: Path) -> int:
    return len(list(folder.glob("bugs/*.json")))


def test_the_summary_so_far_and_how_to_go_on(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "results"
    goes_on = f"bugsieve: interrupted: 'bugsieve resume {folder}' goes on\n"
    code, output, complaints = interrupted([*command, "-o", str(folder)], folder)
    assert (code, complaints) == (2, goes_on)
    assert f"results in {folder}\n" in output and "look closer: bugsieve explain" in output
    assert (folder / STORE_FILE).exists()

    capsys.readouterr()
    assert main(["status", str(folder), "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    code, output, complaints = interrupted(["resume", str(folder), "--json"], folder, kept["bugs"])
    assert (code, complaints) == (2, goes_on)
    summary = json.loads(output)
    assert summary["bugs"] > kept["bugs"] > 0 and summary["reason"] is None
    assert {bug["id"] for bug in kept["found"]} < {bug["id"] for bug in summary["found"]}


def test_several_problems(tmp_path: Path) -> None:
    """What was found in the first is printed, and those that had not begun are not forgotten."""
    tasks = tmp_path / "tasks"
    for seed in ("1", "2"):
        generated = ["blocksworld", "--blocks", "6", "--seed", seed, "-o", str(tasks / f"p{seed}")]
        assert main(["generate", *generated]) == 0
    folder = tmp_path / "results"
    command = ["test", str(tasks), "--policy", "random", *ENDLESS["test"], "-o", str(folder)]
    code, output, complaints = interrupted(command, folder / "p1")
    goes_on = f"bugsieve: interrupted: 'bugsieve resume {folder}' goes on\n"
    assert (code, complaints) == (2, goes_on)
    first = output.splitlines()[0]
    assert " bug" in first and first.endswith(" of 2 problems")
    assert "\n  p2  not begun\n" in output
    assert f"look closer: bugsieve explain {folder / 'p1'}" in output
    known = summary_of(folder / "p1").bugs
    code, output, complaints = interrupted(["resume", str(folder)], folder / "p1", known)
    assert (code, complaints) == (2, goes_on)
    assert main(["resume", str(folder), "--max-time", "0.1"]) == 1  # which is over already
