"""Patterns and scopes; their meaning is tested in tests/property/test_ltl.py."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.rules.ltl.examples import example_traces
from bugsieve.rooms.rules.ltl.formula import atom
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES, parameters_of, pattern_formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.traces import holds

P, S, Q, R = map(atom, "psqr")


def test_some_formulas() -> None:
    assert to_text(pattern_formula("absence", p=P)) == "G !p"
    precedence = pattern_formula("precedence", "after", p=P, s=S, q=Q)
    assert to_text(precedence) == "!q W (q & !p W s)"
    response = pattern_formula("response", "between", p=P, s=S, q=Q, r=R)
    assert to_text(response) == "G(q & !r & F r -> (p -> !r U (s & !r)) W r)"
    once = pattern_formula("bounded-existence", p=P, k=1)
    assert to_text(once) == "!p W p W G !p"
    assert to_text(pattern_formula("bounded-existence", p=P, k=0)) == "G !p"
    assert "never if k is 0" in PATTERNS["bounded-existence"].meaning


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_examples_satisfy_and_violate(pattern: str, scope: str) -> None:
    taken = parameters_of(pattern, scope)
    s, q, r = (atom(name) if name in taken else None for name in "sqr")
    formula = pattern_formula(pattern, scope, p=P, s=s, q=q, r=r)
    good, bad = example_traces(pattern, scope)
    assert holds(formula, good)
    assert not holds(formula, bad)
    shown = set(taken) - {"k"} - ({"p"} if (pattern, scope) == ("absence", "global") else set())
    optional = {"r"} if scope == "after-until" else set()
    assert shown - optional <= {name for letter in good for name in letter}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"pattern": "absense"}, r"no pattern 'absense' \(did you mean 'absence'\?\)"),
        ({"pattern": "absence", "scope": "behind"}, "no scope 'behind'.*global, before"),
        ({"pattern": "response"}, "'response' with scope 'global' needs s"),
        ({"pattern": "absence", "scope": "after"}, "'absence' with scope 'after' needs q"),
        ({"pattern": "absence", "s": S}, "takes no s, only p"),
        ({"pattern": "absence", "k": 2}, "takes no k, only p"),
        ({"pattern": "absence", "scope": "before", "r": R, "q": Q}, "takes no q, only p, r"),
        ({"pattern": "bounded-existence", "k": -1}, "k is -1, it must lie between 0 and 40"),
        ({"pattern": "bounded-existence", "k": 41}, "k is 41, it must lie between 0 and 40"),
    ],
)
def test_wrong_calls(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        pattern_formula(**{"p": P, **arguments})  # type: ignore[arg-type]
