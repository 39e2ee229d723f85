"""Built-in models with an unsafety condition, in JANI, each with a seeded generator.

Used by `bugsieve generate`, safety experiments and the tests; modules are imported when used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.rooms.zoo.documents import Model, document_text
from bugsieve.rooms.zoo.generators import Generator, draw

MADE_BY = "Made by: bugsieve generate"
"""The beginning of every generated model's description; the arguments follow."""

MODEL_DOMAINS: MemberTable[Generator[Model]] = MemberTable(FAMILIES["model-domains"])
"""The modules that generate models, by the names of their domains."""


@dataclass(frozen=True)
class GeneratedModel:
    """A JANI document with its property, and a name that tells how it was made."""

    document: Mapping[str, Any]
    name: str

    @property
    def text(self) -> str:
        """The document as readable JSON."""
        return document_text(self.document)


def generate_model(name: str, *, seed: int = 0, **parameters: int | float | str) -> GeneratedModel:
    """A random model; name, seed and parameters determine its text on every machine."""
    drawn = draw(name, MODEL_DOMAINS[name], seed, parameters)
    description = f"{MADE_BY} {drawn.command}"
    document = drawn.content.document(name=drawn.name, description=description)
    return GeneratedModel(document, drawn.name)
