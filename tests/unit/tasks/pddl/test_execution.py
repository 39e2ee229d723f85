"""Actions on sets of atoms, against the simulator of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.base.seeds import Stream
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.execution import Interpreter
from tests.depth import examples
from tests.property.pddl_strategies import seeded_pddl
from tests.reference import pddl

STEPS = 6


def read(folder: Path, domain: str, problem: str) -> Interpreter:
    paths = folder / "domain.pddl", folder / "problem.pddl"
    for path, text in zip(paths, (domain, problem), strict=True):
        path.write_text(text)
    return Interpreter(check_pddl(*paths))


def names_of(task: pddl.PddlTask) -> list[str]:
    return [
        f"({' '.join([action.name, *binding.values()])})"
        for action in task.domain.actions.values()
        for binding in task.bindings(action.parameters)
    ]


def test_random_walks(tmp_path: Path) -> None:
    applied = refused = 0
    for seed in range(examples(300, quick=40)):
        text = seeded_pddl(seed)
        try:
            ours = read(tmp_path, text.domain, text.problem)
        except InputError:
            continue
        theirs = pddl.parse_task(text.domain, text.problem)
        names, draws = names_of(theirs), Stream(seed, "walk")
        state = ours.initial
        assert state == theirs.initial_state
        for _ in range(STEPS):
            possible = set(pddl.ground_actions(theirs, state))
            for name in names:
                assert (not ours.unmet(state, ours.step(name))) == (name in possible)
            assert (not ours.unmet_goal(state)) == theirs.holds_goal(state)
            refused += len(names) - len(possible)
            if not possible:
                break
            step = ours.step(draws.choice(sorted(possible)))
            assert ours.cost(step) == theirs.cost(step.text)
            after = ours.apply(state, step)
            assert after == theirs.apply(state, step.text)
            state, applied = after, applied + 1
    assert applied > 50 and refused > 50


COSTS = """(define (domain d) (:types t) (:predicates (p ?x - t)) (:functions (price ?x - t) (fee))
  (:action a :parameters (?x - t) :effect (and (p ?x) (increase (total-cost) (price ?x))))
  (:action b :parameters () :effect (increase (total-cost) fee))
  (:action c :parameters () :effect (increase (total-cost) 7))
  (:action d :parameters () :effect (and)))"""
PROBLEM = """(define (problem q) (:domain d) (:objects x y - t)
  (:init (= (price x) 3) (= (fee) 2) (= (total-cost) 0)) (:goal (p x))
  (:metric minimize (total-cost)))"""


def test_costs(tmp_path: Path) -> None:
    task = read(tmp_path, COSTS, PROBLEM)
    costs = [task.cost(task.step(name)) for name in ("(a x)", "(b)", "c", "(d)")]
    assert costs == [3, 2, 7, 0]
    with pytest.raises(InputError, match=r"no value to \(price y\), the cost of \(a y\)"):
        task.cost(task.step("(a y)"))
    free = read(tmp_path, COSTS, PROBLEM.replace("(:metric minimize (total-cost))", ""))
    assert free.cost(free.step("(a y)")) == 1
