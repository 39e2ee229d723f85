"""Built-in models with an unsafety condition, in JANI, each with a seeded generator.

Used by `bugsieve generate`, safety experiments and the tests; modules are imported when used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.domains.generators import Generator, draw
from bugsieve.domains.jani.documents import Model, document_text

ModelGenerator = Generator[Model]

MADE_BY = "Made by: bugsieve generate"
"""How the description of every generated model begins; the arguments follow."""

_MODULES = {
    "beluga": "beluga",
    "bouncing-ball": "bouncing_ball",
    "cartpole": "cartpole",
    "follow-car": "follow_car",
    "inverted-pendulum": "inverted_pendulum",
    "n-puzzle": "n_puzzle",
    "nd-blocksworld": "nd_blocksworld",
    "one-way-line": "one_way_line",
    "two-way-line": "two_way_line",
}


@dataclass(frozen=True)
class GeneratedModel:
    """A JANI document with its property, and a name that tells how it was made."""

    document: Mapping[str, Any]
    name: str

    @property
    def text(self) -> str:
        """The document as readable JSON."""
        return document_text(self.document)


def model_names() -> tuple[str, ...]:
    """The names of all built-in domains of models, in alphabetical order."""
    return tuple(_MODULES)


def model_generator(name: str) -> ModelGenerator:
    """The module that generates models of this domain."""
    if name not in _MODULES:
        raise UsageError(no_such("built-in domain of models", name, _MODULES))
    return cast(ModelGenerator, import_module(f"{__name__}.{_MODULES[name]}"))


def generate_model(name: str, *, seed: int = 0, **parameters: int | float | str) -> GeneratedModel:
    """A random model; name, seed and parameters determine its text on every machine."""
    drawn = draw(name, model_generator(name), seed, parameters)
    description = f"{MADE_BY} {drawn.command}"
    document = drawn.content.document(name=drawn.name, description=description)
    return GeneratedModel(document, drawn.name)
