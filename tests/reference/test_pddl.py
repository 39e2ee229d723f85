"""The reference PDDL reader and simulator on a small office, checked step by step by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference.pddl import (
    PddlTask,
    PlanError,
    ground_actions,
    load,
    parse_task,
    validate_plan,
)
from tests.reference.pddl_parser import PddlSyntaxError, parse_typed, read_expression

DOMAIN = """
; a robot that carries papers and keys between rooms
(define (domain Office)
  (:requirements :adl :action-costs)
  (:types paper key - item  item room)
  (:constants hall - room)
  (:predicates (at ?r - room) (in ?i - item ?r - room) (held ?i - item)
               (locked ?r - room) (door ?a ?b - room) (dusty ?i - item) (alarm))
  (:functions (distance ?a ?b - room) - number (total-cost) - number)
  (:action walk
    :parameters (?from ?to - room)
    :precondition (and (at ?from) (not (= ?from ?to))
                       (or (door ?from ?to) (door ?to ?from)) (not (locked ?to)))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) (distance ?from ?to))))
  (:action take
    :parameters (?i - item)
    :precondition (exists (?r - room) (and (at ?r) (in ?i ?r)))
    :effect (and (held ?i) (forall (?r - room) (not (in ?i ?r))) (increase (total-cost) 2)))
  (:action open
    :parameters (?r - room ?k - key)
    :precondition (and (locked ?r) (held ?k) (at hall))
    :effect (and (not (locked ?r)) (when (dusty ?k) (and (alarm) (not (dusty ?k))))))
  (:action drop-all
    :parameters ()
    :precondition (and (forall (?k - key) (imply (held ?k) (not (dusty ?k)))) (not (alarm)))
    :effect (and (forall (?i - item ?r - room)
                   (when (and (held ?i) (at ?r)) (and (in ?i ?r) (not (held ?i)))))
                 (increase (total-cost) 1)))
  (:action polish
    :parameters (?x - (either key room))
    :precondition ()
    :effect (and (not (dusty ?x)) (dusty ?x))))
"""

PROBLEM = """
(define (problem P1) (:domain office)
  (:objects vault lab - room  K1 - key  sheet - paper)
  (:init (at hall) (in k1 lab) (in sheet vault) (locked vault) (dusty k1) (not (alarm))
         (door hall vault) (door lab hall) (= (total-cost) 0)
         (= (distance hall vault) 10) (= (distance vault hall) 11)
         (= (distance hall lab) 4) (= (distance lab hall) 3))
  (:goal (and (held sheet) (exists (?r - room) (and (at ?r) (= ?r hall)))))
  (:metric minimize (total-cost)))
"""

PLAN = [
    "(walk hall lab)",
    "(take k1)",
    "(walk lab hall)",
    "(open vault k1)",
    "(walk hall vault)",
    "(take sheet)",
    "(walk vault hall)",
]


@pytest.fixture(name="office")
def fixture_office() -> PddlTask:
    return parse_task(DOMAIN, PROBLEM)


def test_the_initial_state_holds_the_positive_atoms(office: PddlTask) -> None:
    assert office.initial_state == {
        "(at hall)",
        "(in k1 lab)",
        "(in sheet vault)",
        "(locked vault)",
        "(dusty k1)",
        "(door hall vault)",
        "(door lab hall)",
    }


def test_a_plan_is_accepted_with_its_cost(office: PddlTask) -> None:
    assert validate_plan(office, PLAN) == 4 + 2 + 3 + 0 + 10 + 2 + 11


def test_without_a_metric_each_action_costs_one() -> None:
    task = parse_task(DOMAIN, PROBLEM.replace("(:metric minimize (total-cost))", ""))
    assert validate_plan(task, PLAN) == len(PLAN)


def test_case_and_missing_parentheses_do_not_matter(office: PddlTask) -> None:
    after = office.apply(office.initial_state, " Walk HALL lab ")
    assert "(at lab)" in after
    assert "(at hall)" not in after


def test_files_are_read_like_texts(tmp_path: Path, office: PddlTask) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "problem.pddl").write_text(PROBLEM, encoding="utf-8")
    assert load(tmp_path / "domain.pddl", tmp_path / "problem.pddl") == office


def test_applicable_actions_of_the_initial_state(office: PddlTask) -> None:
    # The vault is locked, nothing is in the hall; every held key (there is none) is clean.
    assert ground_actions(office, office.initial_state) == [
        "(walk hall lab)",
        "(drop-all)",
        "(polish hall)",
        "(polish vault)",
        "(polish lab)",
        "(polish k1)",
    ]


def test_universal_preconditions_look_at_all_objects(office: PddlTask) -> None:
    with_key = office.initial_state | {"(held k1)"}
    assert not office.applicable(with_key, "(drop-all)")
    assert office.applicable(with_key - {"(dusty k1)"}, "(drop-all)")
    assert not office.applicable(office.initial_state | {"(alarm)"}, "(drop-all)")


def test_conditional_effects_fire_only_under_their_condition(office: PddlTask) -> None:
    with_key = office.initial_state | {"(held k1)"}
    alarmed = office.apply(with_key, "(open vault k1)")
    assert alarmed == with_key - {"(locked vault)", "(dusty k1)"} | {"(alarm)"}
    clean = office.apply(with_key - {"(dusty k1)"}, "(open vault k1)")
    assert clean == with_key - {"(locked vault)", "(dusty k1)"}


def test_universal_effects_reach_all_items(office: PddlTask) -> None:
    state = frozenset({"(at vault)", "(held k1)", "(held sheet)"})
    assert office.apply(state, "(drop-all)") == {"(at vault)", "(in k1 vault)", "(in sheet vault)"}


def test_an_atom_both_deleted_and_added_is_true(office: PddlTask) -> None:
    assert "(dusty k1)" in office.apply(office.initial_state, "(polish k1)")
    assert "(dusty lab)" in office.apply(office.initial_state, "(polish lab)")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("(walk hall vault)", "not applicable"),
        ("(walk hall hall)", "not applicable"),
        ("(fly hall lab)", "no action"),
        ("()", "no action"),
        ("(walk hall)", "1 arguments, not 2"),
        ("(walk hall attic)", "no object"),
        ("(walk hall k1)", "room"),
        ("(polish sheet)", "either|key"),
    ],
)
def test_wrong_steps_are_refused_with_the_reason(office: PddlTask, name: str, reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        office.apply(office.initial_state, name)


def test_a_wrong_plan_names_the_step_or_the_missed_goal(office: PddlTask) -> None:
    with pytest.raises(PlanError, match=r"step 2: \(take sheet\)"):
        validate_plan(office, ["(walk hall lab)", "(take sheet)"])
    with pytest.raises(PlanError, match="goal"):
        validate_plan(office, PLAN[:-1])


def test_plans_start_from_any_atoms(office: PddlTask) -> None:
    state = frozenset({"(at vault)", "(in sheet vault)", "(door hall vault)"})
    assert validate_plan(office, PLAN[-2:], state=state) == 13
    assert validate_plan(office, [], state=frozenset({"(at hall)", "(held sheet)"})) == 0


def test_subtypes_count_as_their_ancestors(office: PddlTask) -> None:
    assert office.objects_of(("item",)) == ["k1", "sheet"]
    assert office.objects_of(("key",)) == ["k1"]
    assert office.objects_of(("paper", "room")) == ["hall", "vault", "lab", "sheet"]
    assert office.objects_of(("object",)) == ["hall", "vault", "lab", "k1", "sheet"]


def test_typed_lists_group_names_before_their_type() -> None:
    words = read_expression("(a b - t c - (either t u) d)")
    typed = [(entry.name, entry.types) for entry in parse_typed(words)]
    assert typed == [("a", ("t",)), ("b", ("t",)), ("c", ("t", "u")), ("d", ("object",))]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(:domain office)", "(:domain home)", "for home, not office"),
        ("(:metric minimize (total-cost))", "(:metric maximize (total-cost))", "maximize"),
        ("(:metric minimize (total-cost)))", "(:metric minimize (total-cost))", "balanced"),
        ("(:goal", "(:wish", ":wish"),
    ],
)
def test_wrong_problems_are_refused(old: str, new: str, reason: str) -> None:
    assert old in PROBLEM
    with pytest.raises(ValueError, match=reason):
        parse_task(DOMAIN, PROBLEM.replace(old, new))


def test_derived_predicates_and_surplus_parentheses_are_refused() -> None:
    with pytest.raises(PddlSyntaxError, match=":derived"):
        parse_task(DOMAIN.rstrip()[:-1] + "(:derived (alarm) (at hall)))", PROBLEM)
    with pytest.raises(PddlSyntaxError, match="too many"):
        parse_task(DOMAIN + ")", PROBLEM)


def test_deep_nesting_is_read_without_recursion() -> None:
    depth = 50_000
    read = read_expression("(" * depth + ")" * depth)
    for _ in range(depth - 1):
        (inner,) = read
        assert isinstance(inner, list)
        read = inner
    assert read == []
