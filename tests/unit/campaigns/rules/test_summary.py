"""What several tasks say together, and what follows for the exit code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.summary import (
    MergedAnswer,
    RuleResult,
    RulesSummary,
    merged_answers,
)
from bugsieve.rooms.rules.campaign.wording import RulesWording
from bugsieve.rooms.rules.ltl.formula import TRUE, atom
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.obligations.answers import Answer, Verdict
from bugsieve.rooms.rules.obligations.obligation import Obligation
from bugsieve.rooms.rules.scale import Grade
from bugsieve.rooms.rules.store.rows import AnswerRow, ObligationRow
from tests.unit.campaigns.rules.small import DOMAIN, PROBLEM, RULES, written


@dataclass(frozen=True)
class Stored:
    """The obligations of some tasks, and what was answered."""

    rows: tuple[tuple[int, Obligation, str | None], ...]

    def obligations(self) -> list[ObligationRow]:
        return [ObligationRow(n, task, one) for n, (task, one, _) in enumerate(self.rows)]

    def answers(self) -> list[AnswerRow]:
        return [
            AnswerRow(number, Answer(verdict), 0.0)  # type: ignore[arg-type]
            for number, (_, _, verdict) in enumerate(self.rows)
            if verdict is not None
        ]


def obligation(aim: Any, literal: str = "a") -> Obligation:
    return Obligation(aim, "" if aim == "together" else "R", "R", atom("a"), literal)


def merged(aim: Any, *verdicts: str | None) -> MergedAnswer:
    """One obligation on as many tasks as there are verdicts; None where it was not judged."""
    rows = tuple((n, obligation(aim), verdict) for n, verdict in enumerate(verdicts))
    records: Any = Stored(rows)
    (found,) = merged_answers(records)
    return found


@pytest.mark.parametrize(
    ("aim", "verdicts", "verdict"),
    [
        # A rule holds if it holds in all tasks, and nobody knows while one of them is open.
        ("violation", ("passed", "failed"), "failed"),
        ("violation", ("failed", None), "failed"),
        ("violation", ("passed", "inconclusive"), "inconclusive"),
        ("violation", ("passed", "undecidable"), "undecidable"),
        ("violation", ("passed", "safety part holds"), "safety part holds"),
        ("violation", ("safety part holds", "inconclusive"), "inconclusive"),
        ("violation", ("infeasible", "passed"), "passed"),
        ("violation", ("passed", None), None),
        ("violated by", ("passed", "inconclusive"), "inconclusive"),
        ("violated by", ("infeasible", "failed"), "failed"),
        # One task that shows something is enough; that no task can is said of all only.
        ("satisfied by", ("vacuous", "covered"), "covered"),
        ("satisfied by", ("covered", None), "covered"),
        ("satisfied by", ("vacuous", "inconclusive"), "inconclusive"),
        ("satisfied by", ("vacuous", "not testable"), "not testable"),
        ("satisfied by", ("infeasible", "vacuous"), "vacuous"),
        ("satisfied by", ("vacuous", None), None),
        ("reached", ("vacuous", "covered"), "covered"),
        ("together", ("covered", "conflict"), "conflict"),
        ("together", ("covered", "inconclusive"), "inconclusive"),
    ],
)
def test_tasks_together(aim: str, verdicts: tuple[str | None, ...], verdict: str | None) -> None:
    assert merged(aim, *verdicts).verdict == verdict
    assert merged(aim, *reversed(verdicts)).verdict == verdict


TWICE = read_ltl("G((s -> a) & (t -> X a))", place=Place("test"))


def occurrences_merged(*rows: tuple[int, Obligation, str | None]) -> list[str | None]:
    """What is said of the causes of a rule that has a literal twice."""
    records: Any = Stored(((0, replace(obligation("violation"), formula=TWICE), "passed"), *rows))
    found = merged_answers(records)
    return [one.verdict for one in found if one.obligation.aim == "satisfied by"]


def test_each_occurrence_of_a_literal_is_an_obligation_of_its_own() -> None:
    first = replace(obligation("satisfied by"), formula=TWICE, occurrence=1)
    second = replace(first, occurrence=3)
    found = occurrences_merged(
        (0, first, "covered"), (0, second, "vacuous"), (1, first, "vacuous"), (1, second, None)
    )
    assert found == ["covered", None]


def test_occurrences_are_one_only_where_the_same_are_left() -> None:
    """Where s is never true in one task and t in the other, each has one literal, another one."""
    now = replace(obligation("satisfied by"), formula=read_ltl("G a", place=Place("test")))
    later = replace(now, formula=read_ltl("G X a", place=Place("test")))
    assert occurrences_merged((0, now, "vacuous"), (1, later, "covered")) == ["vacuous", "covered"]
    assert occurrences_merged((0, now, "vacuous"), (1, now, "covered")) == ["covered"]


def rule(verdict: Grade = "holds", **more: Any) -> RuleResult:
    return RuleResult("R", "desired", verdict, "", 1, 2, more.pop("vacuous", ()), **more)


def summary(*rules: RuleResult, **more: Any) -> RulesSummary:
    usual: dict[str, Any] = {
        "reason": None,
        "seconds": 0.0,
        "walks": 0,
        "steps": 0,
        "bugs": 0,
        "bugs_by_kind": {},
        "rejected": (),
        "troubles": {},
        "tasks": 1,
        "obligations": 4,
        "judged": 4,
        "rules": rules,
        "met": 3,
        "feasible": 4,
        "open_obligations": 0,
        "conflicts": (),
        "unreached": (),
    }
    return RulesSummary(**{**usual, **more})


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (summary(rule()), 0),
        (summary(rule("violated")), 1),
        (summary(rule("violated"), open_obligations=1), 1),
        (summary(rule("violated", expect="violated")), 0),
        (summary(rule(expect="violated")), 1),
        (summary(rule("violated", expect="vacuous", vacuous=("a",))), 1),
        (summary(rule(expect="vacuous", vacuous=("a",))), 0),
        (summary(rule(expect="vacuous")), 1),
        (summary(rule("undecided")), 6),
        (summary(rule("never")), 0),
        (summary(rule("never", expect="holds")), 0),
        (summary(rule("holds", expect="safety part holds")), 0),
        (summary(rule("safety part holds")), 6),
        (summary(rule("safety part holds", expect="safety part holds")), 0),
        (summary(rule("safety part holds", expect="holds")), 6),
        (summary(rule("safety part holds", expect="violated")), 6),
        (summary(rule("violated", expect="safety part holds")), 1),
        (summary(rule("holds up to K", bound=3)), 6),
        (summary(rule("holds up to K", bound=3, accept_bounded=True)), 0),
        (summary(rule("holds up to K", bound=3, accept_bounded=True, expect="violated")), 1),
        (summary(rule("holds up to K", bound=3, expect="violated")), 6),
        (summary(rule("not judged")), 6),
        (summary(rule(), open_obligations=1), 6),
        (summary(rule(), judged=0), 5),
        (summary(rule(), min_coverage=75.0), 0),
        (summary(rule(), min_coverage=75.1), 1),
        (summary(rule(vacuous=("a",))), 0),
        (summary(rule(vacuous=("a",)), no_vacuous=True), 1),
        (summary(rule(vacuous=("a",), expect="vacuous"), no_vacuous=True), 0),
        (summary(rule("violated"), rejected=(("x",),)), 3),
    ],
)
def test_exit_codes(found: RulesSummary, code: int) -> None:
    assert found.exit_code == code


def test_what_was_not_judged_counts_and_only_what_no_domain_could_meet_does_not() -> None:
    found = [
        MergedAnswer(Obligation("violation", "R", "R", TRUE), verdict, 0, 0)
        for verdict in (None, *get_args(Verdict))
    ]
    assert [one.verdict for one in found if not one.counts] == ["infeasible"]
    assert [one.verdict for one in found if not one.is_judged] == [
        *(None, "safety part holds", "undecidable", "inconclusive"),
    ]


@pytest.mark.parametrize(
    ("goals", "lacks_plans"), [(("(cold a)",), True), (("(warm a)", "(cold a)"), False)]
)
def test_plans_are_lacking_only_where_no_task_has_one(
    tmp_path: Path, goals: tuple[str, ...], lacks_plans: bool
) -> None:
    domain, _, rules = written(
        tmp_path, domain=DOMAIN.replace("(warm ?l", "(cold ?l - lamp) (warm ?l", 1)
    )
    problems = [tmp_path / f"p{number}.pddl" for number in range(len(goals))]
    for path, goal in zip(problems, goals, strict=True):
        path.write_text(PROBLEM.replace("(warm a)", goal))
    files = tuple(map(str, problems))
    given = RulesOptions(domain=domain, problems=files, rules=rules, with_goal=True)
    summary = Campaign.create(tmp_path / "campaign", given).run()
    assert isinstance(summary, RulesSummary)
    assert summary.lacks_plans == lacks_plans
    assert summary.exit_code == (5 if lacks_plans else 1)


def test_many_vacuous_instances_are_one_line() -> None:
    names = [f"R[a{number}]" for number in range(7)]
    rules = [
        replace(rule(vacuous=(f"on({name})", f"off({name}) (mention 1 of 2)")), rule=name)
        for name in names
    ]
    other = replace(rule(vacuous=("on(b)",)), rule="S[b]")
    found = RulesWording().count_lines(summary(*rules, other))
    vacuous = [line for line in found if line.startswith("vacuous")]
    assert vacuous == [
        "vacuous in R (7 instances): on, off (mention 1 of 2)",
        "vacuous in S[b]: on(b)",
    ]
    few = RulesWording().count_lines(summary(rules[0], other))
    assert "vacuous in R[a0]: on(R[a0]), off(R[a0]) (mention 1 of 2)" in few


def test_many_conflicts_are_counted() -> None:
    pairs = "; ".join(f"R{number} and S" for number in range(9))
    found = summary(rule(), conflicts=(pairs,))
    shown = "; ".join([*(f"R{number} and S" for number in range(5)), "4 more"])
    assert f"no trace satisfies {shown}" in RulesWording().count_lines(found)
    found = summary(rule(), conflicts=(f"{pairs} in a.pddl, b.pddl", "R by itself in c.pddl"))
    lines = RulesWording().count_lines(replace(found, tasks=3))
    assert f"no trace satisfies {shown} in a.pddl, b.pddl" in lines
    assert "no trace satisfies R by itself in c.pddl" in lines


def test_rules_that_contradict_each_other_are_named_for_every_task(tmp_path: Path) -> None:
    head, _, _ = RULES.partition("[[rule]]")
    rule = '[[rule]]\nid = "{}"\nkind = "desired"\nforall = "?l - lamp"\nltl = "{} on(?l)"\n'
    domain, first, rules = written(
        tmp_path, rules=head + rule.format("dark", "G !") + rule.format("lit", "F")
    )
    problems = [first]
    for name, lamp in (("second", "a"), ("third", "b")):
        problems.append(str(tmp_path / f"{name}.pddl"))
        text = PROBLEM.replace("a - lamp", f"{lamp} - lamp").replace("warm a", f"warm {lamp}")
        Path(problems[-1]).write_text(text)
    given = RulesOptions(domain=domain, problems=tuple(problems), rules=rules)
    summary = Campaign.create(tmp_path / "campaign", given).run()
    assert isinstance(summary, RulesSummary)
    assert summary.conflicts == (
        f"dark[a] and lit[a] in {problems[0]}, {problems[1]}",
        f"dark[b] and lit[b] in {problems[2]}",
    )
    lines = RulesWording().count_lines(summary)
    assert sum(line.startswith("no trace satisfies dark") for line in lines) == 2
