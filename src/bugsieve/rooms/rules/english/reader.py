"""Reads sentences: "[Scope,] [Condition,] the COMPONENT shall TIMING satisfy BOOLEAN."

A text without the word "shall" is taken for a nested reading (`readings`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, NoReturn

from bugsieve.base.names import suggest
from bugsieve.rooms.rules.english.grid import (
    MAX_STEPS,
    TIMINGS_WITH_STEPS,
    ConditionKind,
    ScopeKind,
    Sentence,
    TimingKind,
    formula_of,
)
from bugsieve.rooms.rules.english.readings import read_condition, read_reading
from bugsieve.rooms.rules.english.words import WordStream
from bugsieve.rooms.rules.ltl.formula import MAX_DEPTH, TRUE, Formula, fold
from bugsieve.rooms.rules.ltl.reader import Place

SCOPE_WORDS: tuple[ScopeKind, ...] = ("before", "after", "between", "while")
CONDITION_WORDS: tuple[ConditionKind, ...] = ("whenever", "upon")
PLAIN_TIMINGS: tuple[TimingKind, ...] = ("always", "never", "immediately", "eventually")
NEXT_STEP = ("at", "the", "next", "step")
TIMING_PHRASES = (
    "always, never, immediately, at the next step, eventually, until C, before C, within N steps, "
    "for N steps"
)
_TIMING_WORDS = (*PLAIN_TIMINGS, "at", "until", "before", *TIMINGS_WITH_STEPS)
_BEGINNINGS = (*SCOPE_WORDS, *CONDITION_WORDS, "the")

_FOREIGN = {
    "when": "say 'upon C' if C must become true (FRET's 'when'), or 'whenever C'",
    "if": "say 'upon C' if C must become true (FRET's 'if'), or 'whenever C'",
    "where": "say 'upon C' if C must become true (FRET's 'where'), or 'whenever C'",
    "unless": "say 'upon !C' or 'whenever !C'",
    "in": "say 'while C'",
    "during": "say 'while C'",
    "only": "say 'while !C', 'before C' or 'after C', and what shall hold there",
    "except": "say 'while !C'",
}
"""Beginnings that FRET knows and we do not."""


class Spoken(NamedTuple):
    """A sentence of the grid, and who it speaks of."""

    sentence: Sentence
    component: str


def read_sentence(text: str, *, place: Place) -> Formula:
    """The formula of a sentence or nested reading; an InputError names line, column and reason."""
    words = WordStream(text, place)
    start = words.token
    if any(token.word == "shall" for token in words.tokens):
        formula = formula_of(_read_grid(words).sentence)
    else:
        formula = read_reading(words)
        _finish(words)
    if fold(formula, lambda item, parts: 1 + max(parts, default=0)) > MAX_DEPTH:
        words.fail(f"the sentence is nested more than {MAX_DEPTH} levels deep", start)
    return formula


def read_grid(text: str, *, place: Place) -> Spoken:
    """A sentence of the grid as its parts."""
    return _read_grid(WordStream(text, place))


def _read_grid(words: WordStream) -> Spoken:
    sentence = _condition(words, _scope(words))
    component = _component(words)
    sentence = _timing(words, sentence)
    words.expect(["satisfy"], " after the timing")
    sentence = replace(sentence, response=read_condition(words))
    _finish(words)
    return Spoken(sentence, component)


def _scope(words: WordStream) -> Sentence:
    """The sentence so far: its scope, and nothing that counts in place of the rest."""
    empty = Sentence(TRUE, "always")
    for kind in SCOPE_WORDS:
        if words.accept(kind):
            bounds = _bounds(words, kind)
            words.expect([","], f" after the scope that {kind!r} begins")
            return replace(empty, scope=kind, bounds=bounds)
    return empty


def _bounds(words: WordStream, kind: ScopeKind) -> tuple[Formula, ...]:
    if kind != "between":
        return (read_condition(words),)
    first = read_condition(words, ends_at_and=True)
    words.expect(["and"], " in 'between C and C'")
    second = read_condition(words, ends_at_and=True)
    if words.sees("and"):
        words.fail(
            "in 'between C and C' one 'and' divides the two conditions: write '&' for the other "
            "one, or parentheses"
        )
    return first, second


def _condition(words: WordStream, sentence: Sentence) -> Sentence:
    for kind in CONDITION_WORDS:
        if words.accept(kind):
            trigger = read_condition(words)
            words.expect([","], f" after the condition that {kind!r} begins")
            return replace(sentence, condition=kind, trigger=trigger)
    return sentence


def _component(words: WordStream) -> str:
    if not words.accept("the"):
        _no_beginning(words)
    first = words.position
    while words.token.kind in ("word", "atom") and not words.sees("shall"):
        words.position += 1
    component = words.tokens[first : words.position]
    if not component:
        words.fail(f"the component is expected after 'the', not {words.token.shown}")
    words.expect(["shall"], " after the component")
    return " ".join(token.text for token in component)


def _no_beginning(words: WordStream) -> NoReturn:
    token = words.token
    if token.word in (*SCOPE_WORDS, *CONDITION_WORDS):
        words.fail(f"{token.shown} comes too late: one scope comes first, then one condition")
    if token.word in _FOREIGN:
        words.fail(f"no part of a sentence begins with {token.shown}: {_FOREIGN[token.word]}")
    word = token.text.partition("(")[0]
    if token.kind == "atom" and word.casefold() in _BEGINNINGS:
        words.fail(f"{token.shown} is an atom: put a blank after {word!r}")
    near = suggest(token.text, _BEGINNINGS) if token.kind == "word" else ""
    words.fail(
        f"no part of a sentence begins with {token.shown}{near}; scopes begin with "
        f"{', '.join(SCOPE_WORDS)}, conditions with {', '.join(CONDITION_WORDS)}, and then "
        "comes 'the COMPONENT shall'"
    )


def _timing(words: WordStream, sentence: Sentence) -> Sentence:
    for kind in PLAIN_TIMINGS:
        if words.accept(kind):
            return replace(sentence, timing=kind)
    if words.accept("at"):
        words.expect(NEXT_STEP[1:], f" in {' '.join(NEXT_STEP)!r}")
        return replace(sentence, timing="next")
    if words.accept("until"):
        return replace(sentence, timing="until", stop=read_condition(words))
    if words.accept("before"):
        return replace(sentence, timing="before", stop=read_condition(words))
    for kind in TIMINGS_WITH_STEPS:
        if words.accept(kind):
            return replace(sentence, timing=kind, steps=_steps(words, kind))
    return _no_timing(words)


def _steps(words: WordStream, kind: str) -> int:
    token = words.token
    if token.kind != "number":
        words.fail(f"a number of steps is expected after {kind!r}, not {token.shown}")
    # Leading zeros aside, four digits are too many: no need to read thousands of them.
    number = int(token.text[-9:]) if not token.text[:-9].strip("0") else MAX_STEPS + 1
    if not 1 <= number <= MAX_STEPS:
        words.fail(f"the number of steps is from 1 to {MAX_STEPS}, not {token.shown}")
    words.position += 1
    if not words.accept("step"):
        words.expect(["steps"], f" after '{kind} {number}'")
    return number


def _no_timing(words: WordStream) -> NoReturn:
    if words.sees("satisfy"):
        words.fail(
            "the sentence says not when: between 'shall' and 'satisfy' goes one of "
            f"{TIMING_PHRASES} (NASA's FRET would read 'eventually')"
        )
    if words.sees("after"):
        words.fail(f"FRET's timing 'after N steps' is not supported; there are {TIMING_PHRASES}")
    words.fail(f"there is no timing {words.named(_TIMING_WORDS)}; there are {TIMING_PHRASES}")


def _finish(words: WordStream) -> None:
    words.accept(".")
    if words.token.kind != "end":
        near = words.named(("and", "or", "until", "then", "satisfy"))
        words.fail(f"'.', 'and', 'or', '&', '|' or '->' is expected, not {near}")
