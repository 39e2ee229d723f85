"""The distance of states from the goal, which tells a learner that it makes progress."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations


class GoalDistance:
    """The distance of h_u (Section 5 of papers/001), to the goal instead of to danger.

    UnsupportedError where there is no goal or it is not made of linear constraints.
    """

    def __init__(self, model: JaniModel) -> None:
        self._model = load_document(_danger_at_the_goal(model), name=model.name)
        self._model.require_distance()

    def __call__(self, states: Valuations) -> NDArray[np.float64]:
        """A distance per state; 0 at the goal."""
        return self._model.distances(states)


def _danger_at_the_goal(model: JaniModel) -> dict[str, Any]:
    """The model with its goal in place of its unsafety condition."""
    (entry,) = model.document["properties"]
    expression = entry["expression"]
    if "objective" not in expression:
        raise UnsupportedError(f"{model.name} has no goal")
    swapped = {**expression, "reach": expression["objective"]["goal"]}
    return {**model.document, "properties": [{**entry, "expression": swapped}]}


class Potential:
    """Minus the distance to the goal, in units of the mean distance of the start states.

    Each step is paid `discount * potential(after) - potential(before)`. Along a run this sums up
    to a constant and the discounted potential of its end (Ng, Harada and Russell, 1999): ways to
    the goal compare as before, and a run that ends elsewhere pays for the way it did not make.
    """

    def __init__(self, model: JaniModel, starts: Valuations, worth: float) -> None:
        self._distance: GoalDistance | None = None
        self._factor = 0.0
        self.reason = ""
        """The reason why there is no distance, where there is none."""
        if not worth:
            return
        try:
            distance = GoalDistance(model)
        except UnsupportedError as error:
            self.reason = str(error)
            return
        mean = float(distance(starts).mean())
        if mean > 0:
            self._distance, self._factor = distance, -worth / mean

    def __call__(self, states: Valuations) -> NDArray[np.float64]:
        """One value per state."""
        if self._distance is None:
            return np.zeros(len(states))
        return self._factor * self._distance(states)
