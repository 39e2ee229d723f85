"""Mutants of a domain, counted by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from bugsieve.rooms.domain_testing.mutants import KINDS, Mutant, changed_line, mutants_of
from bugsieve.rooms.zoo.domains import domain_text
from bugsieve.tasks.pddl.domain import Domain, check_domain
from bugsieve.tasks.pddl.reader import Document, parse, to_text
from tests.unit.domain_testing.lights import DOMAIN


def read(text: str) -> Domain:
    data = text.encode()
    return check_domain(Document("domain.pddl", data, parse(data, "domain.pddl")))


def mutants(text: str) -> list[Mutant]:
    return mutants_of(read(text))


def described(text: str, kind: str) -> list[str]:
    return [mutant.description for mutant in mutants(text) if mutant.kind == kind]


def test_each_kind_is_counted_by_hand() -> None:
    # Preconditions: wired, not on; on, next. Effects: on; not on, on.
    assert Counter(mutant.kind for mutant in mutants(DOMAIN)) == {
        "drop-precondition": 4,
        "negate-precondition": 4,
        "drop-effect": 3,
        "negate-effect": 3,
        "swap-arguments": 1,  # (next ?l ?m)
        "widen-parameter": 4,  # ?s and ?l, ?l and ?m
        "add-effect": 2,  # (not (wired ?s ?l)), (not (next ?l ?m)); others are touched
    }


def test_what_they_are_is_said_in_one_line() -> None:
    assert described(DOMAIN, "drop-precondition") == [
        "light: without (wired ?s ?l)",
        "light: without (not (on ?l))",
        "pass: without (on ?l)",
        "pass: without (next ?l ?m)",
    ]
    assert described(DOMAIN, "negate-precondition")[1] == (
        "light: (on ?l) instead of (not (on ?l))"
    )
    assert described(DOMAIN, "swap-arguments") == ["pass: (next ?m ?l) instead of (next ?l ?m)"]
    assert described(DOMAIN, "widen-parameter")[3] == ("pass: ?m - object instead of ?m - lamp")
    assert described(DOMAIN, "add-effect") == [
        "light: with the further effect (not (wired ?s ?l))",
        "pass: with the further effect (not (next ?l ?m))",
    ]


def test_each_is_a_readable_domain_that_differs() -> None:
    original = read(DOMAIN)
    texts = {to_text(original.document.root)}
    for mutant in mutants(DOMAIN):
        again = read(mutant.text)
        assert again.document.root == mutant.root
        texts.add(to_text(again.document.root))
    assert len(texts) == len(mutants(DOMAIN)) + 1


def test_numbers_count_in_the_order_of_the_actions() -> None:
    found = mutants(DOMAIN)
    assert [mutant.number for mutant in found] == list(range(1, len(found) + 1))
    assert [m.action for m in found] == sorted((m.action for m in found), key="lightpass".find)


def test_the_line_is_that_of_the_original() -> None:
    document = read(DOMAIN).document
    dropped = next(m for m in mutants(DOMAIN) if m.description == "pass: without (next ?l ?m)")
    assert dropped.line == 11
    assert changed_line(document, dropped) == ":precondition (and (on ?l) (next ?l ?m))"


def action(precondition: str, effect: str, parameters: str = "?x ?y - lamp") -> str:
    return f"""(define (domain d) (:types lamp) (:predicates (p ?x - lamp) (q ?x ?y - lamp) (r))
      (:action a :parameters ({parameters}) :precondition {precondition} :effect {effect}))"""


def test_literals_under_quantifiers_and_disjunctions_count() -> None:
    text = action("(or (p ?x) (forall (?z - lamp) (imply (q ?x ?z) (p ?z))))", "(r)")
    assert described(text, "drop-precondition") == [
        "a: without (p ?x)",
        "a: without (q ?x ?z)",
        "a: without (p ?z)",
    ]
    assert described(text, "swap-arguments") == ["a: (q ?z ?x) instead of (q ?x ?z)"]
    # Only parts of the conjunction itself may become effects: others have variables of their own.
    assert described(text, "add-effect") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(p ?x)", "(and)"),
        ("(and (p ?x))", "(and)"),
        ("(exists (?z - lamp) (p ?z))", "(exists (?z - lamp) (= ?z ?z))"),
        ("(exists (?z - lamp) (and (p ?z)))", "(exists (?z - lamp) (and (= ?z ?z)))"),
        ("(or (r) (forall (?z - lamp) (p ?z)))", "(or (forall (?z - lamp) (p ?z)))"),
    ],
)
def test_quantifiers_stay_when_nothing_is_left_in_them(before: str, after: str) -> None:
    first = next(it for it in mutants(action(before, "(r)")) if it.kind == "drop-precondition")
    assert to_text(first.root) == to_text(read(action(after, "(r)")).document.root)


def test_the_condition_of_an_effect_is_a_precondition_of_it() -> None:
    text = action("()", "(when (p ?x) (and (r) (not (p ?x))))")
    assert described(text, "negate-precondition") == ["a: (not (p ?x)) instead of (p ?x)"]
    assert described(text, "negate-effect") == [
        "a: (not (r)) instead of (r)",
        "a: (p ?x) instead of (not (p ?x))",
    ]


def test_costs_are_left_alone() -> None:
    text = action("(p ?x)", "(and (r) (increase (total-cost) 3))")
    assert described(text, "drop-effect") == ["a: without (r)"]


@pytest.mark.parametrize("effect", ["", ":effect ()", ":effect (and)"])
def test_an_action_without_effect_can_be_given_one(effect: str) -> None:
    text = f"""(define (domain d) (:predicates (p) (r))
      (:action a :parameters () :precondition (not (p)) {effect}))"""
    (added,) = [mutant for mutant in mutants(text) if mutant.kind == "add-effect"]
    assert ":effect (and (p))" in " ".join(added.text.split()) or (
        ":effect (p)" in " ".join(added.text.split())
    )


def test_equality_is_neither_swapped_nor_added() -> None:
    text = action("(not (= ?x ?y))", "(r)")
    assert described(text, "swap-arguments") == described(text, "add-effect") == []
    assert described(text, "drop-precondition") == ["a: without (not (= ?x ?y))"]


def test_types_are_widened_to_their_parents_only() -> None:
    text = """(define (domain d) (:types car - vehicle vehicle - object) (:predicates (r))
      (:action a :parameters (?c - car ?v - vehicle ?o) :effect (r)))"""
    assert described(text, "widen-parameter") == [
        "a: ?c - vehicle instead of ?c - car",
        "a: ?v - object instead of ?v - vehicle",
    ]


def test_equal_mutants_are_one() -> None:
    twice = action("(and (p ?x) (p ?x))", "(r)", "?x - lamp")
    assert len(described(twice, "drop-precondition")) == 1


def test_the_rovers_have_as_many_as_counted() -> None:
    counted = Counter(mutant.kind for mutant in mutants(domain_text("rovers")))
    assert [counted[kind] for kind in KINDS] == [45, 45, 18, 18, 5, 36, 38]
