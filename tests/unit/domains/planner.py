"""Fast Downward's translator and search, each in a child process."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from bugsieve.rooms.zoo.domains import GeneratedTask


def translate(task: GeneratedTask, folder: Path) -> Path:
    """The SAS file of the task."""
    (folder / "domain.pddl").write_text(task.domain)
    (folder / "problem.pddl").write_text(task.problem)
    command = [sys.executable, "-m", "fast_downward.translate", "domain.pddl", "problem.pddl"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "arning" not in run.stdout + run.stderr
    return folder / "output.sas"


def search_program() -> Path | None:
    """The binary of the package up-fast-downward, if that is installed."""
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or not package.submodule_search_locations:
        return None
    home = Path(package.submodule_search_locations[0])
    program = home / "downward" / "builds" / "release" / "bin" / "downward"
    return program if program.exists() else None


def optimal_plan(program: Path, sas: Path) -> list[str]:
    """A cheapest plan, found with A* and LM-cut."""
    with sas.open() as task:
        run = subprocess.run(
            [program, "--search", "astar(lmcut())"],
            stdin=task,
            cwd=sas.parent,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-1000:] + run.stderr
    lines = (sas.parent / "sas_plan").read_text().splitlines()
    return [line for line in lines if line.startswith("(")]
