"""Planted mistakes, each found by its code and its line, and domains that have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.registry.families import FAMILIES
from bugsieve.rooms.domain_testing.lint.findings import CODES, LintFinding
from bugsieve.rooms.domain_testing.lint.run import lint
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.rooms.zoo.domains import generate
from tests.depth import examples
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files
from tests.unit.domain_testing.test_mistakes import MISTAKES


def found(folder: Path, domain: str = DOMAIN, *problems: str) -> list[LintFinding]:
    write_files(folder, domain=domain)
    paths = []
    for number, text in enumerate(problems):
        paths.append(folder / f"p{number}.pddl")
        paths[-1].write_text(text)
    return lint(folder / "domain.pddl", paths, Files())


def told(findings: list[LintFinding]) -> list[str]:
    """What stands out: most domains have predicates that never change."""
    return [each.text for each in findings if each.severity != "note"]


def codes(findings: list[LintFinding]) -> list[tuple[str, int]]:
    return [(each.code, each.line) for each in findings]


def test_a_sound_domain_has_nothing_to_tell(tmp_path: Path) -> None:
    assert told(found(tmp_path)) == told(found(tmp_path, DOMAIN, PROBLEM)) == []


def planted(old: str, new: str) -> str:
    assert DOMAIN.count(old) == 1
    return DOMAIN.replace(old, new)


LIGHT = "(and (wired ?s ?l) (not (on ?l)))"
IN_DOMAIN = [
    (planted("(on ?l - lamp)", "(on ?l - lamp) (off ?l - lamp)"), "unused-predicate", 4),
    (planted("lamp switch - object", "lamp switch door - object"), "unused-type", 3),
    (planted("(?l ?m - lamp)\n", "(?l ?m ?n - lamp)\n"), "unused-parameter", 10),
    (planted("(:predicates", "(:constants k - lamp)\n(:predicates"), "unused-constant", 4),
    (planted("(:action light", "(:functions (cost))\n(:action light"), "unused-function", 5),
    (planted(LIGHT, f"(forall (?x - lamp) {LIGHT})"), "unused-variable", 7),
    (
        planted(":effect (on ?l))\n", ":effect (and (on ?l) (not (on ?l))))\n"),
        "complementary-effects",
        8,
    ),
    (
        planted(LIGHT, "(and (on ?l) (wired ?s ?l)\n (not (on ?l)))"),
        "contradictory-precondition",
        8,
    ),
    (planted(LIGHT, "(and (wired ?s ?l) (not (= ?l ?l)))"), "contradictory-precondition", 7),
    (planted(LIGHT, "(and (wired ?s ?l) (not (on ?l)) (wired ?s ?l))"), "duplicate-literal", 7),
    (planted(":effect (on ?l))\n", ":effect (and (on ?l) (on ?l)))\n"), "duplicate-literal", 8),
    (planted(":effect (on ?l))\n", ":effect (and))\n"), "no-effect", 5),
    (
        planted(":effect (on ?l))\n", ":effect (and (on ?l) (wired ?s ?l)))\n"),
        "redundant-effect",
        8,
    ),
    (
        planted(LIGHT, "(and (wired ?s ?l) (not (exists (?l - lamp) (on ?l))))"),
        "shadowed-variable",
        7,
    ),
    (planted("(next ?l ?m))\n", "(next ?l ?m) (wired ?l ?m))\n"), "type-mismatch", 11),
    (planted(" :negative-preconditions", ""), "missing-requirement", 7),
    (
        planted(
            "(:action pass",
            "(:action glow :parameters (?a - switch ?b - lamp) :precondition "
            "(and (not (on ?b)) (wired ?a ?b)) :effect (on ?b))\n(:action pass",
        ),
        "duplicate-action",
        9,
    ),
]


IN_DOMAIN += [
    (planted("(:types", "(:types lamp)\n(:types"), "repeated-section", 4),
    (planted("(?l ?m - lamp)\n", "(?l ?l - lamp)\n"), "repeated-variable", 10),
    (planted("(:predicates", "(:constants k k - lamp)\n(:predicates"), "repeated-object", 4),
    (planted("(?l ?m - lamp)\n", "(?l ?m -lamp)\n"), "missing-blank", 10),
    (planted("(next ?l ?m))\n", "(next ?l k))\n"), "unknown-object", 11),
    (
        planted("(on ?l))\n", "(and (on ?l) (increase (total-cost) (d ?l))))\n"),
        "unknown-function",
        8,
    ),
    (
        planted("(:action light", "(:derived (on ?l - lamp) (on ?l))\n(:action light"),
        "unsupported",
        5,
    ),
    (planted("(next ?l ?m))\n", "(next ?l))\n").replace("(on ?m))))", "()))"), "invalid", 12),
]


@pytest.mark.parametrize(("domain", "code", "line"), IN_DOMAIN, ids=[c for _, c, _ in IN_DOMAIN])
def test_planted_in_a_domain(tmp_path: Path, domain: str, code: str, line: int) -> None:
    assert (code, line) in codes(found(tmp_path, domain))


IN_PROBLEM = [
    (PROBLEM.replace("(wired s a) ", ""), "never-true", 7),
    (
        PROBLEM.replace("(and (on a) (on b))", "(on a)").replace("s - switch", ""),
        "no-grounding",
        5,
    ),
    (PROBLEM.replace("(next a b)", ""), "unreachable-action", 9),
    (PROBLEM.replace("(next a b)", ""), "unreachable-goal", 5),
    (PROBLEM.replace("(:init", "(:init (on a) (on b)"), "goal-holds", 5),
    (PROBLEM.replace("(and (on a) (on b))", "(next a b)"), "goal-holds", 5),
    (PROBLEM.replace("(and (on a) (on b))", "(next a b)"), "never-read", 4),
]


@pytest.mark.parametrize(("problem", "code", "line"), IN_PROBLEM)
def test_planted_in_a_problem(tmp_path: Path, problem: str, code: str, line: int) -> None:
    domain = DOMAIN
    if code == "never-read":
        domain = DOMAIN.replace("(on ?l - lamp)", "(on ?l - lamp) (lit)").replace(
            ":effect (on ?l))\n", ":effect (and (on ?l) (lit)))\n"
        )
    if code == "no-grounding":
        problem = problem.replace("(wired s a)", "")
    assert (code, line) in codes(found(tmp_path, domain, problem))


def test_every_code_is_planted_somewhere() -> None:
    here = {code for _, code, _ in (*IN_DOMAIN, *IN_PROBLEM)}
    assert here | set(MISTAKES) == set(CODES)


def test_what_another_problem_can_do_is_a_note(tmp_path: Path) -> None:
    lame = PROBLEM.replace("(next a b)", "").replace("(and (on a) (on b))", "(on a)")
    (alone,) = [f for f in found(tmp_path, DOMAIN, lame) if f.code == "unreachable-action"]
    (beside,) = [f for f in found(tmp_path, DOMAIN, lame, PROBLEM) if "action" in f.code]
    both = [f for f in found(tmp_path, DOMAIN, lame, lame) if f.code == "unreachable-action"]
    assert (alone.severity, beside.severity) == ("note", "note")
    assert [each.severity for each in both] == ["warning", "warning"]
    assert beside.text == (
        f"{tmp_path}/domain.pddl:9: note: action 'pass' can never be applied in "
        f"{tmp_path}/p0.pddl [unreachable-action]"
    )


def test_types_of_problems_that_are_not_given(tmp_path: Path) -> None:
    """A problem may have objects of a type below one that the domain uses."""
    domain = planted("lamp switch - object", "bulb - lamp lamp switch - object")
    assert told(found(tmp_path, domain)) == []
    assert ("unused-type", 3) in codes(found(tmp_path, domain, PROBLEM))
    assert told(found(tmp_path, domain, PROBLEM.replace("a b - lamp", "a b - bulb"))) == []


def test_a_wider_type_may_be_narrowed_by_a_predicate(tmp_path: Path) -> None:
    domain = planted("(?l ?m - lamp)\n", "(?l ?m - object)\n")
    assert told(found(tmp_path, domain)) == []


@pytest.mark.parametrize("name", list(FAMILIES["domains"].builtin)[:: examples(1, quick=3)])
def test_our_own_domains_have_no_errors(tmp_path: Path, name: str) -> None:
    task = generate(name, seed=1)
    findings = found(tmp_path, task.domain, task.problem)
    assert [each.text for each in findings if each.severity == "error"] == []
