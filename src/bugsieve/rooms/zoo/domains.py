"""Built-in planning domains: PDDL files of our own, each with a seeded generator of problems.

Used by `bugsieve generate`, the examples and the tests; a domain's module is imported when used.
Models with an unsafety condition, in JANI, have a registry of their own in `domains.jani`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.rooms.zoo.generators import Generator, draw
from bugsieve.rooms.zoo.problems import PddlProblem

MADE_BY = "; Made by: bugsieve generate"
"""The beginning of every generated problem file; the arguments that make it again follow."""

DOMAINS: MemberTable[Generator[PddlProblem]] = MemberTable(FAMILIES["domains"])
"""The modules that generate problems, by the names of their domains."""


@dataclass(frozen=True)
class GeneratedTask:
    """The texts of a domain file and a problem file, and a name that tells how they were made."""

    domain: str
    problem: str
    name: str


def domain_text(name: str) -> str:
    """The PDDL text of a domain; one of another package has it as `PDDL`."""
    from importlib.resources import files  # slow to import, and needed only here

    place = FAMILIES["domains"].builtin.get(name)
    if place is None:
        return str(DOMAINS[name].PDDL)
    return (files(place.rpartition(".")[0]) / "domain.pddl").read_text("utf-8")


def generate(name: str, *, seed: int = 0, **parameters: int | str) -> GeneratedTask:
    """A random solvable task; name, seed and parameters determine its text on every machine."""
    drawn = draw(name, DOMAINS[name], seed, parameters)
    text = drawn.content.text(name=drawn.name, domain=name)
    return GeneratedTask(domain_text(name), f"{MADE_BY} {drawn.command}\n{text}", drawn.name)
