"""Pictures of states: a function from a state to shapes, one small file per kind of domain."""

from __future__ import annotations

from bugsieve.pictures.picture import PICTURES, Picture, picture_for
from bugsieve.pictures.runs import DrawnRun, Frame, draw_run
from bugsieve.pictures.shapes import Circle, Curve, Drawing, Line, Rectangle, Text
from bugsieve.pictures.svg import svg_text

__all__ = [
    "PICTURES",
    "Circle",
    "Curve",
    "Drawing",
    "DrawnRun",
    "Frame",
    "Line",
    "Picture",
    "Rectangle",
    "Text",
    "draw_run",
    "picture_for",
    "svg_text",
]
