"""Negation normal form, whose literals can be counted, and the folding of constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    Operator,
    conjunction,
    disjunction,
    distinct_parts,
    fold,
    negation,
)

Equivalences: TypeAlias = Literal["expand", "atom"]
"""`f <-> g` as (f & g) | (!f & !g), or as one condition; with temporal parts always the former."""

_DUAL: dict[Operator, Operator] = {
    "true": "false",
    "false": "true",
    "and": "or",
    "or": "and",
    "next": "weak-next",
    "weak-next": "next",
    "finally": "globally",
    "globally": "finally",
    "until": "release",
    "release": "until",
    "weak-until": "strong-release",
    "strong-release": "weak-until",
}
TEMPORAL: frozenset[Operator] = frozenset(
    {
        "next",
        "weak-next",
        "finally",
        "globally",
        "until",
        "weak-until",
        "release",
        "strong-release",
    }
)


class _Both(NamedTuple):
    """The normal forms of a formula and of its negation."""

    positive: Formula
    negative: Formula


def nnf(formula: Formula, *, equivalences: Equivalences = "expand") -> Formula:
    """An equivalent formula without `->` and `<->` in which only literals are negated."""
    keeps = _plain_equivalences(formula) if equivalences == "atom" else frozenset()

    def both(item: Formula, parts: Sequence[_Both]) -> _Both:
        if item.operator == "atom" or id(item) in keeps:
            return _Both(item, negation(item))
        return _normal_forms(item, parts)

    return fold(formula, both).positive


def _plain_equivalences(formula: Formula) -> frozenset[int]:
    """The equivalences without temporal operators."""
    plain: set[int] = set()
    for item in distinct_parts(formula):
        if item.operator not in TEMPORAL and all(id(part) in plain for part in item.parts):
            plain.add(id(item))
    return frozenset(
        id(item)
        for item in distinct_parts(formula)
        if item.operator == "iff" and id(item) in plain
    )


def _normal_forms(item: Formula, parts: Sequence[_Both]) -> _Both:
    match item.operator:
        case "not":
            return _Both(parts[0].negative, parts[0].positive)
        case "implies":
            left, right = parts
            return _Both(
                _flat("or", (left.negative, right.positive)),
                _flat("and", (left.positive, right.negative)),
            )
        case "iff":
            left, right = parts
            return _Both(_alike(left, right), _alike(left, _Both(right.negative, right.positive)))
        case operator:
            return _Both(
                _flat(operator, tuple(part.positive for part in parts)),
                _flat(_DUAL[operator], tuple(part.negative for part in parts)),
            )


def _alike(left: _Both, right: _Both) -> Formula:
    both = _flat("and", (left.positive, right.positive))
    neither = _flat("and", (left.negative, right.negative))
    return _flat("or", (both, neither))


def _flat(operator: Operator, parts: tuple[Formula, ...]) -> Formula:
    """Chains of one operator as one; repetitions stay, for each is an occurrence of its own."""
    if operator not in ("and", "or"):
        return Formula(operator, parts)
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if part.operator == operator else (part,)
    return Formula(operator, tuple(flat))


def simplified(formula: Formula) -> Formula:
    """An equivalent formula on finite traces whose constants are folded; `->` and `<->` stay."""
    return fold(formula, simplified_from)


def simplified_from(item: Formula, parts: Sequence[Formula]) -> Formula:
    """The simplified formula with the operator of `item` over parts that are simplified."""
    constant = parts[0].operator if parts and parts[0] in (TRUE, FALSE) else None
    match item.operator, constant:
        case "and", _:
            return conjunction(parts)
        case "or", _:
            return disjunction(parts)
        case "not", str():
            return FALSE if constant == "true" else TRUE
        case (
            ("next", "false") | ("weak-next", "true") | ("finally" | "globally", "true" | "false")
        ):
            return parts[0]
        case "until" | "weak-until" | "release" | "strong-release", _:
            return _simplify_binary(item.operator, *parts)
        case _:
            return Formula(item.operator, tuple(parts), item.name)


def _simplify_binary(operator: Operator, left: Formula, right: Formula) -> Formula:
    match operator, left.operator, right.operator:
        case ("until" | "weak-until", "false", _) | ("until" | "weak-until", _, "true"):
            return right
        case ("until", _, "false") | ("release" | "strong-release", _, "false"):
            return FALSE
        case ("release" | "strong-release", "true", _) | ("release", _, "true"):
            return right
        case "until", "true", _:
            return Formula("finally", (right,))
        case "weak-until", "true", _:
            return TRUE
        case "weak-until", _, "false":
            return Formula("globally", (left,))
        case "release", "false", _:
            return Formula("globally", (right,))
        case "strong-release", "false", _:
            return FALSE
        case "strong-release", _, "true":
            return Formula("finally", (left,))
        case _:
            return Formula(operator, (left, right))
