"""Which rules are safety rules: told by their automata, not by how they are written."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.rules.ltl.automaton import equivalent
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.models.bad_prefixes import bad_prefixes


def ltl(text: str) -> Formula:
    return read_ltl(text, place=Place("rule"))


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ("(p U q) | G p", "p W q"),
        ("G(p -> X(q U r)) & G(p -> X r)", "G(p -> X r)"),
        ("X F q & G q", "G q"),
        ("G(p | F q) & G !q", "G(p & !q)"),
        # Kupferman and Vardi's: no single part of it is a safety rule, and none of its prefixes
        # tells why it is bad.
        ("(G(q | F G p) & G(r | F G !p)) | G q | G r", "G q | G r"),
    ],
)
def test_rules_that_wait_for_nothing_in_the_end(rule: str, same: str) -> None:
    assert equivalent(bad_prefixes(ltl(rule), name="R"), bad_prefixes(ltl(same), name="S"))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("F p", "it may still keep the rule"),
        ("G(p -> F q)", "it may still keep the rule"),
        ("F(p & X p) | G !p", "it may still keep the rule"),
        ("p U q", "something never comes"),
        ("p & G F q", "something never comes"),
        ("F a & F b & F c & F d & F e & F f & G g", "cannot be decided.*fewer atoms"),
    ],
)
def test_others_are_refused_by_name(rule: str, sentence: str) -> None:
    with pytest.raises(UnsupportedError, match=f"rule R.*{sentence}"):
        bad_prefixes(ltl(rule), name="R")


def test_what_is_written_without_waiting_may_have_many_atoms() -> None:
    names = [f"a{number}" for number in range(12)]
    assert len(bad_prefixes(ltl(f"G({' | '.join(names)})"), name="R")) == 2
