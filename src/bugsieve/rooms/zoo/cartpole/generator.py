"""Cart pole: a cart is pushed left or right so that the pole on it stays up; linearised."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import Control, ControlOptions, symmetric
from bugsieve.rooms.zoo.documents import Edge, Model
from bugsieve.rooms.zoo.expressions import disj, ge, le, minus, over, plus, times
from bugsieve.rooms.zoo.options import real

SUMMARY = "a cart is pushed left or right to keep the pole on it upright"

_LIMIT = 0.21
_PUSHES = {"left": -10, "right": 10}
_MOST_ACCELERATION = 10.0  # of the cart, while the pole is up
_MOST_TURNING = 18.0  # change of the angular velocity per second, likewise


@dataclass(frozen=True)
class Options(ControlOptions):
    """Options of the simulation of the pole's physics, by explicit Euler steps."""

    dt: float = real(0.02, "seconds per step", minimum=0.001, maximum=0.1)


def generate(options: Options, rng: Stream) -> Model:
    """The cart may go anywhere; only the pole matters."""
    time = options.episodes * options.dt
    fastest = 1 + _MOST_ACCELERATION * time
    control = Control(
        options,
        [
            symmetric("x", 2 + fastest * time, fastest * options.dt + 1, "position of the cart"),
            symmetric("v", fastest, _MOST_ACCELERATION * options.dt, "velocity of the cart"),
            symmetric("theta", _LIMIT, 10 * options.dt, "angle of the pole, 0: upright"),
            symmetric("omega", 10.0, _MOST_TURNING * options.dt, "angular velocity"),
        ],
        {"x": (-1.0, 1.0), "v": (-0.3, 0.3), "theta": (-0.2, 0.2), "omega": (-0.5, 0.5)},
    )
    return control.model(
        rng,
        SUMMARY,
        [_step(control, action) for action in _PUSHES],
        unsafe=disj(ge("theta", _LIMIT), le("theta", -_LIMIT)),
        constants={
            "dt": options.dt,
            "gravity": 9.8,
            "cart_mass": 1.0,
            "pole_mass": 0.1,
            "half_length": 0.5,
        },
    )


def _step(control: Control, action: str) -> Edge:
    mass = plus("cart_mass", "pole_mass")
    push = over(_PUSHES[action], mass)
    inertia = times("half_length", minus(over(4, 3), over("pole_mass", mass)))
    turning = over(minus(times("gravity", "theta"), push), inertia)
    reaction = over(times("pole_mass", "half_length", turning), mass)
    values = {
        "x": plus("x", times("dt", "v")),
        "v": plus("v", times("dt", minus(push, reaction))),
        "theta": plus("theta", times("dt", "omega")),
        "omega": plus("omega", times("dt", turning)),
    }
    return control.edge(action, values)
