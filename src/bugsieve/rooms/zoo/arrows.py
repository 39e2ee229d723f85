"""Arrows, which are curves with a head."""

from __future__ import annotations

from math import hypot

from bugsieve.pictures.shapes import Curve

_HEAD = 6.0


def arrow(name: str, x1: float, y1: float, x2: float, y2: float, *, role: str = "") -> Curve:
    """An arrow from the first point to the second."""
    length = hypot(x2 - x1, y2 - y1) or 1.0
    x, y = (x2 - x1) / length * _HEAD, (y2 - y1) / length * _HEAD
    wings = ((x2 - x - y / 2, y2 - y + x / 2), (x2 - x + y / 2, y2 - y - x / 2))
    points = ((x1, y1), (x2, y2), wings[0], (x2, y2), wings[1])
    return Curve(name, points, role=role, tone="thing")
