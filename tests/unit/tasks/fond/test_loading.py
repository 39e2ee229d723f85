"""PDDL with `oneof` as a model: outcomes, conditions, and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import BugsieveError, InputError, UnsupportedError
from bugsieve.rooms.jani.fond.loading import load_fond
from bugsieve.rooms.jani.fond.outcomes import MAX_OUTCOMES, base_name
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider

DOMAIN = """
(define (domain trip)
 (:requirements :typing :non-deterministic)
 (:types place)
 (:predicates (at ?p - place) (road ?a ?b - place) (flat) (spare ?p - place) (rough ?p - place))
 (:action drive
  :parameters (?a ?b - place)
  :precondition (and (at ?a) (road ?a ?b) (not (flat)))
  :effect (and (not (at ?a)) (at ?b) EFFECT))
 (:action mend
  :parameters (?a - place)
  :precondition (and (at ?a) (flat) (spare ?a))
  :effect (and (not (flat)) (not (spare ?a)))))
"""
PROBLEM = """
(define (problem home)
 (:domain trip)
 (:objects office north south home - place)
 (:init (at office) (road office north) (road office south) (road north home) (road south home)
        (spare north) (rough north) (rough south))
 (:goal (at home)))
"""
STRANDED = "(and (flat) (exists (?p - place) (and (at ?p) (not (spare ?p)) (not (= ?p home)))))"
TYRE = "(when (rough ?b) (oneof (and) (flat)))"


def load(
    folder: Path, effect: str = TYRE, unsafe: str = STRANDED, problem: str = PROBLEM
) -> JaniModel:
    domain_file, problem_file = folder / "domain.pddl", folder / "problem.pddl"
    domain_file.write_text(DOMAIN.replace("EFFECT", effect))
    problem_file.write_text(problem)
    return load_fond(domain_file, problem_file, unsafe, cache=False)


def outcomes(model: JaniModel, action: str) -> set[frozenset[str]]:
    """The atoms that are true after an action in the initial state."""
    assert model.start_states is not None
    expansion = model.expand(model.start_states)
    place = [model.actions[number] for number in expansion.actions].index(action)
    first, last = expansion.outcome_offsets[place : place + 2]
    return {
        frozenset(name for name, value in model.values(state).items() if value)
        for state in expansion.outcomes[first:last]
    }


def test_outcomes_of_one_action(tmp_path: Path) -> None:
    model = load(tmp_path)
    calm = frozenset({"(at north)", "(spare north)"})
    assert outcomes(model, "(drive office north)") == {calm, calm | {"(flat)"}}
    assert set(model.actions) == {
        "(drive office north)",
        "(drive office south)",
        "(drive north home)",
        "(drive south home)",
        "(mend north)",
    }


def test_only_the_road_with_a_spare_tyre_is_safe(tmp_path: Path) -> None:
    model = load(tmp_path)
    decider = SafetyDecider(model.system.copy())
    assert model.start_states is not None
    assert decider.decide(model.pack(model.start_states))[0] is Safety.SAFE
    south = model.state(
        {v.name: v.name in ("(at south)", "(spare north)", "(flat)") for v in model.variables}
    )
    assert model.is_unsafe(south[None]).tolist() == [True]
    without = PROBLEM.replace("(spare north)", "")
    model = load(tmp_path, problem=without)
    assert model.start_states is not None
    decider = SafetyDecider(model.system.copy())
    assert decider.decide(model.pack(model.start_states))[0] is Safety.LOST


def test_choices_are_independent_and_nest(tmp_path: Path) -> None:
    effect = "(oneof (flat) (oneof (and) (spare ?b))) (oneof (rough ?a) (and))"
    model = load(tmp_path, effect)
    here = frozenset({"(at south)", "(spare north)"})
    assert outcomes(model, "(drive office south)") == {
        here | set(tyre) | set(spare)
        for tyre in ([], ["(flat)"], ["(spare south)"])
        for spare in ([], ["(rough office)"])
    }


def test_probabilities_are_choices(tmp_path: Path) -> None:
    model = load(tmp_path, "(probabilistic 0.3 (flat) 1/2 (spare ?b) 0 (spare ?a))")
    here = frozenset({"(at south)", "(spare north)"})
    assert outcomes(model, "(drive office south)") == {
        here,
        here | {"(flat)"},
        here | {"(spare south)"},
    }


def test_goals_may_be_out_of_reach_or_disjunctive(tmp_path: Path) -> None:
    model = load(
        tmp_path, problem=PROBLEM.replace("(:goal (at home))", "(:goal (road home office))")
    )
    assert model.start_states is not None
    assert not model.is_goal(model.start_states).any()
    either = PROBLEM.replace("(:goal (at home))", "(:goal (or (at office) (at home)))")
    model = load(tmp_path, problem=either)
    assert model.start_states is not None
    assert model.is_goal(model.start_states).all()


def test_an_action_that_does_nothing_stays(tmp_path: Path) -> None:
    model = load(tmp_path, "(oneof (and) (flat))")
    model_with_rest = DOMAIN.replace(
        "(:action mend", "(:action rest :parameters () :precondition (and))\n (:action mend"
    )
    (tmp_path / "rest.pddl").write_text(model_with_rest.replace("EFFECT", TYRE))
    model = load_fond(tmp_path / "rest.pddl", tmp_path / "problem.pddl", STRANDED, cache=False)
    assert outcomes(model, "(rest)") == {frozenset({"(at office)", "(spare north)"})}


@pytest.mark.parametrize(
    ("effect", "error", "sentence"),
    [
        ("(forall (?p - place) (oneof (spare ?p) (and)))", UnsupportedError, "inside 'forall'"),
        ("(oneof)", InputError, "domain.pddl:9: 'oneof' in action 'drive' has no outcomes"),
        ("(probabilistic 0.7 (flat) 0.7 (and))", InputError, "sum to 1.4"),
        ("(probabilistic much (flat))", InputError, "must be from 0 to 1"),
        ("(probabilistic 0.5)", InputError, "pairs of probability and effect"),
        ("(oneof (flatt) (and))", InputError, "domain.pddl:9: .*flatt"),
        ("(oneof (flat) (and)) " * 12, UnsupportedError, f"more than {MAX_OUTCOMES} outcomes"),
    ],
)
def test_bad_effects(
    tmp_path: Path, effect: str, error: type[BugsieveError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        load(tmp_path, effect)


@pytest.mark.parametrize(
    ("unsafe", "sentence"),
    [
        ("(falt)", "unsafe condition:1: .*'falt'.*flat"),
        ("(at hom)", "'hom'"),
        ("(and (flat)", "unsafe condition"),
        ("", "unsafe condition"),
        ("(or)", "never holds in a state"),
        ("(not (at nowhere-at-all))", "nowhere-at-all"),
        ("(road office north)", "holds in every state"),
    ],
)
def test_bad_conditions(tmp_path: Path, unsafe: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        load(tmp_path, unsafe=unsafe)


def test_names_of_operators() -> None:
    assert base_name("(drive[2] a b)") == "(drive a b)"
    assert base_name("rest") == "(rest)"
