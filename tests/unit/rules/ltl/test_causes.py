"""Literals and their traps; equal meaning is tested in tests/property/test_ltl.py."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.rooms.rules.ltl.automaton import equivalent
from bugsieve.rooms.rules.ltl.causes import Criterion, literals, trap
from bugsieve.rooms.rules.ltl.formula import Formula, atom
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("test"))


def test_literals_are_occurrences_from_left_to_right() -> None:
    found = literals(read("G(p -> p & X !q)"))
    assert [str(item) for item in found] == ["!p", "p", "!q"]
    assert [item.is_negated for item in found] == [True, False, True]
    assert len({item.path for item in found}) == 3
    assert literals(read("F true")) == ()


def test_literals_of_equivalences() -> None:
    formula = read("G(p <-> q)")
    assert [str(item) for item in literals(formula)] == ["p", "q", "!p", "!q"]
    assert [str(item) for item in literals(formula, equivalences="atom")] == ["p <-> q"]
    negative = literals(~formula, equivalences="atom")
    assert [str(item) for item in negative] == ["!(p <-> q)"]
    made = trap(~formula, negative[0], "strong", equivalences="atom")
    assert equivalent(made, read("F !(p <-> q)"))


@pytest.mark.parametrize(
    ("text", "literal", "criterion", "expected"),
    [
        ("G(p -> q)", 1, "ufc", "(!p | q) U (q & p & G(!p | q))"),
        ("p & q | s", 0, "ufc", "p & q & !s"),
        ("G(p -> X q)", 1, "ufc", "(!p | X q) U (X q & p & G(!p | X q))"),
        ("F p", 0, "flip", "F p"),
        ("p U q", 0, "flip", "p U q & !q"),
        ("G(p -> q)", 1, "flip", "G(!p | q) & F p"),
        ("F(p & G q)", 1, "ufc", "(!p | F !q) U (q U (q & G q) & p)"),
    ],
)
def test_neutral_traps(text: str, literal: int, criterion: Criterion, expected: str) -> None:
    formula = read(text)
    made = trap(formula, literals(formula)[literal], "neutral", criterion)
    assert to_text(made) == expected


def test_a_strong_flip_needs_no_end_where_nothing_is_left() -> None:
    formula = read("F p")
    assert to_text(trap(formula, literals(formula)[0], "strong", "flip")) == "F p"


@pytest.mark.parametrize(
    ("text", "literal", "other"), [("G(p -> q)", 0, "ufc-first"), ("p W q", 1, "flip")]
)
def test_the_criteria_differ(text: str, literal: int, other: Criterion) -> None:
    formula = read(text)
    occurrence = literals(formula)[literal]
    unique = trap(formula, occurrence, "neutral", "ufc")
    assert not equivalent(unique, trap(formula, occurrence, "neutral", other))


@pytest.mark.parametrize(
    ("text", "literal", "expected"),
    [
        ("p U q", 0, "p & !q & (p U q)"),
        ("p W q", 0, "p & !q & (p W q)"),
        ("q R p", 1, "p & (q R p)"),
        ("q M p", 1, "p & (q M p)"),
        ("G p", 0, "G p"),
        ("(p | s) U q", 0, "(p & s & !q) U (p & !s & !q & ((p | s) U q))"),
        ("q R (p | s)", 1, "(p & s & !q) U (p & !s & (q R (p | s)))"),
        ("q M (p | s)", 1, "(p & s & !q) U (p & !s & (q M (p | s)))"),
        ("p R q", 0, "(!p & q) U (p & q)"),
        ("q U p", 1, "(q & !p) U p"),
    ],
)
def test_the_first_cause_is_where_the_part_that_lasts_begins(
    text: str, literal: int, expected: str
) -> None:
    formula = read(text)
    made = trap(formula, literals(formula)[literal], "neutral", "ufc-first")
    assert equivalent(made, read(expected))


def test_a_literal_of_another_formula_is_refused() -> None:
    strange = literals(read("F p & G q"))[1]
    with pytest.raises(UsageError, match="the formula has no literal q at "):
        trap(read("F p"), strange, "neutral")


def test_too_many_literals_are_refused_at_once() -> None:
    formula = atom("p0")
    for number in range(1, 60):
        formula = Formula("iff", (formula, atom(f"p{number}")))
    with pytest.raises(UnsupportedError, match="literals once '<->' is expanded, at most 5000"):
        literals(formula)
    assert len(literals(formula, equivalences="atom")) == 1
