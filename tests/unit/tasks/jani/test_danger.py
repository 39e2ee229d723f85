"""The distance to danger, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, variable

Json = Any

VARIABLES = [
    variable("x", bounded(-9, 9), 0),
    variable("y", bounded(-9, 9), 0),
    variable("r", bounded(-9.0, 9.0, "real"), 0.0),
    variable("f", "bool", False),
]


def loaded(unsafe: Json) -> JaniModel:
    document = simple(edge({}), variables=VARIABLES, unsafe=unsafe)
    return load_document(document, name="danger.jani")


def distance(unsafe: Json, x: int = 0, y: int = 0, r: float = 0.0, f: bool = False) -> float:
    found = loaded(unsafe)
    return float(found.distances([found.state([x, y, r, f])])[0])


def negated(formula: Json) -> Json:
    return {"op": "¬", "exp": formula}


@pytest.mark.parametrize(
    ("unsafe", "values", "expected"),
    [
        (binary("≤", "x", 3), {"x": 3}, 0),
        (binary("≤", "x", 3), {"x": 5}, 2),
        (binary("<", "x", 3), {"x": 3}, 1),  # x ≤ 2
        (binary("<", "r", 3), {"r": 3.5}, 0.5),
        (binary("≥", binary("+", binary("*", 2, "x"), "y"), 4), {"x": -1, "y": 1}, 5),
        (binary("≤", binary("/", "x", 2), 1), {"x": 5}, 1.5),
        (binary("=", "x", "y"), {"x": 2, "y": -2}, 4),
        (binary("≠", "x", "y"), {"x": 2, "y": 2}, 1),
        (binary("≠", "x", "y"), {"x": 2, "y": 3}, 0),
        (negated(binary("≤", "x", 3)), {"x": 3}, 1),
        (negated(binary("=", "x", 3)), {"x": 3}, 1),
        (negated(binary("≠", "x", 3)), {"x": 5}, 2),
        (negated("f"), {"f": True}, 1),
        ("f", {"f": True}, 0),
        (binary("∧", binary("≥", "x", 2), binary("≥", "y", 3)), {}, 5),
        (binary("∨", binary("≥", "x", 2), binary("≥", "y", 3)), {}, 2),
        (negated(binary("∨", binary("≥", "x", 2), binary("≥", "y", 3))), {"x": 2, "y": 4}, 3),
        (binary("⇒", "f", binary("≥", "x", 2)), {"f": True, "x": -2}, 1),
        (binary("=", "f", binary("≥", "x", 2)), {"f": True, "x": 1}, 1),
        ({"op": "ite", "if": "f", "then": binary("≥", "x", 5), "else": False}, {"f": True}, 5),
        (binary("≥", {"op": "ite", "if": "f", "then": "x", "else": 7}, 6), {"f": True}, 6),
        (binary("≥", binary("min", "x", "y"), 2), {"x": 9, "y": -1}, 3),
        (binary("≤", {"op": "abs", "exp": "r"}, 1), {"r": -2.5}, 1.5),
        (False, {}, 1),
        (True, {}, 0),
    ],
)
def test_distances(unsafe: Json, values: dict[str, Any], expected: float) -> None:
    assert distance(unsafe, **values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (binary("*", "x", "y"), "(x * y)"),
        (binary("/", 1, "x"), "(1.0 / x)"),
        (binary("%", 5, "x"), "(5 % x)"),
        (binary("pow", "x", 2), "(x ^ 2)"),
        ({"op": "sin", "exp": "r"}, "sin(r)"),
        (binary("log", "r", 2), "log(r, 2.0)"),
    ],
)
def test_what_is_not_linear_is_refused_by_name(term: Json, shown: str) -> None:
    unsafe = binary("∧", "f", binary("≥", binary("+", term, 1), 2))
    found = loaded(unsafe)
    with pytest.raises(UnsupportedError) as raised:
        found.distances([found.state([1, 1, 1.0, True])])
    sentence = str(raised.value)
    assert sentence.startswith("danger.jani: properties[0].expression.reach: ")
    assert f"{shown} is not linear" in sentence
    assert found.is_unsafe([found.state([2, 2, 2.0, False])]).tolist() == [False]


def test_deep_formulas_are_no_problem() -> None:
    formula: Json = binary("≥", "x", 1)
    for k in range(9000):
        formula = binary("∧" if k % 2 else "∨", formula, binary("≥", "y", k % 5))
        formula = negated(negated(formula)) if k % 100 == 0 else formula
    assert distance(formula, x=9, y=9) == 0
    assert distance(formula, y=-9) > 0
