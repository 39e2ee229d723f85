"""A drawing that was made can be shown: everything else is refused when it is made."""

from __future__ import annotations

from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pictures.shapes import (
    MOST_SHAPES,
    Circle,
    Curve,
    Drawing,
    Line,
    Rectangle,
    Text,
    as_json,
    label,
)

GOOD = Rectangle("a", 1, 2, 3, 4)
SEVEN: Any = 7
WORD: Any = "x"


@pytest.mark.parametrize(
    ("shapes", "complaint"),
    [
        ([GOOD, Circle("a", 0, 0, 1)], "two shapes of a drawing have the id 'a'"),
        ([Circle(str(n), 0, 0, 1) for n in range(MOST_SHAPES + 1)], "500 shapes, not 501"),
        ([Curve("a", ((0, 0),) * 2001)], "2000 points, not 2001"),
        ([Rectangle("a", 0, 0, -1, 1)], "the rectangle 'a' must not have a width"),
        ([Circle("a", 0, 0, -1)], "the circle 'a' must not have a radius below 0"),
        ([Circle("a", float("nan"), 0, 1)], "the circle 'a' has a number"),
        ([Line("a", 0, 0, float("inf"), 1)], "the line 'a' has a number"),
        ([Line("a", 0, 0, 1e9, 1)], "the line 'a' has a number"),
        ([Curve("a", ((0, WORD),))], "the curve 'a' has a number"),
        ([Circle("a", 0, 0, 1, role="shiny")], "has the role 'shiny'"),
        ([Circle("a", 0, 0, 1, tone="loud")], "the tone 'loud'"),
        ([Text("a", 0, 0, SEVEN)], "the text 'a' must have a text"),
        ([Text("a", 0, 0, "b", anchor="left")], "one of start, middle, end"),
        ([Circle(SEVEN, 0, 0, 1)], "must have a text as its id"),
        (["circle"], "made of shapes, not of str"),
    ],
)
def test_what_cannot_be_shown(shapes: list[Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint.replace("(", r"\(")):
        Drawing(10, 10, tuple(shapes))


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (10, 20_000), ("a", 1)])
def test_sheets_without_room(size: tuple[Any, Any]) -> None:
    with pytest.raises(UsageError):
        Drawing(*size, (GOOD,))


def test_as_many_shapes_as_are_allowed() -> None:
    shapes = [Circle(str(number), 0, 0, 1) for number in range(MOST_SHAPES)]
    assert len(Drawing(10, 10, shapes).shapes) == MOST_SHAPES  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "plain"),
    [
        (GOOD, ["r", "a", "", "thing", 1, 2, 3, 4]),
        (Circle("c", 1.25, 2, 3, role="moved"), ["c", "c", "moved", "thing", 1.2, 2, 3]),
        (Line("l", 0, 1, 2, 3, tone="faint"), ["l", "l", "", "faint", 0, 1, 2, 3]),
        (Curve("p", ((0, 1), (2, 3))), ["p", "p", "", "thing", 0, 1, 2, 3]),
        (Text("t", 1, 2, "x\n<y>", 9), ["t", "t", "", "thing", 1, 2, 9, "middle", "x\\n<y>"]),
    ],
)
def test_shapes_as_json(shape: Any, plain: list[Any]) -> None:
    assert as_json(shape) == plain


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("b1", 40, "b1"),
        ("package12", 40, "pac…12"),
        ("package12", 90, "package12"),
        ("x" * 10_000 + "7", 40, "xxxx…7"),
        ("\u202eabc", 60, "\\u202eabc"),
    ],
)
def test_labels_fit_into_their_places(text: str, width: float, shown: str) -> None:
    made = label("a", text, 0, 0, width)
    assert made.text == shown
    letters = len(made.text) + ("…" in made.text)  # the dots are as wide as two
    assert letters * made.size * 0.58 <= width + 1e-9
