"""Tests of rules on models of timelines: the same campaigns as on tasks."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns import session
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.several.campaign_checks import campaign_checks
from bugsieve.campaigns.verdict import BUGS_FOUND
from bugsieve.rooms.domain_testing.coverage_runs import cover_tests
from bugsieve.rooms.regression.junit import junit_text
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.replay import Status, replay_rules
from bugsieve.rooms.rules.campaign.subject import load_rules, stored_tasks
from bugsieve.rooms.rules.campaign.summary import RulesSummary
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.tasks.search_limits import Limits
from tests.unit.campaigns.rules.door import FAULTY, OBLIGATIONS, RULES, written
from tests.unit.campaigns.rules.small import said


def options(folder: Path, *, rules: str = RULES, **more: Any) -> RulesOptions:
    domain, *problems, file = written(folder, rules=rules)
    return RulesOptions(domain=domain, problems=tuple(problems), rules=file, slots=6, **more)


def run(folder: Path, given: RulesOptions) -> RulesSummary:
    found = Campaign.create(folder, given).run()
    assert isinstance(found, RulesSummary)
    return found


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("door")
    summary = run(place / "campaign", options(place))
    assert summary.exit_code == BUGS_FOUND and summary.judged == OBLIGATIONS
    return place / "campaign"


def test_obligations_come_in_the_order_of_the_file(campaign: Path) -> None:
    with RulesRecords(campaign) as records:
        rows = [(row.obligation.aim, row.obligation.rule) for row in records.obligations()]
        verdicts = [row.answer.verdict for row in records.answers()]
    assert rows[0] == ("violation", "short") and ("violation", "shut") in rows
    assert [aim for aim, rule in rows if not rule] == ["reached"] * 2 + ["together"]
    assert verdicts[0] == "passed" and verdicts.count("failed") == 2
    assert {path.name for path in campaign.iterdir()} >= {"model.nddl", "rules.toml"}


def test_a_campaign_that_was_cut_goes_on_to_the_same_answers(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_COMMIT_SECONDS", 0.0)
    folder = tmp_path / "cut"
    heard: list[object] = []

    def leave(event: object) -> None:
        heard.append(event)
        if len(heard) == 8:
            raise KeyboardInterrupt

    with Campaign.create(folder, options(tmp_path)) as cut, pytest.raises(KeyboardInterrupt):
        cut.run(leave)
    assert 0 < summary_of(folder).judged < OBLIGATIONS
    for name in ("classes.nddl", "world.nddl", "rules.toml"):
        (tmp_path / name).unlink()  # the folder has all that it needs
    Campaign.open(folder).run()
    assert said(folder) == said(campaign)


def test_replaying(campaign: Path, tmp_path: Path) -> None:
    own = {item.status for item in replay_rules(campaign)}
    assert own == {Status.STILL_VIOLATED, Status.STILL_COVERED, Status.PROOF_HOLDS}
    (tmp_path / "classes.nddl").write_text(FAULTY)
    found = list(replay_rules(campaign, tmp_path / "classes.nddl"))
    first = found[0]
    assert (first.row.obligation.rule, first.status) == ("short", Status.NOW_VIOLATED)
    assert Status.STILL_VIOLATED in {item.status for item in found}


def test_replaying_where_the_class_is_gone(campaign: Path, tmp_path: Path) -> None:
    file = tmp_path / "classes.nddl"
    file.write_text(FAULTY.replace("class Door", "class Gate").replace("Door::", "Gate::"))
    found = list(replay_rules(campaign, file))
    assert {item.status for item in found} == {Status.LOST, Status.PROOF_LOST}
    assert "Door" in found[0].sentence
    file.write_text("class {")
    with pytest.raises(InputError, match=r"classes.nddl:1"):
        list(replay_rules(campaign, file))


def test_junit(campaign: Path) -> None:
    root = ElementTree.fromstring(junit_text("rules", campaign_checks(campaign)))
    assert (root.attrib["tests"], root.attrib["failures"]) == (str(OBLIGATIONS), "2")
    assert "door.Open " in " ".join(item.attrib["message"] for item in root.iter("failure"))


def test_a_spent_budget_is_left_open(tmp_path: Path) -> None:
    given = options(tmp_path, limits=Limits(expansions=0))
    assert run(tmp_path / "campaign", given).exit_code == 6


def test_coverage_is_of_domains(campaign: Path) -> None:
    with pytest.raises(UsageError, match="plans on timelines"):
        cover_tests(campaign)


def test_a_store_without_its_further_files(campaign: Path, tmp_path: Path) -> None:
    """The stored model is all of it: nothing is looked for beside the folder."""
    moved = tmp_path / "moved"
    shutil.copytree(campaign, moved)
    assert said(moved) == said(campaign)
    assert next(iter(replay_rules(moved))).status is Status.PROOF_HOLDS


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"lassos": True}, "--lassos is for tasks"),
        ({"slots": 0}, "slots must be between 1 and 2000"),
        ({"rules": ""}, "name a rules file"),
    ],
)
def test_options_that_do_not_fit(changed: dict[str, Any], sentence: str) -> None:
    given = {"domain": "door.nddl", "rules": "rules.toml", **changed}
    with pytest.raises(UsageError, match=sentence):
        RulesOptions(**given)


def test_a_model_without_a_horizon(tmp_path: Path) -> None:
    classes, _, rules = written(tmp_path)
    with pytest.raises(InputError, match="no PlannerConfig"):
        load_rules(RulesOptions(domain=classes, rules=rules))


def test_plans_have_charts_of_their_own(campaign: Path) -> None:
    with RulesRecords(campaign) as records:
        (bound,) = stored_tasks(records)
        trace = next(row.answer.trace for row in records.answers() if row.answer.trace)
    chart = bound.drawing(trace, title="a plan & a title", picture=None)
    shown = [item.text for item in ElementTree.fromstring(chart.text).iter()]
    assert "a plan & a title" in shown and "door" in shown
