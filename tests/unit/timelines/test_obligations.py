"""A whole rules file on a timeline model."""

from __future__ import annotations

import pytest

from bugsieve.basis.errors import InputError
from bugsieve.rules.file.reading import RulesFile, read_rules, rules_of
from bugsieve.rules.file.source import Source
from bugsieve.rules.ltl.printer import to_text
from bugsieve.timelines.binding import bind_rules
from bugsieve.timelines.deciding import Limits, PlanFound
from bugsieve.timelines.models.loading import load_timelines
from bugsieve.timelines.obligations import (
    Outcome,
    Settings,
    judge_rules,
    obligations,
    plan_of,
)
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


def rules(more: str) -> RulesFile:
    return rules_of(Source("rules.toml", RULES + more))


def verdicts(outcomes: tuple[Outcome, ...]) -> list[tuple[str, str, str, str]]:
    return [
        (o.obligation.rule, o.obligation.literal, o.obligation.polarity, o.verdict)
        for o in outcomes
    ]


def test_each_rule_has_its_verdicts() -> None:
    file = rules(
        """[[rule]]
        id = "R"
        kind = "desired"
        forall = "?c - Colour"
        ltl = "G(lamp(?c) -> !closed)"
        [[rule]]
        id = "S"
        kind = "desired"
        ltl = "G !open"
        [[rule]]
        id = "T"
        kind = "forbidden"
        ltl = "F lamp(red)"
        [[rule]]
        id = "U"
        kind = "desired"
        ltl = "F open"
        """
    )
    outcomes = judge_rules(door(), file, Settings(slots=6))
    assert verdicts(outcomes) == [
        ("R[red]", "", "negative", "pass"),
        ("R[red]", "lamp(red)", "negative", "pass"),
        ("R[red]", "closed", "negative", "pass"),
        ("R[red]", "!lamp(red)", "positive", "covered"),
        ("R[red]", "!closed", "positive", "vacuous"),
        ("R[green]", "", "negative", "pass"),
        ("R[green]", "lamp(green)", "negative", "pass"),
        ("R[green]", "closed", "negative", "pass"),
        ("R[green]", "!lamp(green)", "positive", "covered"),
        ("R[green]", "!closed", "positive", "covered"),
        ("S", "", "negative", "fail"),
        ("S", "open", "negative", "fail"),
        ("S", "!open", "positive", "covered"),
        ("T", "", "positive", "confirmed impossible"),
        ("T", "lamp(red)", "positive", "confirmed impossible"),
        ("U", "", "negative", "undecidable on prefixes"),
        ("U", "!open", "negative", "infeasible"),
        ("U", "open", "positive", "covered"),
    ]
    for outcome in outcomes:
        is_found = outcome.verdict in ("fail", "covered")
        assert (plan_of(outcome) is not None) == is_found
        assert isinstance(outcome.decision, PlanFound) == is_found
        assert (outcome.view is not None) == is_found


def test_the_example_fits_its_model() -> None:
    file = read_rules(FOLDER / "rover-timelines.toml")
    bound = bind_rules(file, load_timelines(FOLDER / "rover.nddl"))
    assert [rule.id for rule in bound.rules] == ["FR-1", "FR-2"]
    assert sorted(bound.atoms) == ["charged", "moving", "stowed"]
    traps = {to_text(f) for o in obligations(bound.rules[1]) for _, f in o.formulas}
    assert "(!moving | stowed) U (moving & !stowed)" in traps


def test_a_spent_budget_is_no_pass() -> None:
    file = rules('[[rule]]\nid = "R"\nkind = "desired"\nltl = "G !lamp(red)"\n')
    outcomes = judge_rules(door(), file, Settings(limits=Limits(0.0)))
    assert {outcome.verdict for outcome in outcomes} <= {"inconclusive", "pass", "vacuous"}
    assert outcomes[0].verdict == "inconclusive"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'forall = "?c - Color"\nltl = "G lamp(?c)"',
            r"toml:\d+.*no class or enum\w+ 'Color'",
        ),
        ('ltl = "G lamp(blue)"', r"rules.toml:4:\d+: the atom 'lamp'.*'blue'"),
    ],
)
def test_rules_that_do_not_fit_the_model(text: str, sentence: str) -> None:
    file = rules(f'[[rule]]\nid = "R"\nkind = "desired"\n{text}\n')
    with pytest.raises(InputError, match=sentence):
        judge_rules(door(), file)
