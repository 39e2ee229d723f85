"""Vacuity of sentences over all tasks of a campaign, and the share of obligations met."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.several.campaign_checks import campaign_checks
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.replay import Status, replay_rules
from bugsieve.rooms.rules.campaign.summary import RulesSummary
from bugsieve.rooms.rules.campaign.wording import RulesWording
from tests.unit.campaigns.rules.small import DOMAIN, PROBLEM, RULES, written

HEAD, _, _ = RULES.partition("[[rule]]")
BROKEN = """[[atom]]
name = "broken(?l - lamp)"
is = "(broken ?l)"
"""


def judged(folder: Path, rule: str, *inits: str, **more: Any) -> RulesSummary:
    """One rule on lamps that are broken for good or not, on a problem for each initial state."""
    folder.mkdir(exist_ok=True)
    text = HEAD + (BROKEN if "broken" in rule else "") + f'[[rule]]\nid = "R"\n{rule}\n'
    domain, problem, rules = written(
        folder,
        domain=DOMAIN.replace("(warm ?l", "(broken ?l - lamp) (warm ?l", 1),
        rules=text + 'kind = "desired"\nforall = "?l - lamp"\n',
    )
    problems = [problem]
    for number, init in enumerate(inits):
        problems[number:] = [str(folder / f"p{number}.pddl")]
        Path(problems[-1]).write_text(PROBLEM.replace("(:init)", f"(:init {init})"))
    given = RulesOptions(domain=domain, problems=tuple(problems), rules=rules, **more)
    with Campaign.create(folder / "campaign", given) as campaign:
        summary: RulesSummary = campaign.run()
    return summary


@pytest.mark.parametrize(
    ("rule", "inits", "vacuous"),
    [
        # No lamp is on at first, so the first "upon" has nothing to say; the later ones have.
        ('english = "Upon on(?l), the lamp shall immediately satisfy on(?l)."', (), ()),
        ('english = "Upon warm(?l), the lamp shall immediately satisfy on(?l)."', (), ()),
        # Who writes the two down is told of the first.
        (
            'ltl = "(warm(?l) -> on(?l)) & G(!warm(?l) -> N(warm(?l) -> on(?l)))"',
            (),
            ("on(a) (mention 1 of 2)",),
        ),
        # What never changes, and what no state has, leaves nothing to the rest.
        ('ltl = "G(broken(?l) -> !on(?l))"', (), ("broken(a)", "on(a)")),
        ('ltl = "G(warm(?l) & !on(?l) -> N on(?l))"', (), ("on(a) (mention 2 of 2)",)),
        ('ltl = "G(!broken(?l))"', (), ("broken(a)",)),
        ('ltl = "G(warm(?l) & !broken(?l) -> on(?l))"', (), ("broken(a)",)),
        # A condition that matters in one problem is not vacuous.
        ('ltl = "G(warm(?l) & !on(?l) -> N on(?l))"', ("", "(warm a)"), ()),
        ('ltl = "G(broken(?l) -> N !warm(?l))"', ("", "(broken a)"), ("broken(a)",)),
        ('ltl = "G(broken(?l) -> N !warm(?l))"', ("", "(broken a) (on a)"), ("broken(a)",)),
    ],
)
def test_conditions_of_the_sentence(
    tmp_path: Path, rule: str, inits: tuple[str, ...], vacuous: tuple[str, ...]
) -> None:
    summary = judged(tmp_path, rule, *inits, no_vacuous=True)
    (result,) = summary.rules
    assert result.vacuous == vacuous, summary
    if result.grade == "holds":
        assert summary.exit_code == (1 if vacuous else 0)
        failed = [
            one for one in campaign_checks(tmp_path / "campaign") if one.outcome == "failure"
        ]
        assert [one.reason for one in failed] == [f"vacuous: {', '.join(vacuous)}"] * (
            len(failed) if vacuous else 0
        )
        assert bool(failed) == bool(vacuous)


def test_what_is_expected_to_be_vacuous_may_never_change(tmp_path: Path) -> None:
    rule = 'ltl = "G(broken(?l) -> !on(?l))"\nexpect = "vacuous"'
    summary = judged(tmp_path, rule, no_vacuous=True)
    assert summary.exit_code == 0 and not summary.failures
    outcomes = {one.outcome for one in campaign_checks(tmp_path / "campaign")}
    assert "failure" not in outcomes
    summary = judged(tmp_path / "on", rule.replace("broken", "on"))
    assert summary.exit_code == 1 and summary.failures


def test_rules_with_atoms_that_never_change_are_opened_again(tmp_path: Path) -> None:
    """A violation is certified without them, also of a rule that only they decide."""
    for name, rule in (("f", "F broken(?l) & G(warm(?l) -> on(?l))"), ("g", "G broken(?l)")):
        folder = tmp_path / name
        summary = judged(folder, f'ltl = "{rule}"')
        assert summary.exit_code == 1 and summary.rules[0].verdict == "violated"
        with Campaign.open(folder / "campaign") as campaign:
            assert replace(campaign.run(), seconds=summary.seconds) == summary
        assert Status.STILL_VIOLATED in {one.status for one in replay_rules(folder / "campaign")}


def test_the_share_is_of_all_obligations(tmp_path: Path) -> None:
    """Also of those that nobody judged, or that prefixes cannot show."""
    summary = judged(tmp_path, 'ltl = "F warm(?l)"')
    (result,) = summary.rules
    assert (result.verdict, result.met, result.feasible) == ("safety part holds", 1, 3)
    assert (summary.met, summary.feasible, summary.unjudged) == (3, 5, 2)
    (line,) = [one for one in RulesWording().count_lines(summary) if "coverage" in one]
    assert line.startswith("coverage 60.0 %: 3 of 5") and line.endswith("; 2 not judged")
    rule = 'ltl = "G(warm(?l) & !on(?l) -> N on(?l))"'
    whole = judged(tmp_path / "whole", rule, min_coverage=95.0)
    assert whole.met < whole.feasible and not whole.unjudged and whole.exit_code == 1
    judged(tmp_path / "cut", rule, stop=StopRules(max_time=1e-9))
    cut = summary_of(tmp_path / "cut" / "campaign")
    assert isinstance(cut, RulesSummary) and cut.judged < cut.obligations
    assert cut.feasible == whole.feasible and cut.unjudged and cut.met < whole.met
