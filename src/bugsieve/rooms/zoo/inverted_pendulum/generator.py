"""Inverted pendulum: torques keep a pendulum upright; linearised, one step is 0.1 s."""

from __future__ import annotations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import Control, ControlOptions, symmetric
from bugsieve.rooms.zoo.documents import Edge, Model
from bugsieve.rooms.zoo.expressions import disj, ge, le, over, plus, times

SUMMARY = "torques keep an inverted pendulum from falling over"

_LIMIT = 0.785
_TORQUES = {"rotate_left": -2, "rotate_right": 2, "skip": 0}


Options = ControlOptions


def generate(options: Options, rng: Stream) -> Model:
    """The pendulum starts near the upright position."""
    # |angle| < 0.785 gives |acceleration| < 18, hence speeds below 8 and steps below 1.8 and 1.2.
    control = Control(
        options,
        [
            symmetric("angle", _LIMIT, 1.2, "0: upright"),
            symmetric("angular_velocity", 10.0, 2.0),
        ],
        {"angle": (-0.05, 0.05), "angular_velocity": (-0.1, 0.1)},
    )
    return control.model(
        rng,
        SUMMARY,
        [_step(control, action) for action in _TORQUES],
        unsafe=disj(ge("angle", _LIMIT), le("angle", -_LIMIT)),
        constants={"dt": 0.1, "mass": 1.0, "length": 1.0, "gravity": 9.8607},
    )


def _step(control: Control, action: str) -> Edge:
    pull = times(over(times(3, "gravity"), times(2, "length")), "angle")
    push = over(3 * _TORQUES[action], times("mass", "length", "length"))
    velocity = plus("angular_velocity", times(plus(pull, push), "dt"))
    values = {"angular_velocity": velocity, "angle": plus("angle", times(velocity, "dt"))}
    return control.edge(action, values)
