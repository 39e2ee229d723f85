"""Atoms on the variables of JANI models: expressions of JANI, as JSON.

They are read here, so that every rules file can be read without a model, and given their meaning
where a model is known.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from bugsieve.rooms.rules.file.atom_forms import AtomForm
from bugsieve.rooms.rules.file.source import PlacedText

MAX_CHARACTERS = 20_000
MAX_DEPTH = 100


@dataclass(frozen=True)
class ModelAtom:
    """An expression that is true or false in a state of a model."""

    about: ClassVar[str] = "variables of a model in JANI"
    variables: ClassVar[tuple[str, ...]] = ()

    text: str

    @property
    def expression(self) -> Any:
        """The JSON itself."""
        return json.loads(self.text)


def read_model_atom(text: PlacedText) -> ModelAtom:
    """The atom that a text means, or an InputError that names the character."""
    value = text.value
    if len(value) > MAX_CHARACTERS:
        raise text.error(0, f"an expression of JANI may have {MAX_CHARACTERS} characters here")
    depth = deepest = 0
    for sign in value:
        depth += (sign in "{[") - (sign in "}]")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise text.error(0, f"an expression of JANI may be nested {MAX_DEPTH} deep here")
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        reason = error.msg[0].lower() + error.msg[1:]
        raise text.error(error.pos, f"no expression of JANI in JSON: {reason}") from None
    except ValueError as error:  # numbers with too many digits
        raise text.error(0, f"no expression of JANI in JSON: {error}") from None
    return ModelAtom(value)


MODEL_ATOMS = AtomForm(lambda text: text.startswith("{"), read_model_atom)
