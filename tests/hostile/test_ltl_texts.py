"""Formulas of strangers: whatever they write gets a sentence or an answer, and soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.causes import literals, trap
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from tests.depth import examples

SECONDS = 5.0
STATES = examples(10_000, quick=1000)
SIGNS = ["p", "q(a)", "(", ")", "!", "&", "|", "->", "<->", *"GFXNUWRM", "true", " ", "\n", "?",
         "-", "□", "→", "\0", "\ud800", "é", "𝒰", "a(", ",", "0", "<", ">"]  # fmt: skip


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("strange"))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "(" * 50_000 + "p" + ")" * 50_000,
        ")" * 100_000,
        "!" * 100_000,
        "G " * 50_000,
        "p U " * 25_000 + "p",
        "p -> " * 20_000 + "p",
        "p & " * 250_000,
        "p" * 1_000_000,
        "p(" * 50_000,
        "p(" + "a," * 40_000,
        "?" * 100_000,
        " " * 1_000_000,
        "-" * 100_000,
        "<" * 100_000,
        "\n" * 99_999 + ")",
    ],
    ids=lambda text: text[:4],
)
def test_long_texts_are_refused_soon(text: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError) as raised:
        read(text)
    assert time.process_time() - start < SECONDS
    assert str(raised.value).startswith("strange:")
    assert len(str(raised.value)) < 300


def test_random_signs_are_read_or_refused() -> None:
    read_back = 0
    for seed in range(examples(20_000, quick=3000)):
        random = Random(seed)
        text = "".join(random.choices(SIGNS, k=random.randint(1, 8)))
        try:
            formula = read(text)
        except InputError:
            continue
        assert read(to_text(formula)) == formula
        read_back += 1
    assert read_back >= examples(200, quick=30)


def test_thousands_of_atoms_are_read_but_make_no_automaton() -> None:
    start = time.process_time()
    formula = read(" & ".join(f"atom{number}" for number in range(8000)))
    with pytest.raises(TooManyStatesError, match="too many for an automaton"):
        automaton_of(formula)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "G(" * 99 + "p" + " -> q)" * 99,
        "p U (" * 99 + "q" + ")" * 99,
        "F(p & X(" * 45 + "q" + "))" * 45,
        "X " * 198 + "p",
        " & ".join(f"F(a{number} & X b{number})" for number in range(100)),
        " | ".join(f"(a{number} U b{number})" for number in range(100)),
        "(" * 98 + "p0" + "".join(f" <-> p{number})" for number in range(98)),
        " <-> ".join(f"F p{number}" for number in range(30)),
    ],
    ids=lambda text: text[:12],
)
def test_formulas_at_the_limit_have_an_automaton_or_a_sentence(text: str) -> None:
    start = time.process_time()
    formula = read(text)
    answers = [outcome(partial(automaton_of, formula, max_states=STATES))]
    answers += [outcome(partial(trap_automaton, formula, position)) for position in (0, -1)]
    assert all(answers)
    assert time.process_time() - start < 10 * SECONDS


def trap_automaton(formula: Formula, position: int) -> Automaton:
    return automaton_of(trap(formula, literals(formula)[position], "neutral"), max_states=STATES)


def outcome(make: Callable[[], Automaton]) -> str:
    try:
        return f"{len(make())} states"
    except (TooManyStatesError, UnsupportedError) as error:
        return str(error)
