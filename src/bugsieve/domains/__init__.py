"""Built-in planning domains: PDDL files of our own, each with a seeded generator of problems.

Used by `bugsieve generate`, the examples and the tests; a domain's module is imported when used.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, Protocol, cast

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such, suggest
from bugsieve.basis.seeds import Stream
from bugsieve.domains.options import GeneratorOptions
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


class Generator(Protocol):
    """What each domain's module offers."""

    SUMMARY: str
    Options: type[GeneratorOptions]

    def generate(self, options: Any, rng: Stream) -> Problem:
        """Draw a solvable problem; the same options and stream give the same problem."""


@dataclass(frozen=True)
class GeneratedTask:
    """The texts of a domain file and a problem file, and a name that tells how they were made."""

    domain: str
    problem: str
    name: str


def domain_names() -> tuple[str, ...]:
    """The names of all built-in domains, in alphabetical order."""
    return tuple(_MODULES)


def domain_generator(name: str) -> Generator:
    """The module that generates problems of this domain."""
    if name not in _MODULES:
        raise UsageError(no_such("built-in domain", name, _MODULES))
    return cast(Generator, import_module(f"bugsieve.domains.{_MODULES[name]}"))


def domain_text(name: str) -> str:
    """The PDDL text of a built-in domain."""
    from importlib.resources import files  # slow to import, and needed only here

    domain_generator(name)
    return (files(__name__) / "pddl" / f"{name}.pddl").read_text(encoding="utf-8")


def generate(name: str, *, seed: int = 0, **parameters: int | str) -> GeneratedTask:
    """A random solvable task; name, seed and parameters determine its text on every machine."""
    generator = domain_generator(name)
    known = [option.name for option in fields(generator.Options)]
    for parameter in parameters:
        if parameter not in known:
            raise UsageError(
                f"the domain {name!r} has no parameter {parameter!r}"
                f"{suggest(parameter, known)}; it has {', '.join(known)}"
            )
    if type(seed) is not int:
        raise UsageError(f"seed must be a whole number, got {seed!r}")
    options = generator.Options(**parameters)
    problem = generator.generate(options, Stream(seed, "domains", name))
    task_name = _task_name(name, options, seed)
    text = problem.text(name=task_name, domain=name)
    header = f"{MADE_BY} {_command_line(name, options, seed)}\n"
    return GeneratedTask(domain_text(name), header + text, task_name)


def _task_name(name: str, options: GeneratorOptions, seed: int) -> str:
    """Tells the parameters that differ from the defaults, and the seed."""
    parts = [name]
    for option in fields(options):
        value = getattr(options, option.name)
        if value != option.default:
            parts.append(option.name if value is True else f"{option.name}-{value}")
    return "-".join([*parts, f"seed-{seed}"])


def _command_line(name: str, options: GeneratorOptions, seed: int) -> str:
    """The arguments that make the task again, also when defaults should change."""
    parts = [name]
    for option in fields(options):
        value = getattr(options, option.name)
        if isinstance(value, bool):
            parts.append(f"--{option.name}" if value else f"--no-{option.name}")
        else:
            parts.append(f"--{option.name} {value}")
    return " ".join([*parts, f"--seed {seed}"])
