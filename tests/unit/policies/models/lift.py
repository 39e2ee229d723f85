"""A lift with a variable of every type: nothing is applicable on its top floor."""

from __future__ import annotations

from pathlib import Path

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from tests.unit.tasks.jani.small import Json, binary, bounded, edge, simple, variable, write

TOP = 5
UP, DOWN, JUMP = "up", "down", "jump"


def document() -> Json:
    below = binary("<", "floor", TOP)
    up = edge({"floor": binary("+", "floor", 1)}, action=UP, guard=below)
    down = edge(
        {"floor": binary("-", "floor", 1)},
        action=DOWN,
        guard=binary("∧", below, binary(">", "floor", 0)),
    )
    jump = edge({"floor": 2}, action=JUMP, guard=binary("=", "floor", 0))
    variables = [
        variable("floor", bounded(0, TOP), 0),
        variable("open", "bool", False),
        variable("load", bounded(0, 2, "real"), 0),
    ]
    goal = binary("=", "floor", TOP)
    return simple(up, down, jump, name="lift", variables=variables, goal=goal)


def lift() -> JaniModel:
    return load_document(document(), name="lift.jani")


def write_lift(folder: Path) -> Path:
    return write(folder, document(), "lift.jani")


def floors(loaded: JaniModel, *numbers: int) -> Valuations:
    """States of an empty lift with its door closed."""
    import numpy as np

    return np.array([loaded.state([number, False, 0.0]) for number in numbers])


def names(loaded: JaniModel, actions: list[int]) -> list[str | None]:
    return [None if action < 0 else loaded.actions[action] for action in actions]
