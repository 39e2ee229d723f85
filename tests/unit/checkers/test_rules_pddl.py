"""The validator of traces on PDDL files: a rover of our own, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from bugsieve.rooms.rules.checker import rules_pddl_states
from bugsieve.rooms.rules.checker.rules_pddl import (
    CertificateError,
    PddlChecker,
    RefusedPddlError,
    check_trace,
    validate_plan,
)

DOMAIN = """
(define (domain Rover) ; a comment (with a parenthesis
  (:requirements :adl :action-costs)
  (:types rover instrument - thing waypoint - object arm camera - instrument)
  (:constants base - waypoint)
  (:predicates (at ?r - rover ?w - waypoint) (on-board ?i - instrument ?r - rover)
    (stowed ?i - instrument) (path ?a ?b - waypoint) (sampled ?w - waypoint)
    (dusty ?x - (either rover instrument)))
  (:functions (total-cost) - number (distance ?a ?b) - number)
  (:constraints (always (stowed a1)))
  (:action drive
    :parameters (?r - rover ?a ?b - waypoint)
    :precondition (and (at ?r ?a) (not (= ?a ?b)) (or (path ?a ?b) (path ?b ?a))
      (forall (?i - instrument) (imply (on-board ?i ?r) (stowed ?i))))
    :effect (and (not (at ?r ?a)) (at ?r ?b) (increase (total-cost) (distance ?a ?b))
      (forall (?i - instrument) (when (on-board ?i ?r) (dusty ?i)))))
  (:action UNSTOW :parameters (?i - instrument)
    :precondition (stowed ?i) :effect (not (stowed ?i)))
  (:action stow :parameters (?i - instrument) :effect (stowed ?i))
  (:action take :parameters (?r - rover ?i - arm ?w - waypoint)
    :precondition (and (at ?r ?w) (exists (?j - arm) (and (= ?i ?j) (not (stowed ?j)))))
    :effect (and (sampled ?w) (not (sampled ?w)) (when (dusty ?i) (not (dusty ?i))))))
"""
PROBLEM = """
(define (problem p) (:domain rover)
  (:objects r1 - rover a1 - arm c1 - camera rock - waypoint)
  (:init (at r1 base) (on-board A1 R1) (stowed a1) (path base rock) (= (total-cost) 0)
    (= (distance base rock) 3) (not (dusty a1)))
  (:goal (and (sampled rock) (at r1 base)))
  (:metric minimize (total-cost)))
"""
PLAN = [
    "(drive r1 base rock)",
    "(unstow a1)",
    "(TAKE r1 a1 rock)",
    "(stow a1)",
    "(drive r1 rock base)",
]
ATOMS = {
    "moving": "(did drive r1 * *)",
    "stowed": "(forall (?i - instrument) (imply (on-board ?i r1) (stowed ?i)))",
    "dusty": "(exists (?i - instrument) (dusty ?i))",
    "sampled": "(sampled rock)",
    "home": "(exists (?w - waypoint) (did drive r1 ?w base))",
}


def certificate(formula: str, actions: list[str], **changes: Any) -> dict[str, Any]:
    names = {name for name in ATOMS if name in formula}
    trace = {"operators": [0] * len(actions), "actions": actions, "loop_start": None}
    return {
        "certificate": 1,
        "kind": "trace",
        "task": {"name": "rover", "sha256": ""},
        "rule": formula,
        "claim": "trap",
        "view": "neutral",
        "formula": formula,
        "atoms": dict.fromkeys(names, True),
        "with_goal": False,
        "lasso": False,
        "trace": trace,
        **changes,
    }


def test_a_plan() -> None:
    validate_plan(DOMAIN, PROBLEM, PLAN)
    validate_plan(DOMAIN, PROBLEM, PLAN[:2], must_reach_goal=False)
    with pytest.raises(CertificateError, match="the goal does not hold at the end"):
        validate_plan(DOMAIN, PROBLEM, PLAN[:2])


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("(drive r1 rock base)", r"step 1: \(drive r1 rock base\) is not applicable"),
        ("(drive r1 base base)", "not applicable"),
        ("(take r1 a1 base)", "not applicable"),
        ("(fly r1)", "the domain has no such action"),
        ("(stow)", "must have 1 arguments"),
        ("(stow a7)", "there is no object a7"),
        ("(stow r1)", r"r1 has not the type of \?i"),
        ("(take r1 c1 base)", r"c1 has not the type of \?i"),
        ("stow a1", "is no action in parentheses"),
        ("()", "the domain has no such action"),
    ],
)
def test_steps_that_fail(step: str, sentence: str) -> None:
    with pytest.raises(CertificateError, match=sentence) as caught:
        validate_plan(DOMAIN, PROBLEM, [step], must_reach_goal=False)
    assert not isinstance(caught.value, RefusedPddlError)


@pytest.mark.parametrize(
    "formula",
    [
        "X(moving & stowed & dusty) & X X(!moving & !stowed)",
        "!moving & G(moving -> stowed)",
        "F(sampled & X(stowed & X home))",
        "X(dusty U (sampled & !dusty))",
        "G(home -> sampled) & F home",
    ],
)
def test_formulas_on_the_plan(formula: str) -> None:
    check_trace(DOMAIN, PROBLEM, certificate(formula, PLAN, with_goal=True), ATOMS)
    with pytest.raises(CertificateError, match="does not satisfy the formula"):
        check_trace(DOMAIN, PROBLEM, certificate(f"!({formula})", PLAN), ATOMS)


def test_claims_are_about_the_rule() -> None:
    changes: dict[str, Any] = {"claim": "violation", "view": "strong"}
    rule = "G(moving -> !stowed)"
    made = certificate("F(moving & stowed)", PLAN[:1], rule=rule, **changes)
    check_trace(DOMAIN, PROBLEM, made, ATOMS)
    made = certificate("F(moving)", PLAN[:1], rule=rule, **changes)
    with pytest.raises(CertificateError):
        check_trace(DOMAIN, PROBLEM, made, ATOMS)


def test_lassos() -> None:
    trace = {
        "operators": [0] * 4,
        "actions": ["(unstow a1)", "(stow a1)", "(unstow a1)", "(stow a1)"],
        "loop_start": 2,
    }
    made = certificate("G F stowed & G F !stowed & G !moving", [], trace=trace, lasso=True)
    check_trace(DOMAIN, PROBLEM, made, ATOMS)
    with pytest.raises(CertificateError, match="not the one that loop_start says"):
        check_trace(DOMAIN, PROBLEM, {**made, "trace": {**trace, "loop_start": 1}}, ATOMS)


def test_the_goal_and_the_atoms_must_be_there() -> None:
    with pytest.raises(CertificateError, match="does not end in a goal state"):
        check_trace(DOMAIN, PROBLEM, certificate("X moving", PLAN[:1], with_goal=True), ATOMS)
    with pytest.raises(CertificateError, match="there is no PDDL condition of moving"):
        check_trace(DOMAIN, PROBLEM, certificate("X moving", PLAN[:1]), {})
    none = certificate("true", []) | {"kind": "none", "proof": {"by": "rerun"}}
    del none["trace"]
    with pytest.raises(CertificateError, match="has no trace"):
        check_trace(DOMAIN, PROBLEM, none, {})


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("(:constraints", "(:derived (x) (stowed a1)) (:constraints", "the domain has :derived"),
        ("(:action stow", "(:durative-action stow", "the domain has :durative-action"),
        ("(sampled ?w) (not", "(oneof (sampled ?w) (and)) (not", "action take has 'oneof'"),
        (":effect (stowed ?i)", ":effect (assign (distance ?i ?i) 3)", "action stow has 'assign'"),
        (":precondition (stowed ?i)", ":precondition (> (total-cost) 1)", "unstow has '>'"),
        (":precondition (stowed ?i)", ":precondition (= (total-cost) 1)", "compares numbers"),
        (":effect (stowed ?i)", ":effects (stowed ?i)", "action stow has a key twice, or one"),
        (":effect (stowed ?i)", ":effect", "must be made of keys and values"),
        (":effect (stowed ?i)", ":effect (stowed ?j)", r"has \?j, which is no object"),
        (":effect (stowed ?i)", ":effect (stowed ?i ?i)", "must have 1 arguments"),
        (":effect (stowed ?i)", ":effect (stored ?i)", "no atom of a predicate"),
        (":effect (stowed ?i)", ":effect stowed", "has an effect that is none"),
        (
            "(?i - instrument) :effect",
            "(?i - instruments) :effect",
            "there is no type instruments",
        ),
        ("(define (domain Rover)", "(define (domain Rovers)", "the problem is for rover, not"),
        ("(:action UNSTOW", "(:action stow", "there are two actions stow"),
        ("(:predicates", "(:predicates) (:predicates", "the domain has :predicates twice"),
        ("(define (domain Rover)", "(define (Rover)", "must begin with"),
        ("(:types rover", "(:types - rover", "have a type for nothing"),
    ],
)
def test_what_is_refused_in_domains(old: str, new: str, sentence: str) -> None:
    assert old in DOMAIN
    with pytest.raises(RefusedPddlError, match=sentence):
        validate_plan(DOMAIN.replace(old, new), PROBLEM, ["(stow a1)"], must_reach_goal=False)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("(:goal", "(:gaol", "the problem lacks :goal"),
        ("(:metric", "(:timing", "the problem has :timing"),
        ("(stowed a1)", "(stowed a9)", "a9, which is no object"),
        ("(stowed a1)", "(at 5 (stowed a1))", "which is no atom"),
        ("(stowed a1)", "stowed", "must be made of atoms"),
        ("(and (sampled rock)", "(and (< (total-cost) 3)", "the goal has '<'"),
        ("(and (sampled rock)", "(and (preference x (sampled rock))", "the goal has 'preference'"),
        ("(:metric", "extra (:metric", "no section"),
        ("(:metric", "(:metric))", "closes nothing|one expression"),
    ],
)
def test_what_is_refused_in_problems(old: str, new: str, sentence: str) -> None:
    assert old in PROBLEM
    with pytest.raises(RefusedPddlError, match=sentence):
        validate_plan(DOMAIN, PROBLEM.replace(old, new, 1), [])


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("(did fly r1)", "'did' without an action"),
        ("(did stow)", "must have 1 arguments"),
        ("(did stow a9)", "a9, which is no object"),
        ("(stowed *)", "which is no object"),
        ("stowed", "no condition"),
        ("(not)", "has not with 0 parts"),
        ("(forall ?x (stowed ?x))", "variables in parentheses"),
        ("(forall (x) (stowed a1))", "does not begin"),
        ("(> (total-cost) 3)", "which the validator does not know"),
        ("(and", "must be one expression"),
    ],
)
def test_what_is_refused_in_atoms(condition: str, sentence: str) -> None:
    with pytest.raises(RefusedPddlError, match=sentence):
        check_trace(DOMAIN, PROBLEM, certificate("moving", []), {"moving": condition})


def test_did_is_no_word_of_domains() -> None:
    domain = DOMAIN.replace(":precondition (stowed ?i)", ":precondition (did stow ?i)")
    with pytest.raises(RefusedPddlError, match="no atom of a predicate"):
        validate_plan(domain, PROBLEM, ["(unstow a1)"])


def test_much_work_and_deep_nesting_end_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_pddl_states, "MAX_WORK", 100_000)
    many = " ".join(f"?x{i}" for i in range(60))
    wide = {"moving": f"(forall ({many}) (= ?x0 ?x0))"}
    with pytest.raises(CertificateError, match="too long"):
        check_trace(DOMAIN, PROBLEM, certificate("moving", []), wide)
    deep = {"moving": "(not " * 500 + "(sampled rock)" + ")" * 500}
    with pytest.raises(RefusedPddlError, match="nested deeper"):
        check_trace(DOMAIN, PROBLEM, certificate("moving", []), deep)
    nested = "(and " * 100 + "(sampled rock)" + ")" * 100
    validate_plan(DOMAIN, PROBLEM.replace("(sampled rock)", nested), PLAN)


def test_each_trace_has_all_the_work_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_pddl_states, "MAX_WORK", 500)
    checker = PddlChecker(DOMAIN, PROBLEM)
    for _ in range(20):
        checker.check(certificate("F dusty", PLAN), ATOMS)
        with pytest.raises(CertificateError, match="does not satisfy"):
            checker.check(certificate("G dusty", PLAN), ATOMS)
