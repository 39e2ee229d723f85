"""Bouncing ball: a racket keeps a ball high by pushing it down when it is within reach."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import Control, ControlOptions, Working
from bugsieve.rooms.zoo.documents import Edge, Model
from bugsieve.rooms.zoo.expressions import (
    Expression,
    between,
    conj,
    ge,
    le,
    lt,
    minus,
    over,
    plus,
    times,
)
from bugsieve.rooms.zoo.options import real

SUMMARY = "a ball is pushed down when it is high, and must never bounce too low"

_GRAVITY = -9.8067
_TOP_SPEED = 100.0  # no push makes the ball fall faster


@dataclass(frozen=True)
class Options(ControlOptions):
    """The ball flies exactly; only contacts and pushes are tied to the steps."""

    dt: float = real(0.3, "seconds per step", minimum=0.01, maximum=0.9)


def generate(options: Options, rng: Stream) -> Model:
    """Pushes within reach give energy, contacts with the ground take a tenth of it."""
    # In flight v²/2 - gravity · h stays as it is, and a push leaves at most that of the top speed.
    energy = _TOP_SPEED**2 / 2 - 9 * _GRAVITY
    highest = energy / -_GRAVITY
    fastest = (2 * energy) ** 0.5
    control = Control(
        options,
        [
            Working("height", (0.0, highest), (0.0, highest + (fastest + 9) * options.dt)),
            Working("velocity", (-fastest, fastest), (-fastest - 10.0, fastest + 10.0)),
        ],
        {"height": (5.0, 9.0), "velocity": (-1.0, 1.0)},
    )
    return control.model(
        rng,
        SUMMARY,
        [*_step(control, "push"), *_step(control, "skip")],
        unsafe=_too_low(),
        constants={
            "dt": options.dt,
            "gravity": _GRAVITY,
            "height_kept": 0.9,
            "velocity_kept": -0.9487,
            "push_strength": 4,
            "push_lower": 5,
            "push_upper": 9,
            "return_velocity": 9.9029,
            "top_speed": _TOP_SPEED,
        },
    )


def _step(control: Control, action: str) -> list[Edge]:
    condition: list[Expression] = []
    velocity: Expression = "velocity"
    if action == "push":
        velocity = minus("velocity", "push_strength")
        condition.append(between("push_lower", "height", "push_upper"))
        condition.append(ge(plus(velocity, "top_speed"), 0))
    way = plus(times(velocity, "dt"), over(times("gravity", "dt", "dt"), 2))
    contact = le(plus("height", way), 0)
    flight = lt(0, plus("height", way))
    bounced = {
        "height": times("height", "height_kept"),
        "velocity": times(velocity, "velocity_kept"),
    }
    flown = {
        "height": plus("height", way),
        "velocity": plus(velocity, times("gravity", "dt")),
    }
    return [
        control.edge(action, bounced, [*condition, contact], comment="contact"),
        control.edge(action, flown, [*condition, flight], comment="flight"),
    ]


def _too_low() -> Expression:
    """Linear, and true only where the energy does not suffice to reach the racket again."""
    share = times("velocity", over("push_lower", "return_velocity"))
    below = minus("push_lower", 0.0001)
    return conj(le(plus("height", share), below), le(minus("height", share), below))
