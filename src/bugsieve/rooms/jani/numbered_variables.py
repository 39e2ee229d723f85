"""Variables of a model that are one thing for many places: load_0, load_1, load_2, …"""

from __future__ import annotations

import re

from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.variables import ModelVariable

_MOST_STROKES = 3


def numbered(model: JaniModel, prefix: str) -> dict[int, ModelVariable]:
    """The variables whose names are this prefix and a number, in the order of the numbers."""
    found: dict[int, ModelVariable] = {}
    for variable in model.variables:
        name = variable.name
        if name.startswith(prefix) and re.fullmatch("[0-9]{1,6}", name[len(prefix) :]):
            found[int(name[len(prefix) :])] = variable
    return dict(sorted(found.items()))


def one_of(model: JaniModel, *names: str) -> ModelVariable | None:
    """The variable that has the first of these names that any has."""
    by_name = {variable.name: variable for variable in model.variables}
    return next((by_name[name] for name in names if name in by_name), None)


def tallied(count: int) -> str:
    """`!!` for 2, and a number where there would be many."""
    return "!" * count if count <= _MOST_STROKES else f"!{count}"
