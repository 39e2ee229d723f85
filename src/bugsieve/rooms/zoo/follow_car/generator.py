"""Follow car: a car behind another one speeds up or slows down and must not hit it."""

from __future__ import annotations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import Control, ControlOptions, Working
from bugsieve.rooms.zoo.documents import Edge, Model
from bugsieve.rooms.zoo.expressions import Expression, ge, le, lt, minus, plus, times

SUMMARY = "a car follows another one and must not hit it"

_DT = 0.1
_TOP_SPEED = 60.0
_LEAD_SPEED = 28.0


Options = ControlOptions


def generate(options: Options, rng: Stream) -> Model:
    """The leading car keeps its speed."""
    farthest = 51 + _LEAD_SPEED * _DT * options.episodes  # a metre more than it takes
    step = _TOP_SPEED * _DT
    control = Control(
        options,
        [
            Working("lead", (0.0, farthest), (0.0, farthest + step), "position of the leader"),
            Working("ego", (0.0, farthest), (0.0, farthest + step), "position of the follower"),
            Working("speed", (0.0, _TOP_SPEED), (0.0, _TOP_SPEED), "of the follower"),
        ],
        {"lead": (40.0, 50.0), "ego": (20.0, 30.0), "speed": (26.0, 32.0)},
    )
    faster, slower = plus("speed", "dt"), minus("speed", "dt")
    return control.model(
        rng,
        SUMMARY,
        [
            _step(control, "brake", slower, ge(slower, 0)),
            _step(control, "accelerate", faster, le(faster, "top_speed")),
        ],
        unsafe=ge("ego", "lead"),
        constants={"dt": _DT, "lead_speed": _LEAD_SPEED, "top_speed": _TOP_SPEED},
    )


def _step(control: Control, action: str, speed: Expression, possible: Expression) -> Edge:
    """Both cars move at their old speeds, and speeds change by 1 per second."""
    values = {
        "lead": plus("lead", times("lead_speed", "dt")),
        "ego": plus("ego", times("speed", "dt")),
        "speed": speed,
    }
    return control.edge(action, values, [possible, lt("ego", "lead")])
