"""Quantified conditions: compiled without axioms, with the meaning of the PDDL files."""

from __future__ import annotations

from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.tasks.grounded import derived
from bugsieve.tasks.grounded.sas_text import may_have_axioms, read_sas, write_sas
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import translate
from tests.reference.pddl import ground_actions, parse_task

TOWERS = """\
(define (domain towers) (:requirements :adl) (:types block)
 (:predicates (on ?x ?y - block) (down ?x - block) (wet ?x - block) (near ?x ?y - block))
 (:action lift :parameters (?x ?y - block)
  :precondition (and (on ?x ?y) (not (exists (?z - block) (on ?z ?x))))
  :effect (and (not (on ?x ?y)) (down ?x)))
 (:action put :parameters (?x ?y - block)
  :precondition (and (down ?x) (not (= ?x ?y))
                     (forall (?z - block) (not (or (on ?z ?x) (on ?z ?y)))))
  :effect (and (not (down ?x)) (on ?x ?y)))
 (:action wash :parameters (?x - block)
  :precondition (forall (?z - block) (imply (on ?z ?x) (wet ?z)))
  :effect (and (wet ?x)
    (forall (?y - block)
      (when (and (not (= ?x ?y)) (forall (?z - block) (imply (near ?y ?z) (wet ?z))))
            (not (wet ?y)))))))
"""


def towers_problem(goal: str, *, blocks: str = "a b c d") -> str:
    return (
        f"(define (problem rain) (:domain towers) (:objects {blocks} - block)"
        "(:init (on a b) (on b c) (down c) (down d) (near a b) (near b c) (near b d))"
        f"(:goal {goal}))"
    )


def load(folder: Path, goal: str, *, domain: str = TOWERS, blocks: str = "a b c d") -> Task:
    paths = folder / "domain.pddl", folder / "problem.pddl"
    paths[0].write_text(domain)
    paths[1].write_text(towers_problem(goal, blocks=blocks))
    return bugsieve.load_task(*paths, cache=False)


def assert_same_meaning(task: Task, goal: str, *, blocks: str = "a b c d", limit: int) -> int:
    """Compare breadth first with a simulation on the PDDL files; returns the number of goals."""
    simulated = parse_task(TOWERS, towers_problem(goal, blocks=blocks))
    queue, goals = [task.initial_state], 0
    seen = {task.facts(task.initial_state)}
    for state in queue:
        facts = task.facts(state)
        assert simulated.holds_goal(facts) == bool(task.is_goal(state)[0])
        goals += simulated.holds_goal(facts)
        successors, operators, _ = task.all_successors(state)
        names = [task.operator_names[operator] for operator in operators]
        assert set(names) == set(ground_actions(simulated, facts))
        for name, successor in zip(names, successors, strict=True):
            reached = task.facts(successor)
            assert reached == simulated.apply(facts, name)
            if reached not in seen and len(seen) < limit:
                seen.add(reached)
                queue.append(successor)
    return goals


def test_universal_conditions_mean_what_the_files_say(tmp_path: Path) -> None:
    goal = "(and (forall (?x - block) (not (on ?x a))) (on c d) (wet a))"
    task = load(tmp_path, goal)
    assert assert_same_meaning(task, goal, limit=10_000) > 0


def test_negated_atoms_of_large_variables_do_not_multiply(tmp_path: Path) -> None:
    goal, blocks = "(forall (?x - block) (wet ?x))", "a b c d e f g h"
    task = load(tmp_path, goal, blocks=blocks)
    # Spelling out "nothing is on x" would take more than 8**8 operators for each x.
    assert task.num_operators < 3_000
    assert_same_meaning(task, goal, blocks=blocks, limit=20)


def test_no_derived_fact_is_left(tmp_path: Path) -> None:
    task = load(tmp_path, "(wet a)")
    assert "axiom" not in task.to_sas()
    assert task.state(task.facts(task.initial_state)).tolist() == task.initial_state.tolist()


@pytest.mark.parametrize(
    ("goal", "place"),
    [
        ("(or (wet a) (wet b))", "1: the goal uses a disjunction ('or')"),
        ("(and (down a)\n (or (wet a) (wet b)))", "2: the goal uses a disjunction ('or')"),
        ("(exists (?x - block) (wet ?x))", "1: the goal uses a disjunction ('exists')"),
        (
            "(forall (?x - block)\n (or (wet ?x) (down ?x)))",
            "2: the goal uses a disjunction ('or')",
        ),
        (
            "(imply (wet a) (and (imply (near a c) (wet c))\n (or (down a) (wet b))))",
            "2: the goal",
        ),
        ("(not (and (wet a)\n (down b)))", "1: the goal uses a disjunction ('and')"),
    ],
)
def test_disjunctive_goals_are_refused(goal: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError) as caught:
        load(tmp_path, goal)
    assert f"problem.pddl:{place}" in str(caught.value)


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        ("(exists (?x - block) (and (near a ?x) (wet ?x)))", {"(wet b)"}),
        ("(forall (?x - block) (imply (near b ?x) (wet ?x)))", {"(wet c)", "(wet d)"}),
        ("(or (wet a) (near c a))", {"(wet a)"}),
        ("(not (or (on a b) (down a)))", {"(not (on a b))", "(not (down a))"}),
    ],
)
def test_goals_with_one_case_are_kept(goal: str, facts: set[str], tmp_path: Path) -> None:
    assert set(load(tmp_path, goal).goal_facts) == facts


def test_goals_that_never_or_always_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to test"):
        load(tmp_path, "(forall (?x - block) (near ?x a))")
    with pytest.raises(InputError, match="nothing to test"):
        load(tmp_path, "(forall (?x - block) (or (not (near ?x a)) (wet ?x)))")


def test_too_many_cases_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "MAX_CASES", 3)
    with pytest.raises(UnsupportedError, match=r"the quantified condition of action \(wash"):
        load(tmp_path, "(wet a)")


def test_text_survives_reading_and_writing() -> None:
    text = translate(TOWERS.encode(), towers_problem("(wet a)").encode(), name="p")
    assert may_have_axioms(text)
    task = read_sas(text)
    assert task.axioms
    task.axioms = []
    assert read_sas(write_sas(task)) == task


NONE_OF_THESE = """(define (domain d) (:requirements :strips :typing :existential-preconditions)
 (:types l) (:predicates (p ?x - l) (free))
 (:action put :parameters (?x - l) :precondition (free) :effect (and (p ?x) (not (free))))
 (:action take :parameters (?x - l) :precondition (p ?x) :effect (and (free) (not (p ?x))))
 (:action drop :parameters (?x - l) :precondition (p ?x) :effect (and (not (p ?x)))))"""


def test_a_goal_with_several_values_of_a_variable_is_refused(tmp_path: Path) -> None:
    """One of these values was taken for the goal, and reaching another for a failure."""
    (tmp_path / "domain.pddl").write_text(NONE_OF_THESE)
    (tmp_path / "problem.pddl").write_text(
        "(define (problem q) (:domain d) (:objects a b c - l) (:init (free))\n"
        " (:goal (exists (?x - l) (p ?x))))"
    )
    with pytest.raises(UnsupportedError, match=r":2: the goal uses a disjunction .'exists'"):
        bugsieve.load_task(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
