"""Formulas of the checkers: reading, views, evaluation and progression against the definitions."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bugsieve.checkers.cost import CertificateError
from bugsieve.rooms.rules.checker.rules_formulas import MAX_TEXT, Formulas
from bugsieve.rooms.rules.checker.rules_progression import Obligations, Progression
from tests.depth import examples
from tests.property.rule_cases import VIEWS, random_formula
from tests.reference.temporal import (
    Formula,
    atoms_of,
    holds,
    holds_on_lasso,
    in_view,
    to_text,
    words,
)

COUNT = examples(2000, quick=100)
NAMES = ("p", "q(x,y)")


def formulas(count: int = COUNT, depth: int = 3) -> list[Formula]:
    random = Random(1)
    return [random_formula(random, NAMES, random.randint(1, depth)) for _ in range(count)]


def normal(table: Formulas, formula: Formula) -> int:
    return table.normal(table.read(to_text(formula), "it"))


def letter(word: frozenset[str]) -> int:
    return sum(1 << place for place, name in enumerate(NAMES) if name in word)


def test_evaluation_on_all_short_words() -> None:
    answers: Counter[bool] = Counter()
    for formula in formulas():
        table = Formulas()
        root = normal(table, formula)
        for length in range(1, 5 if len(atoms_of(formula)) < 2 else 4):
            for word in words(sorted(atoms_of(formula)), length):
                expected = holds(formula, word)
                assert table.holds(root, word) == expected, (to_text(formula), word)
                answers[expected] += 1
    assert min(answers.values()) > 10 * COUNT


def test_words_of_length_four() -> None:
    for formula in formulas(20, depth=4):
        table = Formulas()
        root = normal(table, formula)
        for word in words(NAMES, 4):
            assert table.holds(root, word) == holds(formula, word), (to_text(formula), word)


def test_evaluation_on_lassos() -> None:
    for formula in formulas():
        table = Formulas()
        root = normal(table, formula)
        for word in words(sorted(atoms_of(formula)), 3):
            for back in range(3):
                expected = holds_on_lasso(formula, word, back)
                assert table.holds_on_lasso(root, word, back) == expected, to_text(formula)


def test_a_lasso_is_its_own_unrolling() -> None:
    for formula in formulas(40):
        table = Formulas()
        root = normal(table, formula)
        for word in words(NAMES[:1], 4):
            for back in range(4):
                longer = [*word, *word[back:]]
                expected = table.holds_on_lasso(root, word, back)
                assert table.holds_on_lasso(root, longer, len(word)) == expected


@pytest.mark.parametrize("view", VIEWS)
def test_views(view: str) -> None:
    for formula in formulas():
        table = Formulas()
        pushed = table.pushed(table.read(to_text(formula), "it"))
        root = table.normal(table.in_view(pushed, view))
        meant = in_view(formula, view)
        for word in words(sorted(atoms_of(formula)), 2):
            assert table.holds(root, word) == holds(meant, word), to_text(formula)


@pytest.mark.parametrize(
    ("rule", "view", "expected"),
    [
        ("!G(p -> q)", "strong", "F(p & !q)"),
        ("!G(p -> q)", "weak", "true"),
        ("!F p", "strong", "false"),
        ("p W q", "strong", "p U q"),
        ("p R q", "strong", "p M q"),
        ("N p", "strong", "X p"),
        ("X p & (p U q)", "weak", "N p & (p W q)"),
        ("p M q", "weak", "p R q"),
        ("G(p | !p)", "strong", "false"),
    ],
)
def test_views_by_hand(rule: str, view: str, expected: str) -> None:
    table = Formulas()
    viewed = table.in_view(table.pushed(table.read(rule, "it")), view)
    assert table.normal(viewed) == table.normal(table.read(expected, "it"))


def test_progression_says_when_a_trace_may_end() -> None:
    for formula in formulas():
        table = Formulas()
        progression = Progression(table, normal(table, formula), NAMES)
        for word in words(NAMES, 3):
            rest = progression.start
            for place, read in enumerate(word):
                rest = progression.step(rest, letter(read))
                expected = holds(formula, word[: place + 1])
                assert progression.accepts(rest) == expected, (to_text(formula), word)
                assert not (expected and progression.is_hopeless(rest))


def test_progression_finds_out_what_has_no_hope() -> None:
    table = Formulas()
    progression = Progression(table, table.normal(table.read("G p & F !p", "it")), ["p"])
    assert progression.is_hopeless(progression.start)
    progression = Progression(table, table.normal(table.read("X true & N false", "it")), ["p"])
    assert progression.is_hopeless(progression.step(progression.start, 0))


@pytest.mark.parametrize(
    ("text", "rests"), [("&".join(f"F a{i}" for i in range(6)), 64), ("G(a0 -> F a1)", 2)]
)
def test_there_are_few_rests(text: str, rests: int) -> None:
    table = Formulas()
    root = table.normal(table.read(text, "it"))
    progression = Progression(table, root, [f"a{i}" for i in range(6)])
    seen = {progression.start}
    waiting = [progression.start]
    for rest in waiting:
        for read in progression.letters():
            after = progression.step(rest, read)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    assert len(seen) - 1 == rests


def test_obligations_are_met_by_choices() -> None:
    table = Formulas()
    root = table.normal(table.read("p U q", "it"))
    obligations = Obligations(table, root, ["p", "q"])
    assert obligations.eventual == {root}
    assert obligations.choices(obligations.start, 0) == ()
    ((later, put_off),) = obligations.choices(obligations.start, 0b01)
    assert later == put_off == {root}
    assert (frozenset(), frozenset()) in obligations.choices(obligations.start, 0b10)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a->b", "a -> b"),
        ("a U b U c", "a U (b U c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("!a U b & c | d -> e <-> f", "((((!a) U b) & c) | d -> e) <-> f"),
        ("G F a U b", "(G(F(a))) U b"),
        ("X(a)", "X a"),
        ("a-b->c", "(a-b) -> c"),
        ("Xa -> b", "(Xa) -> b"),
        ("at(r-1,w2) W true", "(at(r-1,w2)) W (true)"),
    ],
)
def test_reading(text: str, same: str) -> None:
    table = Formulas()
    assert table.read(text, "it") == table.read(same, "it")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it ends where a formula is expected"),
        ("a &", "it ends where a formula is expected"),
        ("(a", "it has a '(' that nothing closes"),
        ("a)", "it has a ')' that closes nothing"),
        ("a b", "it has 'b' at character 3, where it cannot be"),
        ("& a", "it has '&' at character 1, where it cannot be"),
        ("a(?x)", "it has '(' at character 2, where it cannot be"),
        ("a # b", "it has something at character 3 that is no part of a formula"),
        ("U", "it has 'U' at character 1, where it cannot be"),
        ("()", "it has ')' at character 2, where it cannot be"),
        ("a" * (MAX_TEXT + 1), f"it is longer than {MAX_TEXT} characters"),
    ],
)
def test_what_is_no_formula(text: str, sentence: str) -> None:
    with pytest.raises(CertificateError) as caught:
        Formulas().read(text, "it")
    assert str(caught.value) == sentence


def test_depth_is_no_obstacle() -> None:
    table = Formulas()
    root = table.normal(table.read("!" * 20_001 + "(" * 20_000 + "p" + ")" * 20_000, "it"))
    assert not table.holds(root, [frozenset({"p"})])
    deep = table.normal(table.read("X " * 5_000 + "p", "it"))
    assert not table.holds(deep, [frozenset({"p"})] * 5_000)
    assert table.holds(deep, [frozenset({"p"})] * 5_001)
