"""Negation normal form and the folding of constants."""

from __future__ import annotations

import pytest

from bugsieve.rooms.rules.ltl.normal_form import nnf, simplified
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("p -> q", "!p | q"),
        ("!(p -> q)", "p & !q"),
        ("p -> q -> s", "!p | !q | s"),
        ("!G p", "F !p"),
        ("!F p", "G !p"),
        ("!X p", "N !p"),
        ("!N p", "X !p"),
        ("!(p U q)", "!p R !q"),
        ("!(p R q)", "!p U !q"),
        ("!(p W q)", "!p M !q"),
        ("!(p M q)", "!p W !q"),
        ("p <-> q", "p & q | !p & !q"),
        ("!(p <-> q)", "p & !q | !p & q"),
        ("!(true & p)", "false | !p"),
        ("!!p", "p"),
        ("p & p & p", "p & p & p"),
    ],
)
def test_negations_go_to_the_atoms(text: str, normal: str) -> None:
    assert to_text(nnf(read_ltl(text, place=Place("test")))) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("G(p <-> q)", "G(p <-> q)"),
        ("!G(p <-> q)", "F !(p <-> q)"),
        ("p <-> (q <-> s)", "p <-> q <-> s"),
        ("p <-> F q", "p & F q | !p & G !q"),
        ("(p <-> q) <-> F q", "(p <-> q) & F q | !(p <-> q) & G !q"),
    ],
)
def test_equivalences_of_states_may_be_one_condition(text: str, normal: str) -> None:
    formula = nnf(read_ltl(text, place=Place("test")), equivalences="atom")
    assert to_text(formula) == normal


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("p & true & q", "p & q"),
        ("p | true", "true"),
        ("!false", "true"),
        ("X false", "false"),
        ("X true", "X true"),
        ("N true", "true"),
        ("N false", "N false"),
        ("G F true", "true"),
        ("p U true", "true"),
        ("p U false", "false"),
        ("true U p", "F p"),
        ("false U p", "p"),
        ("p W false", "G p"),
        ("true W p", "true"),
        ("false W p", "p"),
        ("p R false", "false"),
        ("p R true", "true"),
        ("true R p", "p"),
        ("false R p", "G p"),
        ("false M p", "false"),
        ("p M true", "F p"),
        ("true M p", "p"),
        ("G(p & (q | true))", "G p"),
    ],
)
def test_constants_are_folded(text: str, simple: str) -> None:
    assert to_text(simplified(read_ltl(text, place=Place("test")))) == simple
