"""Test obligations: formulas that say that one literal alone made a formula true (traps).

A literal is an occurrence of an atom in the negation normal form. What made a formula false is
what made its negation true: negative tests are the traps of the negated formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    Formula,
    conjunction,
    fold,
    globally,
    negation,
    next_,
    until,
)
from bugsieve.rooms.rules.ltl.normal_form import Equivalences, nnf, simplified
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.views import DUAL_VIEW, View, in_view

Criterion: TypeAlias = Literal["ufc", "ufc-first", "flip"]
CRITERIA: dict[Criterion, str] = {
    "ufc": "the literal is the only cause at the first position where it counts",
    "ufc-first": "and no literal of the same part was the only cause before",
    "flip": "the formula holds, and would not if the literal were never true",
}

MAX_OCCURRENCES = 5_000
"""Equivalences inside each other double them at each level."""


@dataclass(frozen=True)
class Occurrence:
    """A literal in the normal form of a formula, found by the numbers of parts on the way."""

    path: tuple[int, ...]
    literal: Formula

    @property
    def is_negated(self) -> bool:
        """Return true if the literal is a negated atom."""
        return self.literal.operator == "not"

    def __str__(self) -> str:
        return to_text(self.literal)


def literals(formula: Formula, *, equivalences: Equivalences = "expand") -> tuple[Occurrence, ...]:
    """The literals of the formula's normal form from left to right."""
    return _occurrences(nnf(formula, equivalences=equivalences))


def trap(
    formula: Formula,
    occurrence: Occurrence,
    view: View,
    criterion: Criterion = "ufc",
    *,
    equivalences: Equivalences = "expand",
) -> Formula:
    """The formula of LTLf whose traces show the literal as the cause of the formula."""
    normal = nnf(formula, equivalences=equivalences)
    _check(normal, occurrence)
    if criterion == "flip":
        return _flip(normal, occurrence, view)
    return simplified(_cause(normal, occurrence.path, view, first=criterion == "ufc-first"))


def _occurrences(normal: Formula) -> tuple[Occurrence, ...]:
    _check_number(normal)
    return tuple(_walk(normal))


def _walk(normal: Formula) -> Iterator[Occurrence]:
    pending: list[tuple[Formula, tuple[int, ...]]] = [(normal, ())]
    while pending:
        item, path = pending.pop()
        if _is_literal(item):
            yield Occurrence(path, item)
        else:
            inner = [(part, (*path, index)) for index, part in enumerate(item.parts)]
            pending += reversed(inner)


def _is_literal(item: Formula) -> bool:
    return item.operator in ("atom", "not", "iff")


def _check_number(normal: Formula) -> None:
    number = fold(normal, _count)
    if number > MAX_OCCURRENCES:
        raise UnsupportedError(
            f"the formula has {number} literals once '<->' is expanded, at most "
            f"{MAX_OCCURRENCES} can be tested; give the equivalence an atom of its own"
        )


def _count(item: Formula, parts: Sequence[int]) -> int:
    return 1 if _is_literal(item) else sum(parts)


def _check(normal: Formula, occurrence: Occurrence) -> None:
    item = normal
    for index in occurrence.path:
        if _is_literal(item) or index >= len(item.parts):
            break
        item = item.parts[index]
    if item != occurrence.literal:
        raise UsageError(f"the formula has no literal {occurrence} at {occurrence.path}")


def _flip(normal: Formula, occurrence: Occurrence, view: View) -> Formula:
    """Weakly nothing more is shown than as the trace ends: what could follow denies anything."""
    view = "neutral" if view == "weak" else view
    # Without its constants, or the strong view would wait for the end of G true.
    without = simplified(_replaced(normal, occurrence.path, FALSE))
    return simplified(conjunction((in_view(normal, view), _denied(without, view))))


def _replaced(normal: Formula, path: Sequence[int], by: Formula) -> Formula:
    for item, index in reversed(_way(normal, path)):
        parts = (*item.parts[:index], by, *item.parts[index + 1 :])
        by = Formula(item.operator, parts, item.name)
    return by


def _way(normal: Formula, path: Sequence[int]) -> list[tuple[Formula, int]]:
    """The formulas on the way to a literal, with the number of the part that leads on."""
    way = []
    for index in path:
        way.append((normal, index))
        normal = normal.parts[index]
    return way


def _cause(normal: Formula, path: Sequence[int], view: View, *, first: bool) -> Formula:
    """The trap, built from the literal outwards."""
    way = _way(normal, path)
    found = way[-1][0].parts[way[-1][1]] if way else normal
    for item, index in reversed(way):
        body = item.parts[index]
        yet = _no_cause_yet(body, view) if first and _lasts(item, index) else ()
        found = _around(item, index, found, view, yet)
    return found


def _lasts(item: Formula, index: int) -> bool:
    """Return true if the part must go on to hold after it was the cause."""
    match item.operator:
        case "globally":
            return True
        case "until" | "weak-until":
            return index == 0
        case "release" | "strong-release":
            return index == 1
        case _:
            return False


def _no_cause_yet(body: Formula, view: View) -> tuple[Formula, ...]:
    """That no literal of the body is a unique cause, read in the dual view.

    In the same view a strong trap would not imply the neutral one, nor that the weak one.
    """
    dual = DUAL_VIEW[view]
    return tuple(
        nnf(negation(_cause(body, found.path, dual, first=False)), equivalences="atom")
        for found in _occurrences(body)
    )


def _around(
    item: Formula, index: int, found: Formula, view: View, yet: tuple[Formula, ...]
) -> Formula:
    """The trap of a formula by the trap of the part in which the literal stands."""
    body = item.parts[index]
    match item.operator:
        case "and" | "or":
            others = (*item.parts[:index], *item.parts[index + 1 :])
            seen = in_view if item.operator == "and" else _denied
            return conjunction((found, *(seen(other, view) for other in others)))
        case "next" | "weak-next":
            return next_(found)
        case "finally":
            return until(_denied(body, view), found)
        case "globally":
            prefix = conjunction((in_view(body, view), *yet))
            return until(prefix, conjunction((found, in_view(globally(body), view))))
        case _:
            return _around_binary(item, index, found, view, yet)


def _around_binary(
    item: Formula, index: int, found: Formula, view: View, yet: tuple[Formula, ...]
) -> Formula:
    body, other = item.parts[index], item.parts[1 - index]
    holds, fails = in_view(body, view), _denied(body, view)
    other_holds, other_fails = in_view(other, view), _denied(other, view)
    is_until = item.operator in ("until", "weak-until")
    if is_until and index == 0:
        rest = conjunction((found, other_fails, in_view(item, view)))
        return until(conjunction((holds, other_fails, *yet)), rest)
    if is_until:
        return until(conjunction((other_holds, fails)), found)
    if index == 0:
        return until(conjunction((fails, other_holds)), conjunction((found, other_holds)))
    rest = conjunction((found, in_view(item, view)))
    return until(conjunction((other_fails, holds, *yet)), rest)


def _denied(formula: Formula, view: View) -> Formula:
    """That the formula fails, read in the view."""
    return in_view(nnf(negation(formula), equivalences="atom"), view)
