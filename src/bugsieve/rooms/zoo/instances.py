"""Instances of all domains, PDDL and JANI alike, as the files they are written to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry.members import MemberInfo
from bugsieve.rooms.zoo import model_domains as jani
from bugsieve.rooms.zoo.domains import DOMAINS, MADE_BY, generate
from bugsieve.rooms.zoo.generators import Generator
from bugsieve.tasks.sources import DOMAIN_FILE, MODEL_FILE, PROBLEM_FILE

_HEAD = 2000
"""A model says within that many bytes how it was made."""


@dataclass(frozen=True)
class Instance:
    """A name that tells how it was made, and the texts of its files by their names."""

    name: str
    texts: Mapping[str, str]


def instance_names() -> tuple[str, ...]:
    """The names of all domains, in alphabetical order."""
    return tuple(sorted([*DOMAINS, *jani.MODEL_DOMAINS]))


def instance_infos() -> list[MemberInfo]:
    """A line on each domain, in alphabetical order."""
    infos = [*DOMAINS.infos(), *jani.MODEL_DOMAINS.infos()]
    return sorted(infos, key=lambda info: info.name)


def instance_generator(name: str) -> Generator[object]:
    """The module that generates instances of this domain."""
    if name not in instance_names():
        raise UsageError(no_such("domain", name, instance_names()))
    return jani.MODEL_DOMAINS[name] if name in jani.MODEL_DOMAINS else DOMAINS[name]


def generate_instance(name: str, *, seed: int, parameters: Mapping[str, Any]) -> Instance:
    """A task as two PDDL files, or a model as one JANI file."""
    if name in jani.MODEL_DOMAINS:
        model = jani.generate_model(name, seed=seed, **parameters)
        return Instance(model.name, {MODEL_FILE: model.text})
    task = generate(name, seed=seed, **parameters)
    return Instance(task.name, {DOMAIN_FILE: task.domain, PROBLEM_FILE: task.problem})


def is_generated(texts: Mapping[str, bytes]) -> bool:
    """Return true if these files, by their names, are a generated instance."""
    if texts.get(PROBLEM_FILE, b"").startswith(MADE_BY.encode()):
        return True
    return f'"{jani.MADE_BY}'.encode() in texts.get(MODEL_FILE, b"")[:_HEAD]
