"""The grid of sentences against the reading in words, and readings of arbitrary formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.english.grid import (
    CONDITIONS,
    SCOPES,
    TIMINGS,
    ConditionKind,
    ScopeKind,
    Sentence,
    TimingKind,
    formula_of,
    implies,
)
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.english.writer import grid_text, write_sentence
from bugsieve.rooms.rules.ltl.automaton import equivalent
from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    Operator,
    atom,
    atoms_of,
    negation,
)
from bugsieve.rooms.rules.ltl.reader import Place
from bugsieve.rooms.rules.ltl.traces import holds
from tests.depth import IS_DEEP, examples
from tests.reference import english as reference
from tests.reference.english import Reading
from tests.unit.rules.english.cells import cell, cells

PLACE = Place("rules.toml", 1, 1)
STEPS = (1, 2)
MOST_WORDS = 35_000 if IS_DEEP else 600
NAMES = ("p", "at(a,b)", "not", "until(?x)")
WORDS = """the rover shall satisfy always never immediately eventually until before within for
between
after while whenever upon and or not if then step steps at next it is case that true false p q
at(a,b) p(?r) ( ) ! & | -> <-> , . 1 2 0 999 which must come `not` `until(p)` up to including
only exist there one ever comes Whenever"""
PIECES = [
    *WORDS.split(),
    "it is always the case that",
    "at the next step, which must exist,",
    ", which must come",
    "the rover shall always satisfy",
    "the rover shall",
]

Formulas = st.SearchStrategy[Formula]


def joined(operators: list[Operator], parts: st.SearchStrategy[Sequence[Formula]]) -> Formulas:
    names = st.sampled_from(operators)
    return st.builds(lambda name, some: Formula(name, tuple(some)), names, parts)


def conditions() -> Formulas:
    return st.recursive(
        st.sampled_from([TRUE, FALSE, *map(atom, NAMES), *map(atom, NAMES)]),
        lambda inner: st.one_of(
            inner.map(negation),
            joined(["and", "or"], st.lists(inner, min_size=2, max_size=3)),
            joined(["implies", "iff"], st.tuples(inner, inner)),
        ),
        max_leaves=4,
    )


def formulas() -> Formulas:
    unary: list[Operator] = ["not", "next", "weak-next", "finally", "globally"]
    temporal: list[Operator] = ["until", "weak-until", "release", "strong-release"]
    static: list[Operator] = ["and", "or", "implies", "iff"]
    return st.recursive(
        conditions(),
        lambda inner: st.one_of(
            joined(unary, st.tuples(inner)),
            joined(temporal, st.tuples(inner, inner)),
            joined(static, st.tuples(inner, inner)),
        ),
        max_leaves=5,
    )


def same(left: Formula, right: Formula) -> bool:
    return left == right or equivalent(left, right)


def words_over(names: tuple[str, ...]) -> Iterator[tuple[frozenset[str], ...]]:
    """All words up to some length, in the deep tests 5 of three atoms, then some longer ones."""
    letters = [
        frozenset(name for name, is_in in zip(names, bits, strict=True) if is_in)
        for bits in product((False, True), repeat=len(names))
    ]
    longest = max(n for n in range(1, 7) if len(letters) ** n <= MOST_WORDS)
    for length in range(1, longest + 1):
        yield from product(letters, repeat=length)
    random = Random(len(names))
    for number in range(150):
        yield tuple(random.choices(letters, k=longest + 1 + number % 4))


def reading_of(sentence: Sentence) -> Reading:
    """The twin's form of a sentence whose parts are atoms."""

    def condition(part: Formula | None) -> reference.Condition:
        return lambda letter: part is not None and part.name in letter

    return Reading(
        sentence.scope,
        tuple(condition(bound) for bound in sentence.bounds),
        sentence.condition,
        condition(sentence.trigger),
        sentence.timing,
        condition(sentence.stop),
        sentence.steps,
        condition(sentence.response),
    )


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("scope", SCOPES)
def test_cells_mean_what_the_words_say(
    scope: ScopeKind, condition: ConditionKind, timing: TimingKind
) -> None:
    for steps in STEPS if timing in ("within", "for") else (0,):
        sentence = cell(scope, condition, timing, steps=steps)
        formula, reading = formula_of(sentence), reading_of(sentence)
        seen = set()
        for word in words_over(atoms_of(formula)):
            expected = reference.is_true(reading, word)
            assert holds(formula, word) == expected, word
            seen.add(expected)
        assert seen == {True, False}


def test_more_is_asked_by_shorter_times() -> None:
    """immediately => within 1 => within 2 => eventually, and always => for 2 => for 1."""
    chains: list[list[tuple[TimingKind, int]]] = [
        [("immediately", 0), ("within", 1), ("within", 2), ("eventually", 0)],
        [("next", 0), ("within", 1)],
        [("always", 0), ("for", 2), ("for", 1), ("immediately", 0)],
        [("always", 0), ("until", 0)],
    ]
    for scope in SCOPES:
        for chain in chains:
            asked = [formula_of(cell(scope, "whenever", kind, steps=n)) for kind, n in chain]
            for stronger, weaker in pairwise(asked):
                assert equivalent(implies(stronger, weaker), TRUE), (scope, chain)
                assert not equivalent(stronger, weaker)


@given(formulas())
@settings(max_examples=examples(2_000, quick=150), deadline=None)
def test_any_formula_is_read_back(formula: Formula) -> None:
    sentence = write_sentence(formula)
    again = read_sentence(sentence, place=PLACE)
    assert same(formula, again), sentence
    settled = write_sentence(again)
    assert write_sentence(read_sentence(settled, place=PLACE)) == settled


@given(st.sampled_from(list(cells())), st.lists(conditions(), min_size=5, max_size=5))
@settings(max_examples=examples(2_000, quick=150), deadline=None)
def test_cells_of_compound_conditions_come_back(sentence: Sentence, parts: list[Formula]) -> None:
    response, stop, trigger, *bounds = parts
    filled = replace(
        sentence,
        response=response,
        stop=sentence.stop and stop,
        trigger=sentence.trigger and trigger,
        bounds=tuple(bounds[: len(sentence.bounds)]),
    )
    formula = formula_of(filled)
    assert read_sentence(grid_text(filled), place=PLACE) == formula
    written = write_sentence(formula)
    assert " shall " in written
    assert read_sentence(written, place=PLACE) == formula
    assert write_sentence(read_sentence(written, place=PLACE)) == written


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
@settings(max_examples=examples(5_000, quick=300), deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        formula = read_sentence(text, place=PLACE)
    except InputError as error:
        assert re.match(r"rules\.toml:\d+:\d+: ", str(error))  # noqa: PT017
    else:
        assert same(formula, read_sentence(write_sentence(formula), place=PLACE))
