"""Puts constants in the place of atoms, and leaves out what they decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, atom, fold, negation
from bugsieve.rooms.rules.ltl.normal_form import simplified_from


def renamed(formula: Formula, rename: Callable[[str], str]) -> Formula:
    """The formula with other names of atoms."""

    def combine(item: Formula, parts: Sequence[Formula]) -> Formula:
        if item.operator == "atom":
            return atom(rename(item.name))
        return Formula(item.operator, tuple(parts))

    return fold(formula, combine)


def with_constants(formula: Formula, truths: Mapping[str, bool]) -> Formula:
    """The formula in which some atoms are the same everywhere; itself if it has none of them.

    The two hold on the same traces, which have at least one state.
    """

    def combine(item: Formula, parts: Sequence[Formula]) -> Formula:
        if item.operator == "atom" and item.name in truths:
            return TRUE if truths[item.name] else FALSE
        if all(new is old for new, old in zip(parts, item.parts, strict=True)):
            return item
        return _joined(item, parts)

    return fold(formula, combine)


def _joined(item: Formula, parts: Sequence[Formula]) -> Formula:
    if item.operator == "implies":
        return _implication(*parts)
    if item.operator == "iff":
        return _equivalence(*parts)
    return simplified_from(item, parts)


def _not(part: Formula) -> Formula:
    if part in (TRUE, FALSE):
        return FALSE if part == TRUE else TRUE
    return negation(part)


def _implication(left: Formula, right: Formula) -> Formula:
    if left == TRUE:
        return right
    if left == FALSE or right == TRUE:
        return TRUE
    return _not(left) if right == FALSE else Formula("implies", (left, right))


def _equivalence(left: Formula, right: Formula) -> Formula:
    for one, other in ((left, right), (right, left)):
        if one == TRUE:
            return other
        if one == FALSE:
            return _not(other)
    return Formula("iff", (left, right))
