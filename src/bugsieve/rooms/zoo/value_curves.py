"""Values over time: what the pictures of balls, pendulums and cars have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve.pictures.shapes import Circle, Curve, Line, Shape, Text
from bugsieve.rooms.jani.pictures.scene import ModelScene

WIDTH, HEIGHT, TOP = 300.0, 110.0, 34.0
_LEFT, _RIGHT = 46.0, 12.0
_MOST_POINTS = 250


def drawn_course(
    scene: ModelScene, name: str, *, zero: bool = False, top: float = TOP
) -> list[Shape]:
    """The values of a variable over the whole run: up to now, and faintly what comes.

    Runs that are shown together have the same range, but each is as wide as the sheet: a short
    one could not be seen beside a long one. With `zero` a line marks where it is 0, and
    its range is the same on both sides.
    """
    values = scene.course(name)
    low, high = _range(np.concatenate(scene.courses(name)), zero)
    points = [
        (_across(step, len(values)), _down(float(values[step]), low, high, top))
        for step in range(len(values))
    ]
    now = scene.index
    shapes: list[Shape] = [
        Line(f"{name} axis", _LEFT, top, _LEFT, top + HEIGHT, tone="ground"),
        Text(f"{name} name", _LEFT, top - 22, name, 11.0, "start"),
        Text(f"{name} high", _LEFT - 4, top + 4, f"{high:.3g}", 10.0, "end"),
        Text(f"{name} low", _LEFT - 4, top + HEIGHT - 4, f"{low:.3g}", 10.0, "end"),
    ]
    if zero:
        y = _down(0.0, low, high, top)
        shapes.append(Line(f"{name} zero", _LEFT, y, WIDTH - _RIGHT, y, tone="ground"))
    shapes += _strokes(name, points, now)
    x, y = points[now]
    role = "danger" if scene.is_unsafe else "moved" if scene.changed(name) else ""
    shapes.append(Circle(f"{name} now", x, y, 6, role=role, tone="dark"))
    text = f"{name} {float(values[now]):.4g}, step {now}"
    shapes.append(Text(f"{name} value", WIDTH - _RIGHT, top - 22, text, 11.0, "end"))
    return shapes


def _strokes(name: str, points: Sequence[tuple[float, float]], now: int) -> list[Shape]:
    shapes: list[Shape] = []
    if now + 1 < len(points):
        shapes.append(Curve(f"{name} later", _thinned(points[now:]), tone="faint"))
    if now:
        shapes.append(Curve(f"{name} course", _thinned(points[: now + 1])))
    return shapes


def _thinned(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Every few points, so that no gap is seen, and the last one."""
    every = -(-len(points) // _MOST_POINTS)
    return (*points[:-1:every], points[-1])


def _range(values: NDArray[np.float64], zero: bool) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if zero:
        high = max(abs(low), abs(high)) or 1.0
        return -high, high
    low = min(low, 0.0) if low < 0.5 * high else low
    return (low, high) if high > low else (low - 1, high + 1)


def _across(step: int, steps: int) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * step / max(1, steps - 1)


def _down(value: float, low: float, high: float, top: float) -> float:
    return top + HEIGHT * (high - value) / (high - low)
