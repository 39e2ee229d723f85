"""Parts of pictures: five shapes, each with an id, a role and a tone.

The id is the same for the same thing in all states of a run, so two frames can be told apart shape
by shape. A drawing is checked when it is made: code that shows it need not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from bugsieve.base.errors import UsageError
from bugsieve.base.wording import printable

ROLES = ("", "goal", "open goal", "moved", "danger")
"""Meanings beside the shape: a goal that holds or not, what changed, what is unsafe."""
TONES = ("thing", "ground", "dark", "faint")
"""How much a shape without a role stands out: what moves, what it stands on, what is solid, and
what is there to be looked up."""
MOST_SHAPES = 500
_MOST_POINTS = 2000
"""In all curves of a drawing together."""
_LARGEST = 10_000.0
_LONGEST = 60
"""Letters of a text; what is longer is cut."""
_LETTER = 0.58
"""The width of a letter in sizes of its font, on average."""
_LEAST = 8.0
"""The smallest font that a label shrinks to: smaller ones cannot be read."""


@dataclass(frozen=True, kw_only=True)
class _Styled:
    """The fields of all shapes."""

    role: str = ""
    tone: str = "thing"


@dataclass(frozen=True)
class Rectangle(_Styled):
    """A rectangle by its upper left corner."""

    letter: ClassVar[str] = "r"
    id: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Circle(_Styled):
    """A circle around a point."""

    letter: ClassVar[str] = "c"
    id: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Line(_Styled):
    """A straight line."""

    letter: ClassVar[str] = "l"
    id: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Curve(_Styled):
    """A line through points, which is not closed."""

    letter: ClassVar[str] = "p"
    id: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Text(_Styled):
    """A text around a point: `anchor` says where in the line of text that is."""

    letter: ClassVar[str] = "t"
    id: str
    x: float
    y: float
    text: str
    size: float = 12.0
    anchor: str = "middle"


Shape: TypeAlias = Rectangle | Circle | Line | Curve | Text
ANCHORS = ("start", "middle", "end")


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet, later ones over earlier ones; UsageError unless all of it can be shown.

    x grows to the right and y downwards, from the upper left corner on.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", tuple(self.shapes))
        _check_numbers("a drawing", (self.width, self.height))
        if min(self.width, self.height) <= 0:
            raise UsageError("a drawing must have a width and a height over 0")
        _check_counts(self.shapes)
        for shape in self.shapes:
            _check(shape)


def _check_counts(shapes: Sequence[Shape]) -> None:
    if len(shapes) > MOST_SHAPES:
        raise UsageError(f"a drawing may have {MOST_SHAPES} shapes, not {len(shapes)}")
    points = sum(len(shape.points) for shape in shapes if isinstance(shape, Curve))
    if points > _MOST_POINTS:
        raise UsageError(f"the curves of a drawing may have {_MOST_POINTS} points, not {points}")
    ids = [shape.id for shape in shapes if isinstance(shape, Shape)]
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise UsageError(f"two shapes of a drawing have the id {shortened(twice)!r}")


def _check(shape: Shape) -> None:
    if not isinstance(shape, Shape):
        raise UsageError(f"a drawing is made of shapes, not of {type(shape).__name__}")
    what = f"the {type(shape).__name__.lower()} {shortened(str(shape.id))!r}"
    if not isinstance(shape.id, str):
        raise UsageError(f"{what} must have a text as its id")
    if shape.role not in ROLES or shape.tone not in TONES:
        raise UsageError(f"{what} has the role {shape.role!r} and the tone {shape.tone!r}")
    _check_numbers(what, _numbers(shape))
    if isinstance(shape, Text) and not (isinstance(shape.text, str) and shape.anchor in ANCHORS):
        raise UsageError(f"{what} must have a text, and one of {', '.join(ANCHORS)} as its anchor")
    if isinstance(shape, Rectangle) and min(shape.width, shape.height) < 0:
        raise UsageError(f"{what} must not have a width or a height below 0")
    if (shape.radius if isinstance(shape, Circle) else 0) < 0:
        raise UsageError(f"{what} must not have a radius below 0")


def _numbers(shape: Shape) -> list[Any]:
    if isinstance(shape, Curve):
        return [number for point in shape.points for number in point]
    words = ("id", "role", "tone", "text", "anchor")
    return [getattr(shape, field.name) for field in fields(shape) if field.name not in words]


def _check_numbers(what: str, numbers: Iterable[Any]) -> None:
    for number in numbers:
        if not isinstance(number, (int, float)) or not abs(number) <= _LARGEST:  # nor NaN
            raise UsageError(f"{what} has a number that is not from -{_LARGEST:g} to {_LARGEST:g}")


def as_json(shape: Shape) -> list[Any]:
    """A compact list: letter, id, role, tone, numbers; of a text also its anchor and itself.

    The numbers are those of the class in order; of a curve all x and y in turn.
    """
    head: list[Any] = [shape.letter, shape.id, shape.role, shape.tone]
    numbers = [round(float(number), 1) for number in _numbers(shape)]
    plain = [int(number) if number == int(number) else number for number in numbers]
    return (
        [*head, *plain, shape.anchor, shortened(shape.text)]
        if isinstance(shape, Text)
        else [*head, *plain]
    )


def shortened(text: str, most: int = _LONGEST) -> str:
    """The text on one line, without what would change how the rest is shown, cut where long."""
    plain = printable(text[: 2 * most + 2])
    return plain if len(plain) <= most else plain[: max(0, most - 1)] + "…"


def label(
    id: str, text: str, x: float, y: float, width: float, *, size: float = 12.0, role: str = ""
) -> Text:
    """A text in the middle of a place of this width: smaller first, then cut in its middle."""
    plain = printable(text if len(text) <= _LONGEST else text[:_LONGEST] + text[-_LONGEST:])
    fitting = min(size, max(_LEAST, 0.75 * size, width / (_LETTER * max(1, len(plain)))))
    most = min(_LONGEST, max(2, math.floor(width / (_LETTER * fitting) + 1e-6)))
    return Text(id, x, y, _cut(plain, most), fitting, role=role)


def _cut(text: str, most: int) -> str:
    """Names differ in their ends more often than in their middles: `pac…12`."""
    if len(text) <= most:
        return text
    letters = max(1, most - 2)  # the dots are as wide as two
    tail = min(most // 2, len(text) - len(text.rstrip("0123456789")) or 1)
    return f"{text[: letters - tail]}…{text[-tail:]}"
