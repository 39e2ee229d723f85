"""`bugsieve experiment`: what it prints, its exit codes, and how it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bugsieve.base.wording import duration
from bugsieve.campaigns.events import RoundDone
from bugsieve.cli import main
from bugsieve.commands.shared.heartbeat import Heartbeat
from bugsieve.rooms.lab.commands.experiment_progress import CampaignCounts, ExperimentDisplay
from bugsieve.rooms.lab.experiments.experiment import ExperimentStarted
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.grid import Grid
from bugsieve.rooms.lab.experiments.jobs import JobFailed, JobProgress, JobReport, JobStarted

Captured = pytest.CaptureFixture[str]

GRID = """
policies = ["hill-climbing:hadd"]
oracles = ["lookahead"]
[campaign.fuzz]
pool_size = 10
[[domains]]
generator = "visitall"
parameters = { width = 2, height = [2, 3] }
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # AddressSanitizer, if the tests run under it
    (tmp_path / "grid.toml").write_text(GRID)


def test_an_experiment_and_its_table(capsys: Captured) -> None:
    assert main(["experiment", "grid.toml"]) == 0
    report = "2 campaigns: 2 done\nresults in grid\ntable: bugsieve table icaps22 grid\n"
    assert capsys.readouterr().out == report
    assert main(["experiment", "grid.toml", "-o", "grid", "--workers", "1"]) == 0
    assert capsys.readouterr().out == report
    assert main(["table", "icaps22", "grid", "--all-instances"]) == 0
    assert "visitall" in capsys.readouterr().out
    assert main(["status", "grid"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    lines = [line for line in rest if line.endswith(" (pool full)")]
    assert first.endswith(" test states of 2 campaigns") and len(lines) == 2
    found = [Path("grid", line.split()[0]) for line in lines]
    assert found == sorted(path.parent for path in Path("grid").rglob("campaign.sqlite"))


SAFETY_GRID = """
policies = ["random"]
[campaign]
alone = 5
fuzz.walks = 10
[[models]]
generator = "one-way-line"
parameters = { length = [5, 6], packages = 1 }
"""


def test_an_experiment_on_safety_and_its_tables(capsys: Captured) -> None:
    Path("safe.toml").write_text(SAFETY_GRID)
    assert main(["experiment", "safe.toml"]) == 0
    report = "2 campaigns: 2 done\nresults in safe\ntable: bugsieve table safety safe\n"
    assert capsys.readouterr().out == report
    assert main(["table", "safety", "safe"]) == 0
    assert "one-way-line-length-5-packages-1-seed-0" in capsys.readouterr().out


def test_failures_are_listed(capsys: Captured) -> None:
    Path("bad.py").write_text("raise RuntimeError('no policy here')\n")
    Path("grid.toml").write_text(GRID.replace("hill-climbing:hadd", "python:bad.py:choose"))
    assert main(["experiment", "grid.toml", "-o", "out", "--trust-policy"]) == 4
    output, errors = capsys.readouterr()
    assert output.splitlines()[0] == "2 campaigns: 0 done, 2 failed"
    assert output.count("no policy here") == errors.count("no policy here") == 2
    assert "Traceback" not in errors


def test_the_example_is_a_file(capsys: Captured) -> None:
    assert main(["experiment", "--example"]) == 0
    Path("example.toml").write_text(capsys.readouterr().out)
    assert len(read_experiment(Path("example.toml")).cells) == 12
    assert main(["experiment", "--example", "safety"]) == 0
    Path("example.toml").write_text(capsys.readouterr().out)
    example = read_experiment(Path("example.toml"))
    assert example.is_safety and len(example.cells) == 6
    assert main(["experiment", "--example", "trainings"]) == 0
    Path("example.toml").write_text(capsys.readouterr().out)
    example = read_experiment(Path("example.toml"))
    assert example.final is not None and len(example.cells) == 12


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name an experiment file"),
        (["missing.toml"], "missing.toml: there is no such file"),
        (["grid.toml", "-o", "grid.toml"], "grid.toml: is a file, name a folder"),
        (["grid.toml", "--workers", "0"], "--workers must be at least 1"),
    ],
)
def test_what_is_refused(capsys: Captured, arguments: list[str], sentence: str) -> None:
    assert main(["experiment", *arguments]) == 4
    output, errors = capsys.readouterr()
    assert output == ""
    assert sentence in errors and errors.count("\n") == 1


def grid() -> Grid:
    return read_experiment(Path("grid.toml"))


def round_done(
    kind: str, *, walks: int, cases: int, limit: int, bugs: dict[str, int]
) -> RoundDone:
    return RoundDone(kind, walks, 1, cases, limit, 2, bugs, 1.0, 9.0, 5, None)


def tell(display: ExperimentDisplay, *events: ExperimentStarted | JobReport) -> None:
    """Let the display take the events, with a sign of life after each."""
    heart = Heartbeat(seconds=0.0)
    with display:
        for event in events:
            display.take(event)
            heart.beat()


def test_progress_lines(capsys: Captured) -> None:
    bugs = {"costly": 2, "unsolved": 1}
    state = round_done("cost", walks=64, cases=7, limit=10, bugs=bugs)
    tell(
        ExperimentDisplay(grid()),
        ExperimentStarted(2, 1, 1),
        JobStarted(1),
        JobProgress(1, state),
        JobFailed(1, "no memory", 5),
    )
    lines = capsys.readouterr().err.splitlines()
    folder = "visitall/visitall-width-2-seed-0/hill-climbing-hadd_default_seed-0"
    assert lines == [
        "1 of 2 campaigns done",
        f"1 of 2 campaigns done; {folder}",
        f"1 of 2 campaigns done; {folder} (pool 7 of 10, 3 bugs)",
        f"{folder}: no memory",
        "1 of 2 campaigns done, 1 failed, about 0 s left",
    ]


def test_progress_lines_on_safety(capsys: Captured) -> None:
    from bugsieve.rooms.training.environments import Evaluation
    from bugsieve.rooms.training.q_learning import Evaluated

    Path("safe.toml").write_text(SAFETY_GRID)
    state = round_done("safety", walks=7, cases=3, limit=10, bugs={"fault": 2})
    evaluated = Evaluated(500, Evaluation(0.5, 0.5, 9.0), True, 0.1, 0.2, 3.0)
    tell(
        ExperimentDisplay(read_experiment(Path("safe.toml"))),
        ExperimentStarted(2, 0, 1, {2: "safe/networks/net"}),
        JobProgress(2, evaluated),
        JobFailed(2, "no PyTorch", 4),
        JobProgress(1, state),
    )
    folder = "one-way-line/one-way-line-length-6-packages-1-seed-0/random_default_seed-0"
    assert capsys.readouterr().err.splitlines() == [
        "0 of 2 campaigns done",
        "0 of 2 campaigns done; safe/networks/net (training, step 500)",
        "safe/networks/net: no PyTorch",
        "0 of 2 campaigns done",
        f"0 of 2 campaigns done; {folder} (walk 7 of 10, 2 bugs)",
    ]


def test_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(
        "bugsieve.rooms.lab.commands.experiment_progress.time.monotonic", lambda: now[0]
    )
    counts = CampaignCounts(10, done=2)
    now[0] += 30.0
    counts.add(failed=False)
    counts.add(failed=True)
    assert counts.line() == "3 of 10 campaigns done, 1 failed, about 90 s left"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (100, "2 min"), (7000, "1.9 h")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_an_interruption_says_how_far_it_is_and_loses_nothing() -> None:
    Path("grid.toml").write_text(GRID.replace("pool_size = 10", "pool_size = 100000"))
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "experiment", "grid.toml", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ.copy(),
    )
    folder = Path("grid") / grid().cells[0].folder
    while not (folder / "campaign.sqlite").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    cells = len(grid().cells)
    assert output == f"0 of {cells} campaigns done\nresults in grid\n"
    assert errors == "bugsieve: interrupted: the same command goes on\n"
    assert process.returncode == 2
    Path("grid.toml").write_text(GRID)
    assert main(["experiment", "grid.toml"]) == 4  # the same folder, but another pool size
