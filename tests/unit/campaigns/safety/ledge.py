"""A walk along a ledge: small enough to see by eye what is safe, and what is a fault.

At 0 one falls, at 6 one has arrived. At 1 every step may end at 0, so 1 is lost; to the left of 4
a step to the left may end there. From 4 on both ways are safe.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from tests.unit.tasks.jani.small import binary, bounded, edge, load, simple, variable

LEFT, RIGHT = 0, 1
LOST = (0, 1)
FAULTS = (2, 3)
"""Where going left is a fault."""


def at(*places: int) -> Any:
    test: Any = False
    for place in places:
        test = binary("∨", test, binary("=", "x", place))
    return test


def ledge(*, starts: tuple[int, ...] = (1, 2, 3, 4, 5), slip: int = 0) -> dict[str, Any]:
    """The model; `slip` is where the edge is that leads below 0: a mistake of the model."""
    left = [
        edge({"x": 0}, action="left", guard=at(1)),
        edge(
            {"x": binary("-", "x", 1)},
            {"x": binary("-", "x", 2)},
            action="left",
            guard=at(2, 3, 4, 5),
        ),
    ]
    right = [
        edge({"x": 2}, {"x": 0}, action="right", guard=at(1)),
        edge({"x": binary("+", "x", 1)}, action="right", guard=at(2, 3, 4, 5)),
    ]
    wrong = [edge({"x": binary("-", "x", 9)}, action="right", guard=at(slip))] if slip else []
    listed = {
        "op": "states-values",
        "values": [{"variables": [{"var": "x", "value": place}]} for place in starts],
    }
    made: dict[str, Any] = simple(
        *(*left, *right, *wrong),
        name="ledge",
        variables=[variable("x", bounded(0, 6), 3)],
        unsafe=at(0),
        goal=at(6),
        start=listed,
    )
    return made


class Leftist(ModelPolicy):
    """Goes left at these places, else right."""

    def __init__(self, model: JaniModel, *places: int, spec: str = "leftist") -> None:
        super().__init__(model, spec)
        self.places = places

    def choose(self, states: Valuations) -> ActionArray:
        return np.where(np.isin(states[:, 0], self.places), LEFT, RIGHT).astype(np.int32)


def loaded(folder: Path, **settings: Any) -> JaniModel:
    return load(folder, ledge(**settings))
