"""Formulas of linear temporal logic as immutable trees; readers and rewriters are its neighbours.

Readers of text bound the depth of formulas (`MAX_DEPTH`). Derived formulas, such as traps, are
several times as deep and share parts. So rewriters do not recurse: they `fold`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

Operator: TypeAlias = Literal[
    "true",
    "false",
    "atom",
    "not",
    "and",
    "or",
    "implies",
    "iff",
    "next",  # X: there is a next state, and the formula holds there (X! in the notes)
    "weak-next",  # N: there is no next state, or the formula holds there
    "finally",
    "globally",
    "until",
    "weak-until",
    "release",
    "strong-release",  # f M g = g U (f & g)
]

MAX_DEPTH = 200

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Formula:
    """An operator and what it joins; `and` and `or` take two parts or more."""

    operator: Operator
    parts: tuple[Formula, ...] = ()
    name: str = ""
    """Of an atom, as in `moving(rover1)`: no spaces, arguments divided by commas."""
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.operator, self.parts, self.name)))

    def __hash__(self) -> int:
        # Trees share parts: without the stored value, hashing would walk them again and again.
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Formula) or self._hash != other._hash:
            return False
        return _same(self, other)

    def __reduce__(self) -> tuple[type[Formula], tuple[Operator, tuple[Formula, ...], str]]:
        # The stored hash belongs to this process: hashes of texts differ in the next one.
        return Formula, (self.operator, self.parts, self.name)

    def __invert__(self) -> Formula:
        return negation(self)

    def __and__(self, other: Formula) -> Formula:
        return Formula("and", (self, other))

    def __or__(self, other: Formula) -> Formula:
        return Formula("or", (self, other))


def _same(left: Formula, right: Formula) -> bool:
    """Return true if two formulas are equal; each pair of shared parts is compared once."""
    pending, seen = [(left, right)], set()
    while pending:
        one, two = pending.pop()
        if one is two or (id(one), id(two)) in seen:
            continue
        seen.add((id(one), id(two)))
        if (one.operator, one.name, len(one.parts)) != (two.operator, two.name, len(two.parts)):
            return False
        pending += zip(one.parts, two.parts, strict=True)
    return True


TRUE = Formula("true")
FALSE = Formula("false")


def atom(name: str) -> Formula:
    """The formula that holds where the atom does in the first state."""
    return Formula("atom", (), name)


def negation(formula: Formula) -> Formula:
    """The negation of the formula; the operand itself if that is a negation."""
    return formula.parts[0] if formula.operator == "not" else Formula("not", (formula,))


def next_(formula: Formula) -> Formula:
    """X: strong next."""
    return Formula("next", (formula,))


def weak_next(formula: Formula) -> Formula:
    """N: weak next."""
    return Formula("weak-next", (formula,))


def finally_(formula: Formula) -> Formula:
    """F."""
    return Formula("finally", (formula,))


def globally(formula: Formula) -> Formula:
    """G."""
    return Formula("globally", (formula,))


def until(left: Formula, right: Formula) -> Formula:
    """U, which needs the right side to come."""
    return Formula("until", (left, right))


def weak_until(left: Formula, right: Formula) -> Formula:
    """W: U, or the left side for ever."""
    return Formula("weak-until", (left, right))


def release(left: Formula, right: Formula) -> Formula:
    """R: the right side up to and with the first state of the left side, or for ever."""
    return Formula("release", (left, right))


def strong_release(left: Formula, right: Formula) -> Formula:
    """M: R, which needs the left side to come."""
    return Formula("strong-release", (left, right))


def conjunction(formulas: Iterable[Formula]) -> Formula:
    """All of them, flat, without repetitions and constants."""
    return _joined("and", formulas, neutral=TRUE, absorbing=FALSE)


def disjunction(formulas: Iterable[Formula]) -> Formula:
    """One of them, flat, without repetitions and constants."""
    return _joined("or", formulas, neutral=FALSE, absorbing=TRUE)


def _joined(
    operator: Operator, formulas: Iterable[Formula], *, neutral: Formula, absorbing: Formula
) -> Formula:
    parts: dict[Formula, None] = {}
    for formula in formulas:
        inner = formula.parts if formula.operator == operator else (formula,)
        parts |= dict.fromkeys(part for part in inner if part != neutral)
    if absorbing in parts:
        return absorbing
    if len(parts) < 2:
        return next(iter(parts), neutral)
    return Formula(operator, tuple(parts))


def distinct_parts(formula: Formula) -> list[Formula]:
    """The formula and all its parts, each object once, parts before what holds them."""
    found: dict[int, Formula] = {}
    pending = [formula]
    while pending:
        item = pending[-1]
        missing = [part for part in item.parts if id(part) not in found]
        if missing:
            pending += reversed(missing)
        else:
            found.setdefault(id(pending.pop()), item)
    return list(found.values())


def fold(formula: Formula, combine: Callable[[Formula, Sequence[Result]], Result]) -> Result:
    """The result of `combine` for the formula and the results of its parts; shared parts once."""
    results: dict[int, Result] = {}
    for item in distinct_parts(formula):
        results[id(item)] = combine(item, [results[id(part)] for part in item.parts])
    return results[id(formula)]


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and its parts, each occurrence once, from the outside in."""
    pending = [formula]
    while pending:
        item = pending.pop()
        yield item
        pending += reversed(item.parts)


def atoms_of(formula: Formula) -> tuple[str, ...]:
    """The names of its atoms, sorted."""
    found = distinct_parts(formula)
    return tuple(sorted({item.name for item in found if item.operator == "atom"}))
