"""Specification patterns after Dwyer, and the scopes in which they may hold.

A scope cuts segments out of a trace, and a scoped pattern holds if the pattern holds on each of
them: before r: all up to the first r, if there is one; after q: all from the first q; between q
and r: from every q without r up to the next r; after q until r: the same, also without a next r.
The position of q belongs to the segment, that of r does not. On an empty one nothing exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    Formula,
    conjunction,
    finally_,
    globally,
    until,
    weak_until,
)

DEFAULT_BOUND = 2
MAX_BOUND = 40


@dataclass(frozen=True)
class SpecificationPattern:
    """The meaning of a pattern, and the formulas it takes."""

    meaning: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class PatternScope:
    """The part of a trace where a pattern holds, and the formulas that delimit it."""

    meaning: str
    parameters: tuple[str, ...]


PATTERNS: dict[str, SpecificationPattern] = {
    "absence": SpecificationPattern("p never holds", ("p",)),
    "existence": SpecificationPattern("p holds at least once", ("p",)),
    "universality": SpecificationPattern("p always holds", ("p",)),
    "response": SpecificationPattern("whenever p holds, s holds then or later", ("p", "s")),
    "precedence": SpecificationPattern("p holds only when s does or after s did", ("p", "s")),
    "bounded-existence": SpecificationPattern(
        "p becomes true at most k times, never if k is 0", ("p", "k")
    ),
    "mutual-exclusion": SpecificationPattern("p and s never hold together", ("p", "s")),
}

SCOPES: dict[str, PatternScope] = {
    "global": PatternScope("in the whole trace", ()),
    "before": PatternScope("before the first r, if r ever holds", ("r",)),
    "after": PatternScope("from the first q on", ("q",)),
    "between": PatternScope("from every q without r up to the next r", ("q", "r")),
    "after-until": PatternScope(
        "from every q without r up to the next r, or to the end", ("q", "r")
    ),
}


@dataclass(frozen=True)
class _Body:
    """A pattern on the rest of a trace, and on what lies before the next r, or all without one."""

    whole: Formula
    up_to: Callable[[Formula], Formula]


def pattern_formula(
    pattern: str,
    scope: str = "global",
    *,
    p: Formula,
    s: Formula | None = None,
    q: Formula | None = None,
    r: Formula | None = None,
    k: int | None = None,
) -> Formula:
    """The formula of a pattern in a scope; what they do not take must not be given."""
    given = {"p": p, "s": s, "q": q, "r": r, "k": k}
    _check(pattern, scope, {name for name, value in given.items() if value is not None})
    body = _body(pattern, p, s or FALSE, DEFAULT_BOUND if k is None else k)
    return _in_scope(body, scope, q or FALSE, r or FALSE)


def parameters_of(pattern: str, scope: str) -> tuple[str, ...]:
    """The parameters of a pattern in a scope; `k` may be left out."""
    if pattern not in PATTERNS:
        raise UsageError(no_such("pattern", pattern, PATTERNS))
    if scope not in SCOPES:
        raise UsageError(no_such("scope", scope, SCOPES))
    return (*PATTERNS[pattern].parameters, *SCOPES[scope].parameters)


def _check(pattern: str, scope: str, given: set[str]) -> None:
    taken = parameters_of(pattern, scope)
    for name in taken:
        if name not in given and name != "k":
            raise UsageError(f"{_called(pattern, scope)} needs {name}")
    for name in sorted(given):
        if name not in taken:
            listed = ", ".join(taken)
            raise UsageError(f"{_called(pattern, scope)} takes no {name}, only {listed}")


def _called(pattern: str, scope: str) -> str:
    return f"the pattern {pattern!r} with scope {scope!r}"


def _body(pattern: str, p: Formula, s: Formula, k: int) -> _Body:
    match pattern:
        case "absence":
            return _always(~p)
        case "existence":
            return _Body(finally_(p), lambda r: until(~r, p & ~r))
        case "universality":
            return _always(p)
        case "response":
            return _Body(globally(_implied(p, finally_(s))), lambda r: _response_up_to(p, s, r))
        case "precedence":
            return _Body(weak_until(~p, s), lambda r: weak_until(~p, s | r))
        case "mutual-exclusion":
            return _always(~(p & s))
        case _:
            return _bounded(p, k)


def _always(p: Formula) -> _Body:
    return _Body(globally(p), lambda r: weak_until(p, r))


def _response_up_to(p: Formula, s: Formula, r: Formula) -> Formula:
    return weak_until(_implied(p, until(~r, s & ~r)), r)


def _implied(left: Formula, right: Formula) -> Formula:
    return Formula("implies", (left, right))


def _bounded(p: Formula, k: int) -> _Body:
    """At most k maximal runs of p: not p, p, not p, … with k times p."""
    if not 0 <= k <= MAX_BOUND:
        raise UsageError(f"k is {k}, it must lie between 0 and {MAX_BOUND}")

    def whole() -> Formula:
        rest = globally(~p)
        for _ in range(k):
            rest = weak_until(~p, weak_until(p, rest))
        return rest

    def up_to(r: Formula) -> Formula:
        rest = weak_until(~p, r)
        for _ in range(k):
            rest = weak_until(~p & ~r, r | weak_until(p & ~r, r | rest))
        return rest

    return _Body(whole(), up_to)


def _in_scope(body: _Body, scope: str, q: Formula, r: Formula) -> Formula:
    match scope:
        case "global":
            return body.whole
        case "before":
            return _implied(finally_(r), body.up_to(r))
        case "after":
            return weak_until(~q, q & body.whole)
        case "between":
            return globally(_implied(conjunction((q, ~r, finally_(r))), body.up_to(r)))
        case _:
            return globally(_implied(q & ~r, body.up_to(r)))
