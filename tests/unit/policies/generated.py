"""Tasks of the built-in generators, loaded through the translator."""

from __future__ import annotations

from pathlib import Path

from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task


def write_task(folder: Path, domain: str, *, seed: int = 0, **parameters: int | bool) -> list[str]:
    """Paths of the domain and the problem file of a generated task."""
    made = generate(domain, seed=seed, **parameters)
    paths = [folder / f"{domain}-{seed}-domain.pddl", folder / f"{domain}-{seed}-problem.pddl"]
    for path, text in zip(paths, (made.domain, made.problem), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def generated_task(folder: Path, domain: str, *, seed: int = 0, **parameters: int | bool) -> Task:
    """A generated task."""
    return load_task(*write_task(folder, domain, seed=seed, **parameters), cache=False)
