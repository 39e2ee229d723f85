"""Coverage by plans, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.domain_testing.coverage import MAX_PARTS, percentages
from bugsieve.rooms.domain_testing.coverage_runs import CoverageRun, cover
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.search import Limits
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files


def covered(folder: Path, *plans: str, expansions: int = 1000, **files: str) -> CoverageRun:
    write_files(folder, **files)
    paths = []
    for number, text in enumerate(plans):
        paths.append(folder / f"{number}.plan")
        paths[-1].write_text(text)
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    return cover(domain, [problem], paths, Files(), Limits(expansions=expansions))


def missing(found: CoverageRun) -> list[str]:
    return [item.title for item in found.coverage.missing()]


def test_the_empty_plan_meets_one_state(tmp_path: Path) -> None:
    found = covered(tmp_path, "; nothing\n(light s a)\n")
    # (light s b): only wired fails. In the second state, (light s a): only not on does, and
    # (pass a a): only next. Nobody but `on` keeps (pass a b) from happening in the first.
    assert missing(found) == ["pass", "pass: (not (on ?l))", "pass: (on ?m)"]


def test_all_is_covered(tmp_path: Path) -> None:
    found = covered(tmp_path, "(light s a)\n(pass a b)\n(light s a)\n")
    assert missing(found) == []
    assert list(percentages(found.coverage)) == [
        "actions used: 2 of 2 (100 %)",
        "parts of preconditions that alone failed: 4 of 4 (100 %)",
        "effects that changed something: 3 of 3 (100 %)",
    ]


def test_an_effect_that_changes_nothing_is_not_covered(tmp_path: Path) -> None:
    domain = DOMAIN.replace("(wired ?s ?l) (not (on ?l))", "(wired ?s ?l)")
    problem = PROBLEM.replace("(:init", "(:init (on a)")
    found = covered(tmp_path, "(light s a)\n", domain=domain, problem=problem)
    assert "light: (on ?l)" in missing(found)
    assert "light" not in missing(found)


def test_a_precondition_that_never_fails_alone(tmp_path: Path) -> None:
    problem = PROBLEM.replace("(wired s a)", "(wired s a) (wired s b)")
    found = covered(tmp_path, "(light s a)\n(light s b)\n", problem=problem)
    assert "light: (wired ?s ?l)" in missing(found)


CONDITIONAL = """(define (domain d) (:types t) (:predicates (p ?x - t) (q ?x - t) (r))
  (:action a :parameters () :precondition (or (r) (not (r)))
    :effect (and (r) (forall (?x - t) (when (p ?x) (q ?x)))))
  (:action b :parameters (?x - t ?y - t)
    :precondition (and (not (p ?x)) (not (= ?x ?y)) (exists (?z - t) (q ?z))) :effect (p ?x)))"""


def conditional(init: str) -> str:
    return f"""(define (problem p) (:domain d) (:objects x y - t) (:init {init})
      (:goal (and (r) (q x))))"""


def test_conditional_effects_fire_and_do_not(tmp_path: Path) -> None:
    both = covered(tmp_path, "(a)\n", domain=CONDITIONAL, problem=conditional("(p x)"))
    assert [name for name in missing(both) if "when" in name] == []
    fires = covered(tmp_path, "(a)\n", domain=CONDITIONAL, problem=conditional("(p x) (p y)"))
    assert [name for name in missing(fires) if "when" in name] == [
        "a: (when (p ?x) …) does not fire"
    ]


def test_parts_that_are_no_atoms_fail_alone_too(tmp_path: Path) -> None:
    found = covered(tmp_path, "(a)\n(b y x)\n", domain=CONDITIONAL, problem=conditional("(p x)"))
    assert [name for name in missing(found) if name.startswith("b:")] == []
    assert "a: (or (r) (not (r)))" in missing(found)  # it never fails


def test_plans_are_looked_for(tmp_path: Path) -> None:
    found = covered(tmp_path)
    assert missing(found) == []
    assert found.plans == (f"a plan of 3 actions for {tmp_path / 'problem.pddl'}",)
    spent = covered(tmp_path, expansions=0)
    assert spent.plans == () and spent.without == (str(tmp_path / "problem.pddl"),)


def test_a_plan_of_another_problem(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0\.plan: is executable in none .* step 1"):
        covered(tmp_path, "(pass a b)\n")


def test_a_plan_belongs_where_it_reaches_the_goal(tmp_path: Path) -> None:
    write_files(tmp_path)
    other = tmp_path / "other.pddl"
    other.write_text(PROBLEM.replace("(and (on a) (on b))", "(on a)"))
    (tmp_path / "0.plan").write_text("(light s a)\n")
    problems = [tmp_path / "problem.pddl", other]
    plans = [tmp_path / "0.plan"]
    found = cover(tmp_path / "domain.pddl", problems, plans, Files(), Limits())
    assert found.plans == (f"{tmp_path / '0.plan'} on {other}",)


def test_very_many_parts_are_refused(tmp_path: Path) -> None:
    parts = " ".join(["(on ?l)"] * (MAX_PARTS + 1))
    domain = DOMAIN.replace("(and (on ?l) (next ?l ?m))", f"(and {parts})")
    with pytest.raises(UnsupportedError, match="precondition of more than 1000 parts"):
        covered(tmp_path, "(light s a)\n", domain=domain)
