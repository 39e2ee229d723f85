"""Experiments of all kinds from texts: read, refused, run, changed, and killed on the way."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.lab.experiments.experiment import Experiment, ExperimentSummary
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.grid import Grid
from tests.hostile.processes import children, wait_until_gone

PROGRAM = """
import sys
from pathlib import Path
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.file import read_experiment
grid = read_experiment(Path(sys.argv[1]))
try:
    Experiment(grid, Path(sys.argv[2])).run(workers=2, on_event=lambda e: print("go", flush=True))
except KeyboardInterrupt:
    print("stopped")
"""


def read(folder: Path, text: str) -> Grid:
    path = folder / "grid.toml"
    path.write_text(text)
    return read_experiment(path)


def shipped(name: str) -> Grid:
    """An experiment of the repository."""
    path = Path(__file__).parents[3] / "experiments" / name
    if not path.exists():
        pytest.skip("the experiment is part of the repository, not of the package")
    return read_experiment(path)


def check_refused(folder: Path, text: str, sentence: str, *, place: str = "") -> None:
    """There is one line, which names the file and the place in it."""
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder, text)
    assert str(caught.value).startswith(f"{folder / 'grid.toml'}{place}")
    assert "\n" not in str(caught.value)


def experiment(folder: Path, text: str) -> Experiment:
    folder.mkdir(exist_ok=True)
    return Experiment(read(folder, text), folder / "out")


def run(
    made: Experiment, *, workers: int = 1, **settings: Any
) -> tuple[ExperimentSummary, list[Any]]:
    """Run it in one process unless told otherwise: most of the time goes into starting them."""
    events: list[Any] = []
    return made.run(on_event=events.append, workers=workers, **settings), events


def copied(finished: Experiment, folder: Path, text: str, *, without: int = 0) -> Experiment:
    """An experiment in a copy of a finished one's folder, its first campaigns left out."""
    made = experiment(folder, text)
    shutil.copytree(finished.directory, made.directory)
    for campaign in folders(made)[:without]:
        shutil.rmtree(campaign)
    return made


def folders(made: Experiment) -> list[Path]:
    return [made.directory / cell.folder for cell in made.grid.cells]


def check_change(changed: Experiment, difference: str | None) -> None:
    """Two campaigns do not go on in the folder of others if the change makes a difference."""
    if difference is None:
        assert run(changed)[0].done == 2
        return
    with pytest.raises(InputError, match=difference):
        changed.run()


def stopped(made: Experiment, number: signal.Signals) -> tuple[str, str]:
    """Run it by a process and two workers, end that by a signal as soon as a campaign has begun.

    Returns what the process printed, when the workers have ended, too.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(made.grid.source), str(made.directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (folders(made)[0] / STORE_FILE).exists():
        assert process.poll() is None
        time.sleep(0.02)
    workers = children(process.pid)
    assert len(workers) == 2
    process.send_signal(number)
    output, errors = process.communicate()
    wait_until_gone(workers)
    return output, errors
