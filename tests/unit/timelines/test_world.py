"""A whole rules file on a timeline model, judged as rules are everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.file.reading import RulesFile, read_rules, rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.obligation import (
    Obligation,
    obligations_of,
    rule_obligations,
)
from bugsieve.rooms.timelines.binding import bind_rules
from bugsieve.rooms.timelines.models.loading import load_timelines
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.world import TimelineWorld, check_plan
from bugsieve.tasks.search_limits import Limits
from tests.unit.timelines.rover import FOLDER, door

RULES = """format = 1
[[atom]]
name = "lamp(?c - Colour)"
is = "token(Door.Open, lamp = ?c)"
[[atom]]
name = "open"
is = "token(Door.Open)"
[[atom]]
name = "closed"
is = "token(Door.Closed)"
"""
PLANS = JudgeOptions(with_goal=True)


def rules(more: str) -> RulesFile:
    return rules_of(Source("rules.toml", RULES + more))


def rule(ltl: str, kind: str = "desired", name: str = "R", **more: str) -> str:
    keys = {"id": name, "kind": kind, "ltl": ltl, **more}
    return "\n".join(["[[rule]]", *(f'{key} = "{value}"' for key, value in keys.items())]) + "\n"


def judged(
    text: str, options: JudgeOptions | None = None, model: Model | None = None, slots: int = 6
) -> list[tuple[Obligation, Answer]]:
    model = door() if model is None else model
    bound = bind_rules(rules(text), model)
    check = partial(check_plan, model, bound)
    judge = RuleJudge(TimelineWorld(model, bound, slots), options or JudgeOptions(), check)
    found = [(item, judge.judge(item)) for item in obligations_of(bound.rules)]
    assert not judge.rejected
    for item, answer in found:
        if item.aim != "together":
            assert (answer.trace is not None) == (answer.verdict in ("failed", "covered"))
    return found


def verdicts(found: list[tuple[Obligation, Answer]]) -> list[tuple[str, str, str, str]]:
    return [(item.rule, item.aim, item.literal, answer.verdict) for item, answer in found]


def test_each_rule_has_its_verdicts() -> None:
    text = rule("G(lamp(?c) -> !closed)", forall="?c - Colour")
    text += rule("G !open", name="S", expect="violated")
    text += rule("F lamp(red)", "forbidden", "T") + rule("F open", name="U")
    assert verdicts(judged(text)) == [
        ("R[red]", "violation", "", "passed"),
        ("R[red]", "violated by", "lamp(red)", "passed"),
        ("R[red]", "violated by", "closed", "passed"),
        ("R[red]", "satisfied by", "!lamp(red)", "covered"),
        ("R[red]", "satisfied by", "!closed", "vacuous"),
        ("R[green]", "violation", "", "passed"),
        ("R[green]", "violated by", "lamp(green)", "passed"),
        ("R[green]", "violated by", "closed", "passed"),
        ("R[green]", "satisfied by", "!lamp(green)", "covered"),
        ("R[green]", "satisfied by", "!closed", "covered"),
        ("S", "violation", "", "failed"),
        ("S", "violated by", "open", "failed"),
        ("S", "satisfied by", "!open", "covered"),
        ("T", "violation", "", "passed"),
        ("T", "violated by", "lamp(red)", "passed"),
        ("T", "satisfied by", "!lamp(red)", "covered"),
        ("U", "violation", "", "safety part holds"),
        ("U", "violated by", "!open", "undecidable"),
        ("U", "satisfied by", "open", "covered"),
        ("", "reached", "closed", "covered"),
        ("", "reached", "!closed", "covered"),
        ("", "reached", "lamp(red)", "vacuous"),
        ("", "reached", "!lamp(red)", "covered"),
        ("", "reached", "lamp(green)", "covered"),
        ("", "reached", "!lamp(green)", "covered"),
        ("", "reached", "open", "covered"),
        ("", "reached", "!open", "covered"),
        ("", "together", "", "covered"),
    ]


def test_absence_names_tokens_and_horizon_and_whether_more_would_fit() -> None:
    for slots, said in ((2, "at most 2 tokens per timeline from 0 to 6"), (6, "(complete: no ")):
        for item, answer in judged(rule("G !lamp(red)"), slots=slots):
            if answer.verdict in ("passed", "vacuous"):
                assert said in answer.reason, item


CLOSED_AT_THE_END = "goal(Door.Closed last); eq(last.start, [4 5]); leq(6, last.end);"


@pytest.mark.parametrize(
    ("ltl", "goals", "verdict"),
    [
        ("F open", "", "failed"),
        ("F open", CLOSED_AT_THE_END, "passed"),
        ("G(open -> F closed)", "", "failed"),
        ("G(open -> F closed)", CLOSED_AT_THE_END, "passed"),
    ],
)
def test_with_the_goal_the_end_of_a_plan_is_the_end(ltl: str, goals: str, verdict: str) -> None:
    """The door closes after it was open, unless that lies beyond the horizon."""
    (_, before), *_ = judged(rule(ltl), model=door(goals))
    (_, answer), *_ = judged(rule(ltl), PLANS, door(goals))
    assert before.verdict == "safety part holds"
    assert (answer.verdict, answer.reading) == (verdict, "plan")
    assert answer.view == ("neutral" if verdict == "failed" else None)


def test_nothing_passes_where_there_is_no_plan() -> None:
    model = door("goal(Door.Open a); goal(Door.Closed b); eq(a.start, 2); eq(b.start, 2);")
    for options in (JudgeOptions(), PLANS):
        found = judged(rule("G !lamp(red)") + rule("F open", name="S"), options, model)
        assert {answer.verdict for _, answer in found} <= {
            *("undecidable", "not testable", "vacuous"),
        }
        reached = [answer.verdict for item, answer in found if item.aim == "reached"]
        assert set(reached) == {"vacuous"}


def test_rules_that_no_plan_keeps_together() -> None:
    model = door("goal(Door.Open a);")
    text = rule("G !open") + rule("F closed", name="S")
    text += rule("closed", name="T") + rule("!closed", name="U")
    (_, answer) = judged(text, PLANS, model)[-1]
    assert answer.verdict == "conflict"
    assert answer.reason.startswith("R by itself (no plan with at most 6")
    assert answer.reason.endswith("; T and U")
    assert "R and" not in answer.reason and "S" not in answer.reason


def test_a_rule_that_no_plan_keeps_shows_nothing() -> None:
    model = door("goal(Door.Open a); eq(a.start, 0);")
    found = [answer for item, answer in judged(rule("!open"), model=model) if item.rule]
    assert [answer.verdict for answer in found] == ["failed", "failed", "not testable"]
    assert found[-1].reason == "no plan keeps the rule"


def test_what_comes_again_and_again_is_left_open() -> None:
    (_, answer) = judged(rule("G F open") + rule("G F !open", name="S"))[-1]
    assert answer.verdict == "inconclusive" and "--with-goal" in answer.reason


def test_the_example_fits_its_model() -> None:
    file = read_rules(FOLDER / "rover-timelines.toml")
    model = load_timelines(FOLDER / "rover.nddl")
    bound = bind_rules(file, model)
    assert [found.id for found in bound.rules] == ["FR-1", "FR-2"]
    assert sorted(bound.atoms) == ["charged", "moving", "stowed"]
    judge = RuleJudge(TimelineWorld(model, bound, 12), JudgeOptions(), None)
    items = rule_obligations(bound.rules[1])
    traps = {to_text(formula) for item in items for _, formula, _ in judge.formulas(item)}
    assert "(!moving | stowed) U (moving & !stowed)" in traps


def test_warnings_have_places() -> None:
    bound = bind_rules(rules(rule("open | !open")), door())
    assert any("a tautology" in said and said.startswith("rules.toml:") for said in bound.warnings)
    assert sum("no rule uses the atom" in said for said in bound.warnings) == 2


def test_a_spent_budget_is_no_pass() -> None:
    limits = JudgeOptions(limits=Limits(expansions=0))
    found = judged(rule("G !lamp(red)"), limits)
    assert found[0][1].verdict == "inconclusive"
    assert {answer.verdict for _, answer in found} <= {"inconclusive", "passed", "vacuous"}


FORGERIES: Mapping[str, Any] = {
    "another horizon": lambda data: data["plan"].update(horizon=[0, 10**12]),
    "no tokens": lambda data: data["plan"].update(tokens=[]),
    "other letters": lambda data: data["plan"].update(letters=[[]] * 6),
    "another formula": lambda data: data.update(formula="G !open"),
    "other atoms": lambda data: data.update(atoms={**data["atoms"], "open": "token(Door.Closed)"}),
    "another model": lambda data: data.update(task={"name": "door", "sha256": "0" * 64}),
    "no plan": lambda data: data.pop("plan"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_plans_are_refused(name: str) -> None:
    model = door("goal(Door.Open a);")
    text = rule("G !open")
    ((_, answer), *_) = judged(text, model=model)
    assert answer.trace is not None
    bound = bind_rules(rules(text), model)
    data = {**answer.trace, "plan": dict(answer.trace["plan"])}
    check_plan(model, bound, data)
    FORGERIES[name](data)
    with pytest.raises(ValueError):  # noqa: PT011 - each refusal has its own sentence
        check_plan(model, bound, data)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (rule("G lamp(?c)", forall="?c - Color"), r"toml:\d+.*no class or enum\w+ 'Color'"),
        (rule("G lamp(blue)"), r"rules.toml:4:\d+: the atom 'lamp'.*'blue'"),
    ],
)
def test_rules_that_do_not_fit_the_model(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        bind_rules(rules(text), door())
