"""The tasks every measurement runs on, each translated once to a SAS file in the build folder.

The files come from `../shared/benchmarks/pddl` beside the repository or from our own generators.
We and Fast Downward read the same SAS file, made by the translator with its default options.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lifts_and_stacks import lifts, stacks
from benchmarks.synthetic import write_many_operators

ROOT = Path(__file__).resolve().parent.parent
PDDL = ROOT.parent / "shared" / "benchmarks" / "pddl"
CLASSICAL = PDDL / "ipc-classical"
BUILD = ROOT / "build" / "benchmarks"
TRANSLATOR_SECONDS = 600
CHILDSNACK = {"children": 10, "allergic": 5, "trays": 2, "tables": 3, "seed": 1}
LANDMARK_PROBLEMS = {
    "blocks-9-0": "blocks/probBLOCKS-9-0.pddl",
    "blocks-9-1": "blocks/probBLOCKS-9-1.pddl",
    "floortile-opt11-1": "floortile-opt11-strips/opt-p01-001.pddl",
    "floortile-opt11-2": "floortile-opt11-strips/opt-p01-002.pddl",
    "gripper-3": "gripper/prob03.pddl",
    "gripper-4": "gripper/prob04.pddl",
    "matching-blocksworld-8": "matching-blocksworld/test/mbw-b08-t1-s898.pddl",
    "matching-blocksworld-9": "matching-blocksworld/test/mbw-b09-t2-s694.pddl",
    "satellite-6": "satellite/p06-pfile6.pddl",
    "satellite-7": "satellite/p07-pfile7.pddl",
    "scanalyzer-2": "scanalyzer-opt11-strips/p02.pddl",
    "scanalyzer-3": "scanalyzer-opt11-strips/p03.pddl",
    "storage-9": "storage/p09.pddl",
    "storage-13": "storage/p13.pddl",
    "transport-opt08-3": "transport-opt08-strips/p03.pddl",
    "transport-opt08-12": "transport-opt08-strips/p12.pddl",
    "visitall-7-half": "visitall-opt11-strips/problem07-half.pddl",
    "visitall-9-full": "visitall-opt11-strips/problem09-full.pddl",
}
LANDMARK_EASY = {
    "blocksworld": (6, 8),
    "ferry": (9, 11),
    "floortile": (1, 2),
    "miconic": (8, 12),
    "satellite": (5, 7),
    "spanner": (8, 10),
    "transport": (5, 7),
}
LANDMARK_GENERATED = {
    "childsnack-3": (
        "childsnack",
        {"children": 3, "allergic": 1, "trays": 1, "tables": 2, "seed": 1},
    ),
    "childsnack-4": (
        "childsnack",
        {"children": 4, "allergic": 2, "trays": 2, "tables": 2, "seed": 1},
    ),
    "rovers-1": ("rovers", {"waypoints": 6, "cameras": 2, "soils": 2, "rocks": 2, "images": 2}),
    "rovers-2": ("rovers", {"waypoints": 8, "cameras": 2, "soils": 2, "rocks": 1, "images": 2}),
    "sokoban-1": ("sokoban", {"rows": 6, "columns": 6, "stones": 3, "walls": 5, "pulls": 100}),
    "sokoban-2": (
        "sokoban",
        {"rows": 8, "columns": 8, "stones": 4, "walls": 8, "pulls": 100, "seed": 3},
    ),
}


class TranslationError(RuntimeError):
    """The translator did not write a SAS file."""


@dataclass(frozen=True)
class BenchmarkTask:
    """A named pair of PDDL files."""

    name: str
    domain: Path
    problem: Path

    def sas_file(self) -> Path:
        """The translated task; the translator runs only when the file is not there yet."""
        return translate(self.domain, self.problem, BUILD / "sas" / f"{self.name}.sas")


def figure_tasks() -> list[BenchmarkTask]:
    """The tasks whose figures have bars; those whose files are absent are left out."""
    tasks = [
        _classical("blocks-10-0", "blocks/probBLOCKS-10-0.pddl"),
        _classical("gripper-10", "gripper/prob10.pddl"),
        _classical("satellite-7", "satellite/p07-pfile7.pddl"),
        _classical("transport-opt08-10", "transport-opt08-strips/p10.pddl"),
        generated("childsnack", "childsnack", **CHILDSNACK),
        *(_medium(name, 5) for name in ("blocksworld", "satellite", "transport", "ferry")),
    ]
    return _present(tasks)


def walk_tasks() -> list[BenchmarkTask]:
    """Those, and one in which about 650 operators are applicable in every state."""
    return [*figure_tasks(), *_present([_medium("satellite", 16)])]


def small_tasks() -> list[BenchmarkTask]:
    """Tasks on which a search costs less than starting a program for it."""
    tasks = [
        _classical("blocks-4-0", "blocks/probBLOCKS-4-0.pddl"),
        _classical("gripper-1", "gripper/prob01.pddl"),
        _classical("satellite-1", "satellite/p01-pfile1.pddl"),
        _classical("transport-opt08-1", "transport-opt08-strips/p01.pddl"),
    ]
    return _present(tasks)


def landmark_tasks() -> list[BenchmarkTask]:
    """Two tasks each of 21 domains that A* with LM-cut solves within seconds."""
    tasks = [_classical(name, problem) for name, problem in LANDMARK_PROBLEMS.items()]
    tasks += [
        _easy(domain, number) for domain, numbers in LANDMARK_EASY.items() for number in numbers
    ]
    tasks += [
        generated(name, domain, **options)
        for name, (domain, options) in LANDMARK_GENERATED.items()
    ]
    tasks += [
        _written("lifts-1", lifts(floors=9, stops=4, passengers=4, seed=2)),
        _written("lifts-2", lifts(floors=9, stops=4, passengers=5, seed=4)),
        _written("stacks-1", stacks(orders=7, products=7, seed=3)),
        _written("stacks-2", stacks(orders=8, products=8, seed=4)),
    ]
    return _present(tasks)


def large_tasks() -> dict[str, Path]:
    """SAS files with many operators: a real task with 185 400 of them, and a made-up one."""
    files = {task.name: task.sas_file() for task in _present([_medium("transport", 23)])}
    return {**files, "synthetic": write_many_operators(BUILD / "sas" / "synthetic.sas")}


def translate(domain: Path, problem: Path, sas_file: Path, *, seconds: float = 0) -> Path:
    """Run the translator with its default options unless the SAS file is newer than its input."""
    newest = max(domain.stat().st_mtime, problem.stat().st_mtime)
    if sas_file.is_file() and sas_file.stat().st_mtime >= newest:
        return sas_file
    sas_file.parent.mkdir(parents=True, exist_ok=True)
    partial = sas_file.with_suffix(".partial")
    module = [sys.executable, "-m", "fast_downward.translate"]
    command = [*module, str(domain), str(problem), "--sas-file", str(partial)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=seconds or TRANSLATOR_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise TranslationError(f"{problem}: the translator ran out of time") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise TranslationError(f"{problem}: the translator failed: {lines[-1]}")
    if b"Generating unsolvable task" in done.stdout:  # a dummy, on which everything is fast
        raise TranslationError(f"{problem}: the translator finds no way to the goal")
    partial.replace(sas_file)
    return sas_file


def typed_domain(task: BenchmarkTask) -> Path:
    """The domain file with `:typing` among its requirements, which pymimir insists on."""
    text = task.domain.read_text()
    if ":typing" in text.lower():
        return task.domain
    copy = BUILD / "typed" / f"{task.name}-domain.pddl"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(
        re.sub(r"\(:requirements", "(:requirements :typing", text, flags=re.IGNORECASE)
    )
    return copy


def _present(tasks: list[BenchmarkTask]) -> list[BenchmarkTask]:
    return [task for task in tasks if task.problem.is_file()]


def _classical(name: str, problem: str) -> BenchmarkTask:
    domain = CLASSICAL / problem.split("/")[0] / "domain.pddl"
    return BenchmarkTask(name, domain, CLASSICAL / problem)


def _medium(domain: str, number: int) -> BenchmarkTask:
    folder = PDDL / "ipc2023-learning" / domain
    problem = folder / "testing" / "medium" / f"p{number:02d}.pddl"
    name = f"medium-{domain}" if number == 5 else f"medium-{domain}-{number}"
    return BenchmarkTask(name, folder / "domain.pddl", problem)


def _easy(domain: str, number: int) -> BenchmarkTask:
    folder = PDDL / "ipc2023-learning" / domain
    problem = folder / "testing" / "easy" / f"p{number:02d}.pddl"
    return BenchmarkTask(f"easy-{domain}-{number}", folder / "domain.pddl", problem)


def generated(name: str, domain: str, **options: int) -> BenchmarkTask:
    """A task of one of our generators."""
    from bugsieve.rooms.zoo.domains import generate

    made = generate(domain, **options)
    return _written(name, (made.domain, made.problem))


def _written(name: str, texts: tuple[str, str]) -> BenchmarkTask:
    """A task of ours in the build folder; what is there already is kept, with its date."""
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    task = BenchmarkTask(name, folder / "domain.pddl", folder / "problem.pddl")
    for path, text in zip((task.domain, task.problem), texts, strict=True):
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
    return task
