"""The model that the options of a safety campaign name by its files."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bugsieve.rooms.jani.fond.loading import condition_text, load_fond
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.properties import PropertyFiles
from bugsieve.rooms.safety.campaign.options import SafetyOptions

PROPERTY_PARTS = ("start", "goal", "unsafe")
"""Of a JANI property, if they have files of their own."""
_PDDL_FILES = 3


def model_of(options: SafetyOptions) -> JaniModel:
    """The model that the options name."""
    return load_files(options.model, options.constants, options.property_name)


def load_files(
    files: Sequence[str], constants: tuple[str, ...], property_name: str | None
) -> JaniModel:
    """The model of these files, which are in the order of the command line's arguments.

    Of the three parts of a property, a start or goal that has no file is an empty text.
    """
    if len(files) == _PDDL_FILES:
        domain, problem, unsafe = files
        return load_fond(domain, problem, condition_text(unsafe, name="unsafe:"))
    pairs = [text.partition("=") for text in constants]
    values = {name: json.loads(value) for name, _, value in pairs}
    model, *given = files
    source: str | PropertyFiles | None = next(iter(given), None)
    if len(given) == len(PROPERTY_PARTS):
        start, goal, unsafe = given
        source = PropertyFiles(start or None, goal or None, unsafe)
    return load_model(model, source, constants=values, property_name=property_name)
