"""Cases: what they expect, what comes of it, and how failures are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bugsieve.base.errors import InputError, InternalError
from bugsieve.rooms.domain_testing import suite_runs
from bugsieve.rooms.domain_testing.mutation import MutationOptions, MutationTest
from bugsieve.rooms.domain_testing.suite_runs import CaseResult, RunOptions, exit_code, run_suite
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.rooms.regression.junit import junit_text
from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from tests.unit.domain_testing.lights import PROBLEM, write_suite

PLAN = "(light s a)\n(pass a b)\n(light s a)\n"


def run(
    folder: Path, *cases: dict[str, Any], expansions: int = 1000, **files: str
) -> list[CaseResult]:
    for number, content in enumerate(cases):
        content.setdefault("label", f"case-{number}")
    suite = write_suite(folder, *cases, **files)
    return list(run_suite(suite, Files(), RunOptions(expansions=expansions)))


def run_one(folder: Path, expansions: int = 1000, **content: Any) -> CaseResult:
    (result,) = run(folder, content, expansions=expansions)
    return result


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ({}, "pass"),
        ({"expect": "unsolvable"}, "fail"),
        ({"maxLength": 3, "minLength": 3}, "pass"),
        ({"maxLength": 2}, "fail"),
        ({"minLength": 4}, "fail"),
        ({"maxCost": 3, "minCost": 3, "maxLength": 3}, "pass"),
        ({"maxCost": 2}, "fail"),
    ],
)
def test_searches(tmp_path: Path, content: dict[str, Any], outcome: str) -> None:
    assert run_one(tmp_path, **content).outcome == outcome


def test_no_plan_is_proven(tmp_path: Path) -> None:
    problem = PROBLEM.replace("(on a) (on b)", "(on b) (not (on b))")
    for goal in ("(and (on b) (not (on b)))", "(and (on a) (not (on a)) (on b))"):
        problem = PROBLEM.replace("(and (on a) (on b))", goal)
        (good, bad) = run(tmp_path, {"expect": "unsolvable"}, {}, problem=problem)
        assert (good.outcome, bad.outcome) == ("pass", "fail")
        assert bad.reason == "no plan exists, which is proven"


def test_a_goal_that_always_holds_has_the_empty_plan(tmp_path: Path) -> None:
    problem = PROBLEM.replace("(and (on a) (on b))", "(wired s a)")
    (plan, short) = run(tmp_path, {}, {"maxLength": 0}, problem=problem)
    assert plan.outcome == short.outcome == "pass"


@pytest.mark.parametrize("content", [{}, {"expect": "unsolvable"}, {"maxLength": 2}])
def test_a_spent_budget_is_never_a_pass(tmp_path: Path, content: dict[str, Any]) -> None:
    found = run_one(tmp_path, expansions=0, **content)
    assert found.outcome == "undecided"
    assert "the budget was spent" in found.reason


def test_a_plan_that_should_not_be_is_replayed(tmp_path: Path) -> None:
    found = run_one(tmp_path, expect="unsolvable")
    assert found.details == (
        "   1. (light s a)  +(on a)",
        "   2. (pass a b)  +(on b) -(on a)",
        "   3. (light s a)  +(on a)",
    )


def plans(folder: Path, *texts: str) -> list[str]:
    names = [f"{number}.plan" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(text)
    return names


def test_plans_that_are_valid(tmp_path: Path) -> None:
    timed = "; found by hand\n0.001: (LIGHT s a) [1]\n1: (pass a b)\n\n2.5: (light S A)\n"
    names = plans(tmp_path, PLAN, timed)
    found = run_one(tmp_path, expectedPlans=names)
    assert found.outcome == "pass"
    assert run_one(tmp_path, expectedPlans=names, maxLength=2).outcome == "fail"
    wrong = run_one(tmp_path, expectedPlans=names, expect="plan-invalid")
    assert wrong.outcome == "fail" and "0.plan: is a valid plan" in wrong.reason


INVALID = {
    "(light s a)\n(light s a)\n": "step 2, (light s a), is not applicable: (not (on a)) does not",
    "(light s b)\n": "step 1, (light s b), is not applicable: (wired s b) does not hold",
    "(light s a)\n": "the goal is not reached: (on b) does not hold",
    "(lihgt s a)\n": "step 1: there is no action 'lihgt' (did you mean 'light'?)",
    "(light s)\n": "step 1: action 'light' takes 2 objects, (light s) gives 1",
    "(light a a)\n": "step 1: (light a a) needs 'a' to be of type 'switch', but it is a 'lamp'",
    "(light s c)\n": "step 1: (light s c) names the unknown object 'c'",
}


@pytest.mark.parametrize(("text", "reason"), INVALID.items())
def test_plans_that_are_not(tmp_path: Path, text: str, reason: str) -> None:
    names = plans(tmp_path, text)
    assert run_one(tmp_path, expectedPlans=names, expect="plan-invalid").outcome == "pass"
    found = run_one(tmp_path, expectedPlans=names)
    assert found.outcome == "fail"
    assert reason in found.reason
    assert reason in found.details[-1]


def test_what_is_no_plan_file(tmp_path: Path) -> None:
    names = plans(tmp_path, "(light s a)\nlight s a\n")
    with pytest.raises(InputError, match=r"0\.plan:2: an action in parentheses was expected"):
        run_one(tmp_path, expectedPlans=names)


def test_validators_must_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = plans(tmp_path, "(light s a)\n")
    monkeypatch.setattr(suite_runs, "validate_plan", lambda *_: None)
    with pytest.raises(InternalError, match="our two validators disagree"):
        run_one(tmp_path, expectedPlans=names)


ATOMS = {"on(?l - lamp)": "(on ?l)", "dark": "(forall (?l - lamp) (not (on ?l)))"}


@pytest.mark.parametrize(
    ("requirement", "verdict"),
    [
        ("G(on(b) -> !dark)", "holds"),
        ("G(!on(b))", "violated"),
        ("G(on(b) -> X on(b))", "holds"),
        ("G(on(a) & on(b) -> dark)", "violated"),
        ("(!on(b)) W on(a)", "holds"),
        ("G(dark & on(a) -> on(b))", "vacuous"),
        ("F on(b)", "safety part holds"),  # it can always come
    ],
)
def test_requirements(tmp_path: Path, requirement: str, verdict: str) -> None:
    content: dict[str, Any] = {"requirement": requirement, "atoms": ATOMS}
    found = run_one(tmp_path, **content)
    assert found.verdicts == {"requirement": verdict}
    outcomes = {"violated": "fail", "safety part holds": "undecided"}
    assert found.outcome == outcomes.get(verdict, "pass")
    opposite = run_one(tmp_path, **content, expect="violated").outcome
    assert opposite == {"violated": "pass", "safety part holds": "undecided"}.get(verdict, "fail")
    vacuous = run_one(tmp_path, **content, expect="vacuous").outcome
    assert (vacuous == "pass") == (verdict == "vacuous")


def test_why_a_rule_is_undecided(tmp_path: Path) -> None:
    def reason(requirement: str, expansions: int = 1000, **more: Any) -> str:
        return run_one(
            tmp_path, expansions, requirement=requirement, atoms=ATOMS, **more
        ).reason.removeprefix("a rule is not proven: ")

    as_expected = reason("F on(b)", expect="safety part holds")
    assert as_expected == "safety part holds, as expected"  # and not "every rule holds"
    needs = "what must come some day needs 'goalConstrained'"
    assert reason("F on(b)") == f"safety part holds: no prefix refutes it; {needs}"
    spent = "undecided: the expansions were spent (0)"
    assert reason("G(on(a) & on(b) -> dark)", expansions=0) == spent
    (tmp_path / "never.pddl").write_text(PROBLEM.replace("(wired s a)", ""))
    assert "no plan" in reason("G(!on(b))", problem="never.pddl", goalConstrained=True)


def test_with_the_goal_liveness_is_decided(tmp_path: Path) -> None:
    content: dict[str, Any] = {"requirement": "F on(b)", "atoms": ATOMS, "goalConstrained": True}
    assert run_one(tmp_path, **content).outcome == "pass"


def test_english_requirements(tmp_path: Path) -> None:
    text = "Whenever on(b), the house shall immediately satisfy !dark."
    assert run_one(tmp_path, requirement=text, atoms=ATOMS).outcome == "pass"


def test_a_violation_is_told_with_the_atoms(tmp_path: Path) -> None:
    found = run_one(tmp_path, requirement="G(on(a) -> !on(b))", atoms=ATOMS)
    assert found.details[0] == "requirement: violated: G(on(a) -> !on(b))"
    assert found.details[1] == "   0. initially  [no atom of the rule holds]"
    assert found.details[-1].endswith("[on(a), on(b)]")


def test_that_rules_hold_is_proven_to_a_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise CertificateError("no")

    case = {"requirement": "G(on(b) -> !dark)", "atoms": ATOMS}
    monkeypatch.setattr(Checker, "check", refuse)
    with pytest.raises(InternalError, match="the checker refuses what is said of requirement: no"):
        run(tmp_path, case)
    suite = write_suite(tmp_path, case)
    (result,) = MutationTest(suite, Files(), MutationOptions()).baseline
    assert result.outcome == "pass"  # mutants are too many for that


@pytest.mark.parametrize("view", ["strong", "neutral", "weak"])
@pytest.mark.parametrize("requirement", ["G(on(a) -> !on(b))", "F dark", "on(a) U on(b)"])
def test_the_checker_reads_all_views(tmp_path: Path, view: str, requirement: str) -> None:
    assert run_one(tmp_path, requirement=requirement, atoms=ATOMS, view=view).outcome


def test_rules_that_do_not_fit_are_named(tmp_path: Path) -> None:
    place = r"case 1 \(case-0\): requirement 'G\(on\(c\)\)', column 3: "
    with pytest.raises(InputError, match=place):
        run_one(tmp_path, requirement="G(on(c))", atoms=ATOMS)
    with pytest.raises(InputError, match=r"\): condition '\(no\)', column 2: "):
        run_one(tmp_path, requirement="G(x)", atoms={"x": "(no)"})
    with pytest.raises(InputError, match=r"nowhere\.toml: there is no such file"):
        run_one(tmp_path, rules="nowhere.toml")


def test_exit_codes(tmp_path: Path) -> None:
    passed, failed = run(tmp_path, {}, {"maxLength": 1})
    undecided = run_one(tmp_path, expansions=0)
    assert exit_code([]) == 5
    assert exit_code([passed]) == 0
    assert exit_code([passed, undecided]) == 6
    assert exit_code([undecided, failed, passed]) == 1


def test_junit(tmp_path: Path) -> None:
    found = [
        *run(tmp_path, {"label": "<a> & \x1b"}, {"label": "b", "expect": "unsolvable"}),
        run_one(tmp_path, expansions=0, label="c"),
    ]
    checks = [result.check("s.ptest.json") for result in found]
    suite = ElementTree.fromstring(junit_text("s.ptest.json", checks).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    first, second, third = suite
    assert first.get("name") == "<a> & \\x1b" and not list(first)
    assert second[0].tag == "failure" and "(pass a b)" in (second[0].text or "")
    assert third[0].tag == "error" and third[0].get("type") == "undecided"


def test_what_a_rules_file_expects_goes_first(tmp_path: Path) -> None:
    def rule(name: str, ltl: str, expect: str) -> str:
        return f'[[rule]]\nid = "{name}"\nkind = "desired"\nltl = "{ltl}"\n{expect}\n'

    atom = 'format = 1\n[[atom]]\nname = "on(?l - lamp)"\nis = "(on ?l)"\n'
    violated = rule("A", "G !on(b)", 'expect = "violated"')
    (tmp_path / "r.toml").write_text(atom + violated + rule("B", "!on(b) W on(a)", ""))
    found = run_one(tmp_path, rules="r.toml")
    assert (found.outcome, found.verdicts) == ("pass", {"A": "violated", "B": "holds"})
    (tmp_path / "r.toml").write_text(atom + violated)
    assert run_one(tmp_path, rules="r.toml").outcome == "pass"
    (tmp_path / "r.toml").write_text(atom + rule("A", "G !on(b)", 'expect = "holds"'))
    assert run_one(tmp_path, rules="r.toml", expect="violated").outcome == "fail"


def constrained(constraint: str, goal: str = "(and (on a) (on b))") -> str:
    problem = PROBLEM.replace("(and (on a) (on b))", goal)
    return problem.replace("(:goal", f"(:constraints {constraint})\n  (:goal")


@pytest.mark.parametrize(
    ("constraint", "is_kept"),
    [
        ("(always (not (and (on a) (on b))))", False),
        ("(at-most-once (on a))", False),
        ("(at-most-once (on b))", True),
        ("(sometime-after (on a) (on b))", True),
        ("(sometime-before (on a) (on b))", False),
        ("(sometime-after (on b) (on a))", True),
    ],
)
def test_plans_keep_constraints(tmp_path: Path, constraint: str, is_kept: bool) -> None:
    (tmp_path / "p.plan").write_text(PLAN)
    given = {"expectedPlans": ["p.plan"]}
    problem = constrained(constraint)
    good, bad, found = run(
        tmp_path, dict(given), {**given, "expect": "plan-invalid"}, {}, problem=problem
    )
    assert (good.outcome, bad.outcome) == (("pass", "fail") if is_kept else ("fail", "pass"))
    if not is_kept:
        assert "p.plan: it breaks problem-constraint-1: " in good.reason
    assert found.outcome == ("pass" if is_kept else "fail")


@pytest.mark.parametrize(
    ("goal", "constraint", "least"),
    [
        ("(on b)", "(always (wired s a))", 2),
        ("(on b)", "(sometime-after (on b) (on a))", 3),
        ("(wired s a)", "(sometime (on b))", 2),
        ("(wired s a)", "(always (not (on b)))", 0),
        ("(wired s b)", "(always (not (on b)))", None),
        ("(on b)", "(sometime-before (on a) (on b))", None),
    ],
)
def test_searches_keep_constraints(
    tmp_path: Path, goal: str, constraint: str, least: int | None
) -> None:
    problem = constrained(constraint, goal)
    if least is None:
        (result,) = run(tmp_path, {"expect": "unsolvable"}, problem=problem)
        assert result.outcome == "pass"
        return
    exact, more, cost = run(
        tmp_path,
        {"minLength": least, "maxLength": least},
        {"minLength": least + 1},
        {"minCost": least, "maxCost": least},
        problem=problem,
    )
    assert (exact.outcome, more.outcome, cost.outcome) == ("pass", "fail", "pass")


def test_forbidden_rules_are_never_kept(tmp_path: Path) -> None:
    """It read "holds: F bad", of a rule that must not hold."""
    rules = 'format = 1\n[[atom]]\nname = "bad"\nis = "(on s)"\n'.replace("(on s)", "(next b a)")
    rules += '[[atom]]\nname = "b"\nis = "(on b)"\n'
    rules += '[[rule]]\nid = "N"\nkind = "forbidden"\nltl = "F(b & X(b & bad))"\n'
    (tmp_path / "rules.toml").write_text(rules)
    (alone,) = run(tmp_path, {"rules": "rules.toml"})
    assert (alone.outcome, alone.verdicts) == ("pass", {"N": "never"})
    assert alone.reason == "never: F(b & X(b & bad)) (confirmed)"
    (tmp_path / "rules.toml").write_text(
        rules + '[[rule]]\nid = "D"\nkind = "desired"\nltl = "G b"\n'
    )
    (both,) = run(tmp_path, {"rules": "rules.toml"})
    assert both.outcome == "fail"
    assert both.details[0] == "N: never: F(b & X(b & bad)) (confirmed)"
