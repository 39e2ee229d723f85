"""The temporal relations of NDDL as inequalities between the bounds of two tokens.

The relation is read as in `this contains that`. EUROPA as published reads `contains_end` with
`this.end <= that.end`; we read what the name says.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Bound: TypeAlias = Literal["this.start", "this.end", "that.start", "that.end"]


class Inequality(NamedTuple):
    """`left <= right`, `left < right` or `left == right`."""

    left: Bound
    sign: Literal["<=", "<", "=="]
    right: Bound


def _inequality(text: str) -> Inequality:
    left, sign, right = text.split()
    points: dict[str, Bound] = {
        "s1": "this.start",
        "e1": "this.end",
        "s2": "that.start",
        "e2": "that.end",
    }
    signs: dict[str, Literal["<=", "<", "=="]] = {"<=": "<=", "<": "<", "==": "=="}
    return Inequality(points[left], signs[sign], points[right])


_TABLE = {
    "any": "",
    "meets": "e1 == s2",
    "met_by": "e2 == s1",
    "contains": "s1 <= s2, e2 <= e1",
    "contained_by": "s2 <= s1, e1 <= e2",
    "contains_start": "s1 <= s2, s2 < e1",
    "contains_end": "s1 < e2, e2 <= e1",
    "starts_during": "s2 <= s1, s1 < e2",
    "ends_during": "s2 < e1, e1 <= e2",
    "equals": "s1 == s2, e1 == e2",
    "equal": "s1 == s2, e1 == e2",
    "before": "e1 <= s2",
    "after": "e2 <= s1",
    "starts": "s1 == s2",
    "ends": "e1 == e2",
    "parallels": "s1 <= s2, e1 <= e2",
    "paralleled_by": "s2 <= s1, e2 <= e1",
    "parallelled_by": "s2 <= s1, e2 <= e1",
    "starts_before": "s1 <= s2",
    "starts_after": "s2 <= s1",
    "ends_before": "e1 <= e2",
    "ends_after": "e2 <= e1",
    "starts_before_end": "s1 <= e2",
    "ends_after_start": "s2 <= e1",
}

RELATIONS: dict[str, tuple[Inequality, ...]] = {
    name: tuple(map(_inequality, filter(None, text.split(", ")))) for name, text in _TABLE.items()
}
