"""Printing formulas: ASCII, spaces where people put them, no parenthesis too many."""

from __future__ import annotations

import pytest

from bugsieve.rooms.rules.ltl.formula import Formula, atom
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl


@pytest.mark.parametrize(
    "text",
    [
        "G(moving(rover1) -> stowed(rover1))",
        "!p",
        "!!p",
        "!(p & q)",
        "X X p",
        "G !p",
        "F(p U q)",
        "(p U q) U s",
        "p U q U s",
        "p & q & s",
        "(p & q) & s",
        "p & (q | s)",
        "(p -> q) -> s",
        "p -> q -> s",
        "p <-> (q -> s) & true",
        "N false | at(?r,x)",
        "p R q | p M q | p W q",
    ],
)
def test_these_texts_are_as_short_as_can_be(text: str) -> None:
    assert to_text(read_ltl(text, place=Place("test"))) == text


def test_other_signs_and_needless_parentheses_are_gone() -> None:
    formula = read_ltl("□ ( (p) → (◇ (q)) )", place=Place("test"))
    assert to_text(formula) == "G(p -> F q)"


def test_deep_formulas_are_printed() -> None:
    formula = atom("p")
    for _ in range(3000):
        formula = Formula("not", (formula,))
    assert to_text(formula) == "!" * 3000 + "p"
