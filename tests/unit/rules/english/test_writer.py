from __future__ import annotations

from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.english.writer import write_sentence
from bugsieve.rooms.rules.ltl.formula import MAX_DEPTH, atom, next_
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES, parameters_of, pattern_formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl

PLACE = Place("rules.toml")


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("G(m(?r) -> s(?r))", "Whenever m(?r), the rover shall immediately satisfy s(?r)."),
        ("G !p", "The rover shall never satisfy p."),
        ("G p", "The rover shall always satisfy p."),
        ("G(p -> F q)", "Whenever p, the rover shall eventually satisfy q."),
        ("!p W s", "The rover shall until s satisfy !p."),
        ("p", "The rover shall immediately satisfy p."),
        ("p | X p", "The rover shall within 1 step satisfy p."),
        ("G until", "The rover shall always satisfy `until`."),
        ("G p & F q", "(it is always the case that p) and (it is eventually the case that q)."),
        ("p U q", "p until q, which must come."),
        ("G(p <-> X q)", "It is always the case that (p if and only if (at the next step, which "
         "must exist, q))."),
    ],
)  # fmt: skip
def test_sentences(formula: str, sentence: str) -> None:
    written = write_sentence(read_ltl(formula, place=PLACE), component="rover")
    assert written == sentence
    assert to_text(read_sentence(written, place=PLACE)) == formula


def test_most_patterns_are_sentences_of_the_grid() -> None:
    nested = set()
    for pattern in PATTERNS:
        for scope in SCOPES:
            names = [name for name in parameters_of(pattern, scope) if name != "k"]
            parts: dict[str, Any] = {name: atom(name) for name in names}
            sentence = write_sentence(pattern_formula(pattern, scope, **parts))
            if " shall " not in sentence:
                nested.add((pattern, scope))
    after_until = {("existence", "after-until"), ("response", "after-until")}
    assert nested == after_until | {("bounded-existence", scope) for scope in SCOPES}


def test_the_deepest_formula_is_read_back() -> None:
    formula = atom("p")
    for _ in range(MAX_DEPTH - 1):
        formula = next_(formula)
    assert read_sentence(write_sentence(formula), place=PLACE) == formula
    with pytest.raises(InputError, match=f"nested more than {MAX_DEPTH} levels deep"):
        read_sentence(write_sentence(next_(formula)), place=PLACE)


def test_deep_formulas_are_written() -> None:
    formula = atom("p")
    for _ in range(3_000):
        formula = ~(formula & atom("q"))
    assert write_sentence(formula).count("q") == 3_000
