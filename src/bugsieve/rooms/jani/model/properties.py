"""Properties in the style of policy safety: start, goal and unsafety, in one file or several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bugsieve.base.errors import InputError
from bugsieve.base.parts import Part, unique
from bugsieve.rooms.jani.model.types import Value
from bugsieve.tasks.json_text import load_json

_MAX_REFERENCES = 10

StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class PropertyFiles:
    """Files of their own for the parts of a property.

    Without a start, runs begin in the model's initial states; without a goal there is none.
    """

    start: StrPath | None
    goal: StrPath | None
    unsafe: StrPath | None
    """None where what is unsafe is said elsewhere, as by rules."""


@dataclass(frozen=True)
class PropertyParts:
    """The JSON of a property; a start of None stands for the model's own initial states."""

    start: Part | None
    goal: Part | None
    unsafe: Part


def find_property(
    model: Part,
    source: StrPath | PropertyFiles | None,
    name: str | None,
    *,
    is_needed: bool = True,
) -> PropertyParts:
    """The property of a model: its own, that of another file, or one in several files.

    Where none is needed, nothing is unsafe without one, and runs begin as the model says.
    """
    nothing = Part(False, model.file)
    if isinstance(source, PropertyFiles):
        start = None if source.start is None else _load(source.start)
        goal = None if source.goal is None else _goal(_load(source.goal))
        return PropertyParts(start, goal, _load(source.unsafe) if source.unsafe else nothing)
    document = model if source is None else _load(source)
    found = _properties(document, name)
    if not found and source is None and name is None and not is_needed:
        return PropertyParts(None, None, nothing)
    if not found:
        wanted = "a property" if name is None else f"the property {name!r}"
        raise document.error(
            f"does not hold {wanted} with start, objective and reach (operator 'PA'); give a file "
            "that does, or the unsafety condition alone with --unsafe FILE"
        )
    if len(found) > 1:
        names = ", ".join(sorted(found))
        raise document.error(f"holds several properties ({names}): choose one by its name")
    return _parts(next(iter(found.values())))


def self_contained(
    model: Mapping[str, Any], parts: PropertyParts, constants: Mapping[str, Value]
) -> dict[str, Any]:
    """The model with its property inside and with these values of its constants."""
    expression: dict[str, Any] = {"op": "PA"}
    expression["start"] = {"op": "initial"} if parts.start is None else parts.start.data
    if parts.goal is not None:
        expression["objective"] = {"op": "objective", "goal": parts.goal.data}
    expression["reach"] = parts.unsafe.data
    declared = [
        {**constant, "value": constants[constant["name"]]}
        if constant["name"] in constants
        else constant
        for constant in model.get("constants", ())
    ]
    filled = {"constants": declared} if declared else {}
    properties = [{"name": "safety", "expression": expression}]
    return {**model, **filled, "properties": properties}


def follow(part: Part) -> Part:
    """The part itself, or what the file it refers to holds."""
    for _ in range(_MAX_REFERENCES):
        if not isinstance(part.data, dict) or "file" not in part.data or "op" in part.data:
            return part
        target = Path(part.file).parent / part["file"].text()
        try:
            part = _load(target)
        except InputError as error:
            raise InputError(f"{error} ({part.file} refers to it at {part.path})") from None
    raise part.error("files refer to each other in a circle")


def _load(path: StrPath) -> Part:
    return Part(load_json(path), os.fspath(path))


def _properties(document: Part, name: str | None) -> dict[str, Part]:
    """The PA properties of a document by name."""
    if document.get("op") is not None and document["op"].data == "PA":
        return {"": document}
    listed = [document] if document.get("expression") is not None else []
    listed += list(document.items_of("properties"))
    found: dict[str, Part] = {}
    for item in listed:
        expression = follow(item["expression"])
        if not isinstance(expression.data, dict) or expression.data.get("op") != "PA":
            continue
        own = item.get("name")
        own_name = f"number {len(found) + 1}" if own is None else own.text()
        unique(item, own_name, found, "properties")
        if name is None or name == own_name:
            found[own_name] = expression
    return found


def _parts(expression: Part) -> PropertyParts:
    start = expression.get("start")
    objective = expression.get("objective")
    return PropertyParts(
        None if start is None else follow(start),
        None if objective is None else _goal(follow(objective)),
        follow(expression["reach"]),
    )


def _goal(objective: Part) -> Part | None:
    if _operator(objective) != "objective":
        return objective
    goal = objective.get("goal")
    return None if goal is None else follow(goal)


def _operator(part: Part) -> str:
    return str(part.data.get("op", "")) if isinstance(part.data, dict) else ""


def start_kind(part: Part) -> Literal["values", "initial", "condition"]:
    """The form in which a start is given."""
    name = _operator(part)
    if name == "states-values":
        return "values"
    return "initial" if name == "initial" else "condition"


def condition_parts(part: Part) -> tuple[Part | None, list[Part]]:
    """Expression and locations of a state condition; a bare expression is one, too."""
    if _operator(part) != "state-condition":
        return part, []
    expression = part.get("exp")
    locations = list(part.items_of("locations"))
    if expression is None and not locations:
        raise part.error("the state condition has neither an expression nor locations")
    return expression, locations
