"""The 23 kinds of mistakes of Sleath and Bercher (PRICAI 2023), each found by a code of its own.

Every mistake is planted into the same small domain, beside a predicate that nothing mentions: an
error must not hide that warning. The models are ours; the kinds are those of the paper.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.domain_testing.lint.findings import LintFinding
from bugsieve.rooms.domain_testing.lint.run import lint
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.reader import read_document
from tests.depth import examples

DOMAIN = """\
(define (domain ferry)
  (:requirements :typing :negative-preconditions)
  (:types boat pier - object)
  (:constants home - pier)
  (:predicates (at ?b - boat ?p - pier) (busy ?p - pier) (not-busy ?p - pier)
    (spare))
  (:action sail
    :parameters (?b - boat ?p - pier)
    :precondition (and (at ?b ?p) (not-busy home))
    :effect (and (not (at ?b ?p)) (at ?b home)
      (not-busy ?p) (not (busy ?p))
      (busy home) (not (not-busy home)))))
"""
PROBLEM = """\
(define (problem one) (:domain ferry)
  (:objects b - boat island - pier)
  (:init (at b island) (not-busy home))
  (:goal (and (at b home) (busy home))))
"""
SWAP = "(:action swap :parameters (?p ?q - pier) :effect (and (busy ?p) (not (busy ?q))))"
PIERS = "(:action dock :parameters (?p - pier) :precondition (open) :effect (busy ?p))"
SAME_NAME = "(:action sail :parameters (?p - pier) :effect (busy ?p))"


def planted(old: str, new: str) -> str:
    assert DOMAIN.count(old) == 1
    return DOMAIN.replace(old, new)


MISTAKES = {
    "redundant-effect": (planted("(busy home) (not (not-busy home))", "(not-busy home)"), 12),
    "implied-effect": (planted("(busy home) (not (not-busy", "(not (busy"), 12),
    "unused-predicate": (planted("(busy ?p - pier)", "(idle) (busy ?p - pier)"), 5),
    "unused-type": (planted("boat pier -", "boat pier train -"), 3),
    "unused-parameter": (planted("?p - pier)\n    :pre", "?p ?z - pier)\n    :pre"), 8),
    "complementary-effects": (planted("(at ?b home)\n", "(at ?b ?p)\n"), 10),
    "possible-complementary-effects": (planted("  (:action", f"{SWAP}\n  (:action"), 7),
    "immutable-predicate": (
        planted("  (:action", f"{PIERS}\n  (:action").replace("(spare)", "(spare) (open)"),
        5,
    ),
    "contradictory-precondition": (
        planted("(and (at ?b ?p)", "(and (busy ?p) (not (busy ?p))"),
        9,
    ),
    "repeated-action": (planted("  (:action", f"{SAME_NAME}\n  (:action"), 8),
    "repeated-predicate": (planted("(spare)", "(spare) (at ?p - pier)"), 6),
    "repeated-field": (planted(":precondition", ":parameters (?b - boat)\n    :precondition"), 9),
    "type-mismatch": (planted("(and (at ?b ?p)", "(and (at ?p ?b)"), 9),
    "wrong-arity": (planted("(and (at ?b ?p)", "(and (at ?b)"), 9),
    "unknown-type": (planted("boat pier -", "pier -"), 5),
    "unknown-predicate": (planted("(busy ?p - pier) (", "("), 11),
    "unknown-variable": (planted("(and (at ?b ?p)", "(and (at ?b ?z)"), 9),
    "cyclic-types": (planted("boat pier - object", "boat - pier\n  pier - boat"), 3),
    "long-type-cycle": (planted("boat pier - object", "boat - pier pier - x x - boat"), 3),
    "parentheses": (planted("(not-busy home))\n", "(not-busy home)))\n"), 12),
    "missing-parameters": (planted(":parameters (?b - boat ?p - pier)", ""), 7),
    "missing-dash": (planted("(busy ?p - pier)", "(busy ?p pier)"), 5),
    "missing-question-mark": (planted("(busy ?p - pier)", "(busy p - pier)"), 5),
}


def findings(folder: Path, domain: str, *problems: str) -> list[LintFinding]:
    (folder / "domain.pddl").write_text(domain)
    paths = [folder / f"p{number}.pddl" for number, _ in enumerate(problems)]
    for path, text in zip(paths, problems, strict=True):
        path.write_text(text)
    return lint(folder / "domain.pddl", paths, Files())


def codes(found: list[LintFinding]) -> set[str]:
    return {each.code for each in found}


def test_there_are_23_of_them() -> None:
    assert len(MISTAKES) == 23


def test_the_domain_itself_has_none_but_the_warning(tmp_path: Path) -> None:
    assert codes(findings(tmp_path, DOMAIN, PROBLEM)) == {"unused-predicate"}


@pytest.mark.parametrize("code", MISTAKES)
@pytest.mark.parametrize("problems", [[], [PROBLEM]], ids=["alone", "with a problem"])
def test_each_is_found_and_hides_nothing(tmp_path: Path, code: str, problems: list[str]) -> None:
    domain, line = MISTAKES[code]
    found = findings(tmp_path, domain, *problems)
    assert (code, line) in {(each.code, each.line) for each in found}
    assert any("'spare'" in each.sentence for each in found)
    errors = codes([each for each in found if each.severity == "error"])
    assert errors <= {code, "unreachable-goal"}, "one mistake, one error"


STRICT = [
    code for code, (text, _) in MISTAKES.items() if code.startswith(("cyclic", "long", "rep"))
]


@pytest.mark.parametrize("code", STRICT)
def test_definitions_that_contradict_are_errors_everywhere(tmp_path: Path, code: str) -> None:
    findings(tmp_path, MISTAKES[code][0], PROBLEM)
    with pytest.raises(InputError, match=rf"domain\.pddl:{MISTAKES[code][1]}: "):
        check_pddl(tmp_path / "domain.pddl", tmp_path / "p0.pddl")


def test_many_mistakes_in_one_run(tmp_path: Path) -> None:
    """Several errors at once, in both files, and the warnings behind them."""
    domain = (
        planted("boat pier -", "boat pier train -")
        .replace("(spare)", "(spare) (spare) (odd ?x - what)")
        .replace("(and (at ?b ?p)", "(and (at ?b ?z) (lit home)")
    )
    problem = PROBLEM.replace("(at b island)", "(at b island) (at island b) (gone)")
    found = findings(tmp_path, domain, problem)
    assert {(each.code, Path(each.path).name) for each in found} == {
        ("unused-type", "domain.pddl"),
        ("repeated-predicate", "domain.pddl"),
        ("unknown-type", "domain.pddl"),
        ("unknown-variable", "domain.pddl"),
        ("unknown-predicate", "domain.pddl"),
        ("unused-predicate", "domain.pddl"),
        ("immutable-predicate", "domain.pddl"),
        ("type-mismatch", "p0.pddl"),
        ("unknown-predicate", "p0.pddl"),
    }


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_parentheses_that_are_missing(tmp_path: Path, missing: int) -> None:
    """Those of an action before another section, and those at the end."""
    text = DOMAIN.replace("(spare))", "(spare)" + ")" * (1 - missing // 2))
    found = findings(tmp_path, text.rstrip()[: len(text.rstrip()) - missing % 2])
    expected = {"unused-predicate", "parentheses"} if missing else {"unused-predicate"}
    assert codes(found) - {"possible-complementary-effects"} == expected


def test_constants_with_a_dash_glued_on(tmp_path: Path) -> None:
    found = findings(tmp_path, planted("home - pier", "home- pier"), PROBLEM)
    assert codes(found) == {"missing-blank", "unused-predicate"}


def test_an_object_that_only_the_problem_declares(tmp_path: Path) -> None:
    """What was declared for the domain is no second mistake of the problem."""
    found = findings(tmp_path, planted("(:constants home - pier)", ""), PROBLEM)
    assert codes(found) == {"unknown-object", "unused-predicate"}
    other = PROBLEM.replace("island - pier", "island home - pier")
    found = findings(tmp_path, planted("(:constants home - pier)", ""), other)
    assert codes(found) == {"unknown-object", "unused-predicate"}


def test_what_is_unsupported_hides_nothing(tmp_path: Path) -> None:
    derived = "(:derived (spare) (busy home))\n  (:action"
    found = findings(tmp_path, planted("(:action", derived), PROBLEM)
    assert codes(found) == {"unsupported"}, "what was left out may use the predicate"
    odd = planted("  (:action", "  (:odd)\n  (:action")
    assert codes(findings(tmp_path, odd, PROBLEM)) == {"invalid"}


def test_predicates_of_constraints_are_used(tmp_path: Path) -> None:
    domain = planted("(:action", "(:constraints (always (not (spare))))\n  (:action")
    problem = PROBLEM.replace("(:goal", "(:constraints (sometime (busy home)))\n(:goal")
    assert findings(tmp_path, domain, problem) == []


@pytest.mark.parametrize("text", ["", "(", ")", "x", "(define)", "(define (domain d)) x", "()"])
def test_files_that_are_no_domain(tmp_path: Path, text: str) -> None:
    try:
        found = findings(tmp_path, text)
    except InputError:
        return
    assert any(each.severity == "error" for each in found)


def damaged(text: str, draws: Random) -> str:
    """The text after a few words or parentheses were moved, repeated or dropped."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(draws.randrange(1, 4)):
        place = draws.randrange(len(words))
        words[place : place + draws.randrange(3)] = draws.sample(words, draws.randrange(3))
    return " ".join(words)


def test_any_damage_is_told_or_harmless(tmp_path: Path) -> None:
    """Lint finds an error exactly where the strict reader refuses the domain."""
    draws = Random(26)
    refused = 0
    for _ in range(examples(3000, quick=300)):
        text = damaged(DOMAIN, draws)
        try:
            found = findings(tmp_path, text)
        except InputError:
            found = None
        try:
            check_domain(read_document(tmp_path / "domain.pddl"))
        except InputError:
            refused += 1
            assert found is None or any(each.severity == "error" for each in found), text
        else:
            own = {"contradictory-precondition", "type-mismatch"}
            assert found is not None, text
            assert codes([each for each in found if each.severity == "error"]) <= own, text
    assert refused > 100
