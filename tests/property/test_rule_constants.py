"""Formulas whose atoms became constants hold on the same traces as before."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings

from bugsieve.rooms.rules.ltl.constants import renamed, with_constants
from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, Operator, atom, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import holds
from tests.depth import examples
from tests.property.strategies import seeds

UNARY: tuple[Operator, ...] = ("not", "next", "weak-next", "finally", "globally")
BINARY: tuple[Operator, ...] = (
    *("and", "or", "implies", "iff"),
    *("until", "weak-until", "release", "strong-release"),
)
TRUTHS = {"yes": True, "no": False}


def random_formula(random: Random, depth: int) -> Formula:
    kind = random.randrange(5) if depth else 0
    if kind == 0:
        return random.choice([atom("p"), atom("yes"), atom("no"), atom("yes"), TRUE, FALSE])
    if kind == 1:
        return Formula(random.choice(UNARY), (random_formula(random, depth - 1),))
    left, right = (random_formula(random, depth - 1) for _ in range(2))
    return Formula(random.choice(BINARY), (left, right))


def letters(bits: tuple[bool, ...]) -> list[set[str]]:
    return [{"yes", "p"} if bit else {"yes"} for bit in bits]


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("test"))


@given(seeds())
@settings(max_examples=examples(1000, quick=150))
def test_the_two_hold_on_the_same_traces(seed: int) -> None:
    formula = random_formula(Random(seed), 3)
    folded = with_constants(formula, TRUTHS)
    assert set(atoms_of(folded)) <= {"p"}
    for length in range(1, 5):
        for bits in product((False, True), repeat=length):
            word = letters(bits)
            assert holds(formula, word) == holds(folded, word), to_text(formula)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("G(yes -> p)", "G p"),
        ("G(no -> p)", "true"),
        ("G(p -> no)", "G !p"),
        ("F(no & p)", "false"),
        ("X yes", "X true"),
        ("N yes", "true"),
        ("X no", "false"),
        ("N no", "N false"),
        ("yes U p", "F p"),
        ("p U no", "false"),
        ("p W no", "G p"),
        ("no W p", "p"),
        ("no R p", "G p"),
        ("p M yes", "F p"),
        ("no M p", "false"),
        ("yes R p", "p"),
        ("p <-> no", "!p"),
        ("yes <-> !p", "!p"),
        ("p & yes", "p"),
    ],
)
def test_nothing_is_left_that_constants_decide(text: str, left: str) -> None:
    assert with_constants(read(text), TRUTHS) == read(left)


def test_a_formula_without_them_stays_the_same() -> None:
    formula = read("G(p -> F p) & true")
    assert with_constants(formula, TRUTHS) is formula


def test_atoms_get_other_names() -> None:
    formula = read("G(p(?r) -> F q)")
    assert renamed(formula, lambda name: name.replace("?r", "r1")) == read("G(p(r1) -> F q)")
