"""A path along an abyss: leaping is tempting and may end in it, walking is safe."""

from __future__ import annotations

from typing import Any

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from tests.unit.tasks.jani.small import binary, bounded, condition, edge, simple, variable

WALK, LEAP, REST = "walk", "leap", "rest"
END, ABYSS = 6, -1


def document(*, start: Any = None, goal: Any = None) -> Any:
    """A position from -1 (the abyss) to 6 (the goal); one can leap from even ones only."""
    at = "position"
    is_even = binary("=", binary("%", binary("+", at, 2), 2), 0)
    likely = {"exp": 0.75}
    leap = edge({at: binary("min", END, binary("+", at, 3))}, {at: ABYSS}, action=LEAP)
    leap["guard"] = {"exp": is_even}
    for destination, probability in zip(
        leap["destinations"], (likely, {"exp": 0.25}), strict=True
    ):
        destination["probability"] = probability
    edges = [
        edge({at: binary("+", at, 1)}, action=WALK, guard=binary("<", at, END)),
        leap,
        edge({}, action=REST, guard=binary("=", at, 3)),
    ]
    return simple(
        *edges,
        name="path",
        variables=[variable(at, bounded(-1, 6)), variable("load", bounded(0, 1, "real"))],
        unsafe=binary("=", at, ABYSS),
        goal=binary("=", at, END) if goal is None else goal,
        start=condition(binary("∧", binary("≤", 0, at), binary("≤", at, 2)))
        if start is None
        else start,
    )


def path() -> JaniModel:
    return load_document(document(), name="path.jani")
