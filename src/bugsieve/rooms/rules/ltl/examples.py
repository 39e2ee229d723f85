"""A trace that satisfies a pattern and one that violates it, found in the pattern's automaton."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from bugsieve.rooms.rules.ltl.automaton import automaton_of
from bugsieve.rooms.rules.ltl.formula import (
    TRUE,
    Formula,
    atom,
    conjunction,
    finally_,
    negation,
    next_,
    until,
)
from bugsieve.rooms.rules.ltl.patterns import parameters_of, pattern_formula

Trace: TypeAlias = tuple[frozenset[str], ...]
_Within: TypeAlias = Callable[[Formula], Formula]

_P, _S, _Q, _R = map(atom, "psqr")


def example_traces(pattern: str, scope: str = "global") -> tuple[Trace, Trace]:
    """A short trace over p, s, q and r that satisfies the pattern, and one that violates it."""
    taken = parameters_of(pattern, scope)
    s, q, r = (atom(name) if name in taken else None for name in "sqr")
    formula = pattern_formula(pattern, scope, p=_P, s=s, q=q, r=r)
    return _satisfying(formula, pattern, scope), _shortest(negation(formula))


def _satisfying(formula: Formula, pattern: str, scope: str) -> Trace:
    """One in which there is a segment that shows something, or else any one."""
    shown = [_segment(pattern, scope)]
    if pattern == "absence":
        shown.insert(0, conjunction((shown[0], finally_(_P))))
    words = (automaton_of(formula & wish).shortest_word() for wish in shown)
    return next(word for word in words if word is not None)


def _segment(pattern: str, scope: str) -> Formula:
    """That the scope has a segment, and what a reader wants to see in it."""
    match scope:
        case "global":
            return _wish(pattern, finally_)
        case "before":
            return conjunction((~_R, finally_(_R), _wish(pattern, _before_r)))
        case "after":
            return until(~_Q, _Q & _wish(pattern, finally_)) & ~_Q
        case "between":
            return finally_(conjunction((_Q, ~_R, finally_(_R), _wish(pattern, _before_r))))
        case _:
            return finally_(conjunction((_Q, ~_R, _wish(pattern, _before_r))))


def _before_r(wish: Formula) -> Formula:
    return until(~_R, wish & ~_R)


def _wish(pattern: str, within: _Within) -> Formula:
    """The formula that a segment should satisfy for the pattern to say something of it."""
    match pattern:
        case "absence":
            return TRUE
        case "response":
            return within(_P & next_(within(_S)))
        case "precedence":
            return within(_S & next_(within(_P)))
        case "mutual-exclusion":
            return conjunction((within(_P), within(_S)))
        case _:
            return within(_P)


def _shortest(formula: Formula) -> Trace:
    word = automaton_of(formula).shortest_word()
    assert word is not None  # every pattern can be violated
    return word
