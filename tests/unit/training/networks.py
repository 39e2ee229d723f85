"""Small tasks on which networks are trained and tested within seconds."""

from __future__ import annotations

from pathlib import Path

from bugsieve.rooms.zoo.domains import generate


def write_visitall(folder: Path, *sizes: int) -> tuple[str, list[str]]:
    """The domain and a problem on a square of each size; random networks solve some of them."""
    domain, problems = folder / "domain.pddl", []
    for number, size in enumerate(sizes):
        made = generate("visitall", seed=number, width=size, height=size)
        domain.write_text(made.domain)
        problems.append(folder / f"p{number}.pddl")
        problems[-1].write_text(made.problem)
    return str(domain), [str(problem) for problem in problems]
