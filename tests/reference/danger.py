"""The distance to danger, straight from its definition, on the JSON of a formula."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tests.reference.jani import evaluate

Json = Any

_NEGATED = {"<": "≥", "≤": ">", ">": "≤", "≥": "<", "=": "≠", "≠": "="}


def distance(formula: Json, names: Mapping[str, Any], wanted: bool = True) -> float:
    """How far the formula is from having the wanted value; infinite where it never will."""
    constant = _constant(formula)
    if constant is not None:
        return 0.0 if constant == wanted else math.inf
    if isinstance(formula, str):
        return 0.0 if names[formula] == wanted else 1.0
    op = formula["op"]
    if op == "¬":
        return distance(formula["exp"], names, not wanted)
    if op == "ite":
        test, then, otherwise = (formula[key] for key in ("if", "then", "else"))
        return min(
            distance(test, names) + distance(then, names, wanted),
            distance(test, names, False) + distance(otherwise, names, wanted),
        )
    left, right = formula["left"], formula["right"]
    if op == "⇒":
        op, left = "∨", {"op": "¬", "exp": left}
    if op in "∧∨":
        parts = [distance(part, names, wanted) for part in (left, right)]
        return sum(parts) if (op == "∧") == wanted else min(parts)
    a, b = evaluate(left, names, {}), evaluate(right, names, {})
    if isinstance(a, bool):
        same = wanted == (op == "=")
        return min(
            distance(left, names, value) + distance(right, names, value == same)
            for value in (True, False)
        )
    return _comparison(op if wanted else _NEGATED[op], a, b)


def _constant(formula: Json) -> bool | None:
    """The value that a formula has in every state."""
    try:
        return bool(evaluate(formula, {}, {}))
    except KeyError:
        return None


def _comparison(op: str, a: float, b: float) -> float:
    if op in (">", "≥"):
        op, a, b = {">": "<", "≥": "≤"}[op], b, a
    holds = {"<": a < b, "≤": a <= b, "=": a == b, "≠": a != b}[op]
    if holds:
        return 0.0
    if op == "≠":
        return 1.0
    is_whole = isinstance(a, int) and isinstance(b, int)
    return abs(a - b) + (1.0 if op == "<" and is_whole else 0.0)
