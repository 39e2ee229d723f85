"""What becomes of mutants."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.domain_testing import mutation
from bugsieve.rooms.domain_testing.mutation import (
    MutantResult,
    MutationOptions,
    MutationTest,
    score_of,
)
from bugsieve.rooms.domain_testing.suite_runs import RunOptions
from bugsieve.rooms.domain_testing.worlds import Files
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files, write_suite

BEST = {"label": "best", "minLength": 3, "maxLength": 3}
RULE = {
    "label": "rule",
    "requirement": {"forall": "?l - lamp", "ltl": "G(lit(?l) -> wired(?l))"},
    "atoms": {
        "lit(?l - lamp)": "(exists (?s - switch) (did light ?s ?l))",
        "wired(?l - lamp)": "(exists (?s - switch) (wired ?s ?l))",
    },
}


def results(
    folder: Path,
    *cases: dict[str, Any],
    options: MutationOptions | None = None,
    most: int | None = None,
) -> list[MutantResult]:
    test = MutationTest(write_suite(folder, *cases), Files(), options or MutationOptions())
    return list(test.run(test.mutants[:most]))


@pytest.fixture(scope="module")
def best(tmp_path_factory: pytest.TempPathFactory) -> list[MutantResult]:
    return results(tmp_path_factory.mktemp("best"), BEST)


def fates(found: list[MutantResult]) -> dict[str, str]:
    return {result.mutant.description: result.fate for result in found}


def test_fates_by_hand(best: list[MutantResult]) -> None:
    """The one plan: light a, pass a b, light a."""
    found = fates(best)
    assert found["light: without (wired ?s ?l)"] == "killed"  # two lights do
    assert found["pass: without (not (on ?l))"] == "killed"  # nothing to light again
    assert found["light: with the further effect (not (wired ?s ?l))"] == "killed"
    assert found["light: without (not (on ?l))"] == "survived"  # lights what is lit
    assert found["pass: with the further effect (not (next ?l ?m))"] == "survived"
    assert found["light: ?s - object instead of ?s - switch"] == "equivalent"
    assert Counter(found.values())["stillborn"] == 0


def test_stronger_cases_kill_more(tmp_path: Path, best: list[MutantResult]) -> None:
    few = results(tmp_path, {"label": "some plan"})
    killed = [{r.mutant.number for r in each if r.fate == "killed"} for each in (few, best)]
    assert killed[0] < killed[1]


def test_who_kills_is_said(best: list[MutantResult]) -> None:
    (lit,) = [r for r in best if r.mutant.description == "light: without (wired ?s ?l)"]
    assert lit.reason == "case 1 (best): bounds: out of bounds"


def test_rules_kill(tmp_path: Path) -> None:
    found = results(tmp_path, RULE, most=4)
    assert fates(found)["light: without (wired ?s ?l)"] == "killed"
    (lit,) = [r for r in found if r.mutant.description == "light: without (wired ?s ?l)"]
    assert lit.reason == "case 1 (rule): requirement[b]: violated"


def test_a_spent_budget_kills_nothing(tmp_path: Path) -> None:
    options = MutationOptions(RunOptions(expansions=0))
    found = results(tmp_path, BEST, options=options, most=8)
    assert score_of(found).killed == 0
    assert {r.reason for r in found if r.fate == "survived"} == {"undecided: case 1 (best)"}


def test_what_cannot_be_compared_is_not_equivalent(
    best: list[MutantResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutation, "compare_tasks", lambda *_, **__: "unknown")
    found = results(tmp_path, BEST, most=3)
    assert [result.fate for result in best[:3]] == ["equivalent", "equivalent", "killed"]
    assert [result.fate for result in found] == ["survived", "survived", "killed"]


def test_stillborn_mutants_do_not_count(tmp_path: Path) -> None:
    """Without `p` of its own the goal is a disjunction, which we do not take."""
    domain = """(define (domain d) (:types t) (:predicates (p ?x - t) (q ?x - t) (g))
      (:action a :parameters (?x - t) :precondition (p ?x) :effect (and (q ?x) (g))))"""
    problem = """(define (problem p) (:domain d) (:objects x y - t) (:init (p x))
      (:goal (or (q y) (and (q x) (g)))))"""
    write_files(tmp_path, domain=domain, problem=problem)
    suite = write_suite(tmp_path, {"label": "plan"}, domain=domain, problem=problem)
    found = list(MutationTest(suite, Files(), MutationOptions()).run())
    (dropped,) = [r for r in found if r.mutant.kind == "drop-precondition"]
    assert dropped.fate == "stillborn"
    assert "'or'" in dropped.reason
    score = score_of(found)
    assert score.counted == len(found) - score.stillborn - score.equivalent


def test_the_ratio_is_of_those_that_count(best: list[MutantResult]) -> None:
    score = score_of(best)
    assert score.ratio == score.killed / (score.killed + score.survived)
    assert score_of([]).ratio is None


def test_a_case_whose_files_are_wrong_is_named(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST, {"label": "lost", "problem": "nowhere.pddl"})
    with pytest.raises(InputError, match=r"case 2 \(lost\): .*nowhere\.pddl: there is no such"):
        MutationTest(suite, Files(), MutationOptions())


def test_one_domain_must_be_meant(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST)
    with pytest.raises(UsageError, match="no case uses the domain"):
        MutationTest(suite, Files(), MutationOptions(), domain=tmp_path / "other.pddl")


def test_only_cases_of_the_domain_count(tmp_path: Path) -> None:
    (tmp_path / "other.pddl").write_text(DOMAIN)
    suite = write_suite(tmp_path, BEST, {"label": "else", "domain": "other.pddl"})
    test = MutationTest(suite, Files(), MutationOptions())
    assert [case.label for case in test.cases] == ["best"]
    assert test.problems == [tmp_path / "problem.pddl"]
    assert (tmp_path / "problem.pddl").read_text() == PROBLEM  # nothing is written


def test_mutants_keep_the_constraints(tmp_path: Path) -> None:
    """The plan breaks one of them, which no mistake in an action mends."""
    (tmp_path / "two.plan").write_text("(light s a)\n(pass a b)\n(light s a)\n")
    case = {"label": "never", "expectedPlans": ["two.plan"], "expect": "plan-invalid"}
    domain = DOMAIN.replace("(:predicates", "(:constants b - lamp)\n(:predicates")
    domain = domain.replace(
        "(:action light", "(:constraints (always (not (on b))))\n(:action light"
    )
    suite = write_suite(tmp_path, case, domain=domain, problem=PROBLEM.replace("a b -", "a -"))
    test = MutationTest(suite, Files(), MutationOptions())
    assert test.baseline[0].outcome == "pass"
    assert {one.fate for one in test.run(test.mutants[:12])} == {"survived", "equivalent"}
