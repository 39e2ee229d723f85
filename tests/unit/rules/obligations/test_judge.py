"""Verdicts on a walker whose every trace can be foretold: places p0, p1, p2 on a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bugsieve.rooms.rules.checker.rules import Checker
from bugsieve.rooms.rules.file.binding import BoundRules, RuleInstance
from bugsieve.rooms.rules.file.grounding import GroundAtom
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.obligation import Obligation, obligations_of
from bugsieve.rooms.rules.obligations.task_world import TaskWorld
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task, line_task

ATOMS: dict[str, Any] = {
    **{f"at{place}": ("fact", 0, place) for place in range(3)},
    "never": False,
    "right": ("did", (0, 1)),
}
PREFIX, PLAN, LASSO = JudgeOptions(), JudgeOptions(with_goal=True), JudgeOptions(lassos=True)


def one_way(goal: int) -> Task:
    """From p0 to p1 and no further; nothing leads to p2."""
    return as_task(
        SasTask(
            metric=False,
            variables=(SasVariable("var0", tuple(f"Atom at(p{i})" for i in range(3))),),
            mutexes=(),
            initial=(0,),
            goal=((0, goal),),
            operators=tuple(
                SasOperator(f"right p{i}", (), (SasEffect((), 0, 0, 1),), 1) for i in (0, 1)
            ),
        )
    )


def bound(rules: Mapping[str, str]) -> BoundRules:
    """Rules by their kind and number, as in `{"desired 1": "G at0"}`."""
    truths = {name: item for name, item in ATOMS.items() if isinstance(item, bool)}
    instances = []
    for name, text in rules.items():
        formula = read_ltl(text, place=Place("test"))
        kind: Any = name.split()[0]
        folded = with_constants(formula, truths)
        position = Position("test", 1, 1)
        instances.append(
            RuleInstance(name, name, (), kind, folded, formula, "ltl", text, position)
        )
    atoms = {name: GroundAtom(name, "", item) for name, item in ATOMS.items()}
    return BoundRules(tuple(instances), atoms, ())


def judged(
    rules: str | Mapping[str, str],
    options: JudgeOptions = PREFIX,
    *,
    kind: str = "desired",
    task: Task | None = None,
) -> list[tuple[Obligation, Answer]]:
    """All obligations of one rule, or of several, with their answers."""
    given = bound({kind: rules} if isinstance(rules, str) else rules)
    task = line_task(3) if task is None else task
    judge = RuleJudge(TaskWorld(task, given), options, Checker(task.to_sas()).check)
    found = [(one, judge.judge(one)) for one in obligations_of(given.rules)]
    assert not judge.rejected
    return found


def violation(*given: Any, **named: Any) -> Answer:
    return judged(*given, **named)[0][1]


def cause(rule: str, aim: str, literal: str, *given: Any, **named: Any) -> Answer:
    return next(
        answer
        for one, answer in judged(rule, *given, **named)
        if (one.aim, one.literal) == (aim, literal)
    )


@pytest.mark.parametrize(
    ("rule", "options", "verdict", "reason"),
    [
        ("G !at2", PREFIX, "failed", ""),
        ("G(at0 | at1 | at2)", PREFIX, "passed", ""),
        ("X at1", PREFIX, "passed", ""),
        ("G(right -> !at0)", PREFIX, "passed", ""),
        ("!right", PREFIX, "passed", ""),  # nothing was done before the first state
        ("F at2", PREFIX, "safety part holds", "no prefix"),
        ("F at2", PLAN, "passed", ""),
        ("F at2", LASSO, "failed", ""),
        ("F at1", LASSO, "passed", ""),  # there is no other way to begin
        # What must come some day is not judged on prefixes, and that is said.
        ("(at0 | at1) U at2", PREFIX, "safety part holds", "some day"),
        ("(at0 | at1) U at2", PLAN, "passed", ""),
        ("(at0 | at1) U at2", LASSO, "failed", ""),
        ("G(at0 | at1 | at2) & F at2", PREFIX, "safety part holds", "some day"),
        ("at0 U at2", PREFIX, "failed", ""),
        # Tautologies of finite traces are not all tautologies.
        ("F at2 | G !at2", PREFIX, "infeasible", "tautology"),
        ("G F at2 -> F G at2", PREFIX, "safety part holds", "no prefix"),
        ("G F at2 -> F G at2", PLAN, "infeasible", "no trace that ends"),
        ("G F at2 -> F G at2", LASSO, "failed", ""),
        # What never changes may hide that prefixes refute a rule.
        ("F never", PREFIX, "failed", ""),
        ("F(never & at1) | G !at1", PREFIX, "failed", ""),
        ("(F(never & at1) | G !at1) & G(at0 | at1 | at2)", PREFIX, "failed", ""),
        ("G(at1 -> F never)", PREFIX, "failed", ""),
        ("G(never -> F at2)", PREFIX, "infeasible", "tautology"),
        ("G(never -> at2)", PREFIX, "passed", ""),
    ],
)
def test_desired_rules(rule: str, options: JudgeOptions, verdict: str, reason: str) -> None:
    answer = violation(rule, options)
    assert answer.verdict == verdict
    assert reason in answer.reason and bool(reason) == bool(answer.reason)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [("F at2", "failed"), ("F(at0 & at1)", "passed"), ("G at0", "safety part holds")],
)
def test_forbidden_rules(rule: str, verdict: str) -> None:
    assert violation(rule, kind="forbidden").verdict == verdict


def test_a_trace_refutes_a_rule_by_its_cause() -> None:
    answer = cause("G(at1 -> right)", "violated by", "at1")
    assert answer.verdict == "failed" and answer.view == "strong"
    assert answer.trace is not None and answer.trace["trace"]["operators"] == [0, 1, 3]


def test_causes_that_only_the_end_of_a_trace_shows_are_not_infeasible() -> None:
    assert cause("F at2", "violated by", "!at2").verdict == "undecidable"
    assert cause("F at2", "violated by", "!at2", PLAN).verdict == "passed"
    assert cause("F at2", "violated by", "!at2", LASSO).verdict == "failed"
    assert cause("G(at0 | at0)", "violated by", "!at0").verdict == "failed"
    assert cause("at0 & (at0 | at1)", "satisfied by", "at1").verdict == "infeasible"


@pytest.mark.parametrize(
    ("rule", "literal", "verdict", "view"),
    [
        ("F at2", "at2", "covered", "strong"),
        ("G(at0 | at1 | at2)", "at1", "covered", "neutral"),
        ("G(at1 -> X at2)", "at2", "covered", "neutral"),
        ("at2 W at0", "at2", "vacuous", None),
        ("at1 & F at2", "at2", "not testable", None),
    ],
)
def test_causes_of_truth(rule: str, literal: str, verdict: str, view: str | None) -> None:
    answer = cause(rule, "satisfied by", literal)
    assert (answer.verdict, answer.view) == (verdict, view)


@pytest.mark.parametrize("options", [PLAN, replace(PLAN, lassos=True)])
def test_what_no_plan_can_show_is_not_proven_by_there_being_none(options: JudgeOptions) -> None:
    answers = judged({"desired 1": "G !at2", "desired 2": "F at0"}, options, task=one_way(2))
    said = {one.aim: answer.verdict for one, answer in answers}
    assert said == {
        "violation": "undecidable",
        "violated by": "undecidable",
        "satisfied by": "not testable",
        "reached": "vacuous",
        "together": "vacuous",
    }
    assert all("no plan to judge" in answer.reason for _, answer in answers)
    answers = judged("F at1", PLAN, task=one_way(1))
    assert answers[0][1].verdict == "passed"


@pytest.mark.parametrize(
    ("one", "other", "options", "verdict"),
    [
        ("G at0", "F at1", PREFIX, "conflict"),
        ("G !at1", "F right", PREFIX, "conflict"),
        ("F at0", "F at2", PREFIX, "covered"),
        ("G !at2", "F at2", PLAN, "conflict"),
        # For ever to and fro keeps both, though no trace does as it ends.
        ("G F at0", "G F at1", PREFIX, "covered"),
        ("G(at0 -> X at1)", "G(at1 -> X at0)", PREFIX, "covered"),
        ("G F at0", "G F at1", PLAN, "conflict"),
        ("G F at0", "F G at1", PREFIX, "conflict"),
    ],
)
def test_rules_together(one: str, other: str, options: JudgeOptions, verdict: str) -> None:
    rules = {"desired 1": one, "desired 2": other}
    assert judged(rules, options)[-1][1].verdict == verdict


def test_a_violation_that_leads_nowhere_is_no_plan_and_no_lasso() -> None:
    # From p0 to p1 or to p2, and there is no way on from either.
    steps = (SasEffect((), 0, 0, place) for place in (1, 2))
    operators = tuple(SasOperator(f"right p{i}", (), (e,), 1) for i, e in enumerate(steps))
    names = tuple(f"Atom at(p{i})" for i in range(3))
    task = as_task(SasTask(False, (SasVariable("var0", names),), (), (0,), ((0, 1),), operators))
    assert violation("G !at2", task=task).verdict == "failed"
    assert violation("G !at2", PLAN, task=task).verdict == "passed"
    assert violation("G !at2", LASSO, task=task).verdict == "failed"
    answer = violation("G !at2", replace(PLAN, lassos=True), task=task)
    assert (answer.verdict, answer.reason) == (
        "passed",
        "on all plans, and on all traces without end",
    )


def test_a_reading_that_is_open_leaves_the_rule_open() -> None:
    # Facts alone prove that no prefix violates it; of infinite traces nothing is known.
    tight = replace(LASSO, limits=Limits(expansions=0))
    assert violation("G(at0 | at1 | at2)", replace(tight, lassos=False)).verdict == "passed"
    answer = violation("G(at0 | at1 | at2)", tight)
    assert answer.verdict == "inconclusive" and "spent" in answer.reason


def test_rules_that_should_be_violated_contradict_nobody() -> None:
    given = bound({"desired 1": "G at0", "desired 2": "F at1", "desired 3": "F G at2"})
    task = line_task(3)

    def conflicts(rules: tuple[RuleInstance, ...]) -> str:
        world = TaskWorld(task, replace(given, rules=rules))
        judge = RuleJudge(world, PREFIX, Checker(task.to_sas()).check)
        return judge.judge(list(obligations_of(rules))[-1]).reason

    first, *others = given.rules
    assert conflicts(given.rules) == "desired 1 and desired 2; desired 1 and desired 3"
    assert conflicts((replace(first, expect="violated"), *others)) == ""
    given = bound({"desired 1": "F at0 & G !at0", "desired 2": "F at1", "desired 3": "F at2"})
    assert conflicts(given.rules) == "desired 1 by itself"
    given = bound({"desired 1": "G F at0 & G F at1", "desired 2": "F at1"})
    assert conflicts(given.rules) == ""  # which no trace keeps as it ends, but one for ever


@pytest.mark.parametrize("rule", ["G !at2", "G(at0 | at1 | at2)"])
def test_what_the_checker_refuses_is_known_to_nobody(rule: str) -> None:
    def refuse(certificate: Mapping[str, Any]) -> None:
        raise ValueError("no")

    given = bound({"desired": rule})
    judge = RuleJudge(TaskWorld(line_task(3), given), PREFIX, refuse)
    for one in obligations_of(given.rules):
        assert judge.judge(one).verdict not in ("passed", "failed", "covered", "vacuous")
    assert judge.rejected
