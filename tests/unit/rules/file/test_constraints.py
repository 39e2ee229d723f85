"""Constraints of PDDL3 as rules, which no other command takes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.rules.file.binding import BoundRules
from bugsieve.rooms.rules.file.constraints import constraint_rules
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.traces import holds
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.worlds import load_world
from tests.unit.rules.file.rover import DOMAIN, PROBLEM, rover_task, written

LAST = " (:goal (and (sampled w3) (sampled w1)))\n"


def with_constraints(text: str) -> str:
    assert PROBLEM.count(LAST) == 1
    return PROBLEM.replace(LAST, f"{LAST} (:constraints\n {text})\n")


def bound(folder: Path, text: str, *, domain: str = DOMAIN) -> BoundRules:
    task = load_world(*map(str, written(folder, domain, with_constraints(text)))).task
    assert task.pddl_texts is not None
    file = constraint_rules(task.pddl_texts, domain="d.pddl", problem="p.pddl")
    return file.bind(task)


def formula(folder: Path, text: str) -> str:
    (rule,) = bound(folder, text).rules
    return to_text(rule.unfolded).replace(f"{rule.id}-", "")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("(always (stowed cam))", "G stowed"),
        ("(sometime (stowed cam))", "F stowed"),
        ("(at-most-once (lit))", "G(lit -> lit W G !lit)"),
        ("(sometime-after (lit) (stowed cam))", "G(lit -> F stowed)"),
        ("(sometime-before (lit) (stowed cam))", "!lit W (stowed & !lit)"),
        ("(at end (stowed cam))", "G F stowed"),
        ("(and (always (stowed cam)))", "G stowed"),
        ("(always (imply (lit) (not (stowed cam))))", "G(lit -> !stowed)"),
        ("(always (or (stowed cam) (stowed arm) (stowed cam)))", "G(stowed | stowed-2)"),
        ("(always (exists (?w - waypoint) (sampled ?w)))", "G exists"),
        ("(always (and))", "G and"),
    ],
)
def test_forms(tmp_path: Path, text: str, meaning: str) -> None:
    assert formula(tmp_path, text) == meaning


def naive(form: str, first: list[bool], second: list[bool]) -> bool:
    """The definitions of PDDL3, word by word."""
    places = range(len(first))
    if form == "at-most-once":
        starts = [i for i in places if first[i] and (i == 0 or not first[i - 1])]
        return len(starts) <= 1
    if form == "sometime-after":
        return all(any(second[j] for j in places if j >= i) for i in places if first[i])
    if form == "sometime-before":
        return all(any(second[j] for j in places if j < i) for i in places if first[i])
    return {"always": all(first), "sometime": any(first), "at end": first[-1]}[form]


@pytest.mark.parametrize(
    "text",
    [
        "(always (lit))",
        "(sometime (lit))",
        "(at end (lit))",
        "(at-most-once (lit))",
        "(sometime-after (lit) (stowed cam))",
        "(sometime-before (lit) (stowed cam))",
    ],
)
def test_forms_mean_what_pddl3_says(tmp_path: Path, text: str) -> None:
    form = text[1 : text.index(" (")]
    (rule,) = bound(tmp_path, text).rules
    names = (f"{rule.id}-lit", f"{rule.id}-stowed")
    for length in range(1, 6):
        for bits in product((False, True), repeat=2 * length):
            first, second = list(bits[:length]), list(bits[length:])
            letters = [
                {name for name, truth in zip(names, pairs, strict=True) if truth}
                for pairs in zip(first, second, strict=True)
            ]
            assert holds(rule.unfolded, letters) == naive(form, first, second)


def test_quantifiers_make_instances(tmp_path: Path) -> None:
    text = (
        "(and (forall (?r - rover) (and"
        " (always (imply (exists (?w) (going ?r w1 ?w)) (stowed cam)))"
        " (forall (?v ?w - waypoint) (sometime-before (sampled ?w) (at ?r ?w)))))"
        " (sometime (sampled w1)))"
    )
    found = bound(tmp_path, text)
    ids = [rule.id for rule in found.rules]
    assert ids[:2] == ["problem-constraint-1[rover1]", "problem-constraint-1[rover2]"]
    assert ids[2] == "problem-constraint-2[rover1,w1,w1]" and ids[-1] == "problem-constraint-3"
    assert len(ids) == 2 + 2 * 9 + 1
    assert "problem-constraint-2-at(rover2,w3)" in found.atoms
    assert found.rules[0].kind == "desired" and found.rules[0].form == "constraint"
    assert str(found.rules[0].position) == "p.pddl:8"
    assert found.rules[-1].source == "(sometime (sampled w1))"


def test_an_untyped_list_does_not_take_the_type_of_the_next(tmp_path: Path) -> None:
    text = "(forall (?x) (forall (?w - waypoint) (always (or (sampled ?w) (= ?x ?w)))))"
    assert len(bound(tmp_path, text).rules) == len(rover_task().objects) * 3


def test_those_of_the_domain_come_first(tmp_path: Path) -> None:
    domain = DOMAIN.replace(" (:action go", " (:constraints (always (lit)))\n (:action go")
    found = bound(tmp_path, "(sometime (lit))", domain=domain)
    assert [rule.id for rule in found.rules] == ["domain-constraint-1", "problem-constraint-1"]
    assert str(found.rules[0].position) == "d.pddl:8"


@pytest.mark.parametrize("text", ["", "()", "(and)", "(and (and))"])
def test_none_at_all(tmp_path: Path, text: str) -> None:
    assert bound(tmp_path, text).rules == ()


def test_the_task_is_the_one_without_them(tmp_path: Path) -> None:
    files = written(tmp_path, DOMAIN, with_constraints("(always (lit))"))
    assert load_world(*map(str, files)).task.sha256 == rover_task().sha256
    with pytest.raises(UnsupportedError, match="':constraints' uses constraints"):
        load_task(*files)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(within 3 (lit))", "p.pddl:8: ':constraints' uses the timed constraint 'within', which"),
        ("(hold-during 1 2 (lit))", "the timed constraint 'hold-during'"),
        ("(hold-after 1 (lit))", "the timed constraint 'hold-after'"),
        ("(and\n (always-within 1 (lit) (lit)))", "p.pddl:9: ':constraints' uses the timed"),
        ("(preference p1 (always (lit)))", "':constraints' uses preferences"),
        ("(always (preference p1 (lit)))", "uses preferences"),
        ("(allways (lit))", "no constraint 'allways' (did you mean 'always'?)"),
        ("(always)", "'always' in ':constraints' must have the form (always CONDITION)"),
        ("(at start (lit))", "must have the form (at end CONDITION)"),
        ("(sometime-after (lit))", "(sometime-after CONDITION CONDITION)"),
        ("(always lit)", "p.pddl:8: ':constraints' has the word 'lit' where a condition"),
        ("(always (lot))", "unknown predicate 'lot' (did you mean 'lit'?)"),
        ("(always (sampled w9))", "undeclared object 'w9'"),
        ("(always (sampled cam))", "must be of type 'waypoint'"),
        ("(always (sampled ?w))", "undeclared variable '?w'"),
        ("(forall ?w (always (lit)))", "(forall (?VARIABLE ...) ...)"),
        ("(forall (?w - waypont) (always (sampled ?w)))", "(did you mean 'waypoint'?)"),
        ("(forall (?w) (forall (?w) (always (lit))))", "the variable '?w' twice"),
        ("always", "has no constraint here"),
    ],
)
def test_what_is_refused_is_named_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        bound(tmp_path, text)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("p.pddl:")
