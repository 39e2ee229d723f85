"""Built-in planning domains: PDDL files of our own, each with a seeded generator of problems.

Used by `bugsieve generate`, the examples and the tests; a domain's module is imported when used.
Models with an unsafety condition, in JANI, have a registry of their own in `domains.jani`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.domains.generators import Generator, draw
from bugsieve.domains.problems import Problem

MADE_BY = "; Made by: bugsieve generate"
"""How every generated problem file begins; the arguments that make it again follow."""

_MODULES = {
    "blocksworld": "blocksworld",
    "childsnack": "childsnack",
    "ferry": "ferry",
    "floortile": "floortile",
    "gripper": "gripper",
    "matching-blocksworld": "matching_blocksworld",
    "miconic": "miconic",
    "rovers": "rovers",
    "satellite": "satellite",
    "scanalyzer": "scanalyzer",
    "sokoban": "sokoban",
    "spanner": "spanner",
    "storage": "storage",
    "transport": "transport",
    "visitall": "visitall",
}


@dataclass(frozen=True)
class GeneratedTask:
    """The texts of a domain file and a problem file, and a name that tells how they were made."""

    domain: str
    problem: str
    name: str


def domain_names() -> tuple[str, ...]:
    """The names of all built-in PDDL domains, in alphabetical order."""
    return tuple(_MODULES)


def domain_generator(name: str) -> Generator[Problem]:
    """The module that generates problems of this domain."""
    if name not in _MODULES:
        raise UsageError(_no_domain(name))
    return cast("Generator[Problem]", import_module(f"bugsieve.domains.{_MODULES[name]}"))


def domain_text(name: str) -> str:
    """The PDDL text of a built-in domain."""
    from importlib.resources import files  # slow to import, and needed only here

    domain_generator(name)
    return (files(__name__) / "pddl" / f"{name}.pddl").read_text(encoding="utf-8")


def generate(name: str, *, seed: int = 0, **parameters: int | str) -> GeneratedTask:
    """A random solvable task; name, seed and parameters determine its text on every machine."""
    drawn = draw(name, domain_generator(name), seed, parameters)
    text = drawn.content.text(name=drawn.name, domain=name)
    return GeneratedTask(domain_text(name), f"{MADE_BY} {drawn.command}\n{text}", drawn.name)


def _no_domain(name: str) -> str:
    from bugsieve.domains.jani import model_names

    if name in model_names():
        return f"the domain {name!r} has JANI models, but a PDDL task is needed here"
    return no_such("built-in domain", name, _MODULES)
