"""Measurements are campaigns: they resume, share work, and stop at looks."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.measured import LOW_RISK, measured_lines, percent
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.problems import ProblemCampaigns
from bugsieve.campaigns.salvage import salvage_campaign
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.summary import Summary
from bugsieve.pipeline.measuring.figures import Figures
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.sample import ALL_MADE, sampling
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.problem_sets import problems_of
from bugsieve.tasks.search_limits import Limits
from tests.unit.campaigns.contents import contents, verdicts
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.campaigns.safety.ledge import Leftist, loaded
from tests.unit.policies.generated import generated_task, write_task

HUNDRED = StopRules(tests=100)
OPTIONS = CostOptions(
    task=(), policy="random:3", sample="1/1", fuzz=sampling(walk_length=12), stop=HUNDRED
)
# Little effort at first, so that some failing runs are left open and searched once more.
LAZY = replace(OPTIONS, oracles=("planner:gbfs",), limits=Limits(expansions=4), escalate_to=12)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=4)


def measured(folder: Path, task: Task, options: CostOptions = OPTIONS) -> Any:
    with Campaign.create(folder, options, task) as campaign:
        return campaign.run()


def shown_in(folder: Path) -> Any:
    with CostRecords(folder) as records:
        return records.tests(), verdicts(records, "planner:gbfs", 1) if records.levels() else []


@pytest.mark.parametrize("options", [OPTIONS, LAZY])
@pytest.mark.parametrize("cut", [1, 9])
def test_a_measurement_that_is_cut_goes_on_as_if_it_was_not(
    task: Task, tmp_path: Path, options: CostOptions, cut: int
) -> None:
    whole = measured(tmp_path / "whole", task, options)
    events = interrupted(Campaign.create(tmp_path / "cut", options, task), cut)
    assert {event.noun for event in events if isinstance(event, RoundDone)} <= {"tests"}
    with Campaign.open(tmp_path / "cut") as campaign:
        resumed = campaign.run()
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert shown_in(tmp_path / "cut") == shown_in(tmp_path / "whole")
    assert resumed.measured == whole.measured
    assert whole.reason == ALL_MADE


def test_workers_change_nothing(task: Task, tmp_path: Path) -> None:
    one = measured(tmp_path / "one", task, LAZY)
    two = measured(tmp_path / "two", task, replace(LAZY, workers=2))
    assert shown_in(tmp_path / "one") == shown_in(tmp_path / "two")
    assert one.measured == two.measured


def test_no_verdict_depends_on_the_tests_before(task: Task, tmp_path: Path) -> None:
    measured(tmp_path / "all", task, LAZY)
    shown: dict[bytes, set[Any]] = {}
    with CostRecords(tmp_path / "all") as records:
        for state, (_, test) in zip(records.pool().states, records.tests(), strict=True):
            shown.setdefault(state.tobytes(), set()).add(test)
    assert len(shown) < 100
    assert all(len(tests) == 1 for tests in shown.values())
    assert {test.is_open for tests in shown.values() for test in tests} == {True, False}


def test_more_tests_are_made_on_request(task: Task, tmp_path: Path) -> None:
    first = measured(tmp_path / "few", task)
    with Campaign.open(tmp_path / "few", stop=StopRules(tests=200)) as campaign:
        more = campaign.run()
    whole = measured(tmp_path / "whole", task, replace(OPTIONS, stop=StopRules(tests=200)))
    assert more.measured == whole.measured
    assert more.measured.looks[:1] == first.measured.looks


def test_a_low_risk_is_enough(task: Task, tmp_path: Path) -> None:
    wanted = StopRules(tests=800, until_risk=0.05)
    found = measured(tmp_path / "risk", task, replace(OPTIONS, stop=wanted))
    assert found.reason == LOW_RISK
    limits = [look.risk.limit for look in found.measured.looks]
    assert limits[-1] <= 0.05 < min(limits[:-1])
    with Campaign.open(tmp_path / "risk") as campaign:
        assert campaign.run().measured == found.measured


def test_before_the_first_look_nothing_is_promised(task: Task, tmp_path: Path) -> None:
    interrupted(Campaign.create(tmp_path / "cut", OPTIONS, task), 2)
    summary = summary_of(tmp_path / "cut")
    assert (summary.measured.share, summary.measured.risk) == (None, None)
    (line,) = measured_lines(summary, summary.measured)
    assert line.startswith("no figures yet: ")


def test_undecided_tests_are_in_both_figures(task: Task, tmp_path: Path) -> None:
    blind = replace(LAZY, limits=Limits(expansions=1), escalate_to=0)
    found = measured(tmp_path / "blind", task, blind)
    share, risk = found.measured.share, found.measured.risk
    assert 0 < share.undecided == found.undecided
    assert share.high > (share.bugs + share.undecided) / 100
    assert risk.estimate >= share.undecided / 100
    lines = measured_lines(found, found.measured)
    assert f"{share.undecided} undecided)" in lines[0]
    assert "undecided tests count as new" in lines[1]


def test_oracles_that_learn_are_refused_by_name(task: Task, tmp_path: Path) -> None:
    for spec in ("bmo:10", "combined:bmo:10+aras"):
        with pytest.raises(UsageError, match=f"the oracle '{spec.replace('+', '.')}' learns"):
            measured(tmp_path / "x", task, replace(OPTIONS, oracles=(spec,)))
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"fuzz": FuzzOptions()}, "the end of a uniform walk"),
        ({"mode": "separate"}, "without a pool"),
        ({"from_states": "x.json"}, "start from the initial state"),
        ({"sample": "3/2"}, "sample must be K/N"),
        ({"sample": None}, "for measurements"),
    ],
)
def test_a_measurement_takes_no_pool(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        replace(OPTIONS, **change)


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        ({"tests": 150}, "tests must be 100 or 200, not 150"),
        ({"tests": 50}, "tests must be 100, not 50"),
        ({"tests": 0}, "at least 1"),
        ({"tests": 100 << 40}, "at most"),
        ({"until_risk": 0.0}, "between 0 and 1"),
        ({"until_risk": 1e-12}, "at least"),
        ({"until_risk": 0.001}, "1600 tests cannot show a risk of 0.001.*it takes 25600 tests"),
    ],
)
def test_what_no_measurement_can_show_is_not_asked_of_it(
    rules: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        StopRules(**rules)


def test_a_damaged_measurement_keeps_its_first_tests(task: Task, tmp_path: Path) -> None:
    whole = measured(tmp_path / "whole", task)
    with closing(sqlite3.connect(tmp_path / "whole" / STORE_FILE)) as connection, connection:
        connection.execute("UPDATE pool SET state = x'00' WHERE number = 70")
    with pytest.raises(InputError, match="damaged"), CostRecords(tmp_path / "whole") as records:
        records.pool()
    salvage_campaign(tmp_path / "whole", tmp_path / "kept")
    assert 0 < summary_of(tmp_path / "kept").measured.tests <= 70
    with Campaign.open(tmp_path / "kept") as campaign:
        assert campaign.run().measured == whole.measured


def figures_in(summary: Summary) -> Figures:
    assert summary.measured is not None
    return summary.measured


def problem_files(folder: Path) -> list[str]:
    files = [write_task(folder, "blocksworld", seed=seed, blocks=3) for seed in (1, 2, 3)]
    return [files[0][0], *(problem for _, problem in files)]


def test_problems_are_drawn_test_by_test(tmp_path: Path) -> None:
    problems = problems_of(*problem_files(tmp_path))
    whole = ProblemCampaigns.create(tmp_path / "whole", OPTIONS, problems).run(is_typed=True)
    assert whole.measured is not None and whole.measured.tests == 100
    parts = [figures_in(part).tests for part in whole.parts.values()]
    assert sum(parts) == 100 and min(parts) > 15
    assert sum(whole.measured.causes.values()) == whole.measured.looks[0].share.bugs

    campaigns = ProblemCampaigns.create(tmp_path / "cut", OPTIONS, problems)

    def cut(campaign: Campaign) -> None:
        interrupted(campaign, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaigns.run(conduct=cut, is_typed=True)
    assert figures_in(campaigns.summary()).tests < 10  # tests of other problems are missing
    assert ProblemCampaigns.open(tmp_path / "cut").run().measured == whole.measured


def test_tests_of_a_problem_that_cannot_be_loaded_are_undecided(tmp_path: Path) -> None:
    files = problem_files(tmp_path)
    text = Path(files[2]).read_text()
    Path(files[2]).write_text("(define (problem x)")
    problems = problems_of(*files)
    found = ProblemCampaigns.create(tmp_path / "x", OPTIONS, problems).run(is_typed=True)
    assert found.measured is not None and found.measured.tests == 100
    made = sum(figures_in(part).tests for part in found.parts.values())
    assert found.measured.looks[0].share.undecided == 100 - made > 15
    Path(files[2]).write_text(text)
    mended = ProblemCampaigns.open(tmp_path / "x").run()
    assert mended.measured is not None
    assert mended.measured.looks[0].share.undecided == 0


SAFETY = SafetyOptions(
    model=(),
    policy="x",
    sample="1/1",
    shared_runs=1,
    fuzz=SafetyFuzzOptions(choice="uniform", lookahead=1),
    stop=StopRules(tests=400),
)


def test_runs_of_a_model_are_measured(tmp_path: Path) -> None:
    model = loaded(tmp_path)
    found = bugsieve.measure(model, Leftist(model, 3), tests=400, folder=tmp_path / "runs")
    # From 2 and 3 every run ends in danger after the fault at 3, from 4 and 5 none; from 1, half
    # of them fall at once, which nobody could have avoided, and the others come to 3.
    assert found.share is not None and found.share.low < 0.5 < found.share.high
    assert found.share.low > 0.4
    assert found.share.undecided == 0
    cut = Campaign.create(tmp_path / "cut", SAFETY, model, policy=Leftist(model, 3))
    interrupted(cut, 2)
    with Campaign.open(tmp_path / "cut", policy=Leftist(model, 3)) as campaign:
        assert campaign.run().measured == found.figures


def test_what_is_said_of_a_run_does_not_depend_on_earlier_ones(tmp_path: Path) -> None:
    for change in ({"shared_runs": 2}, {"sample": "1/2"}, {"fuzz": SafetyFuzzOptions()}):
        with pytest.raises(UsageError, match="judged one by one"):
            replace(SAFETY, **change)


def test_python_measures_as_the_command_does(task: Task, tmp_path: Path) -> None:
    found = bugsieve.measure(task, "random:3", tests=100, walk_length=12)
    again = measured(tmp_path / "x", task)
    assert asdict(found.figures) == asdict(again.measured)
    assert (found.share, found.risk) == (again.measured.share, again.measured.risk)
    assert sum(found.causes.values()) == again.measured.share.bugs
    verdict, share, _ = str(found).splitlines()
    assert verdict == str(again.verdict) and " bugs with " in verdict
    assert share.startswith("share of tests with a bug: ")
    assert {bug.cause.id for bug in found.bugs} == set(found.causes)


def test_limits_are_rounded_to_the_safe_side() -> None:
    assert percent(0.12341, math.ceil) == "12.4 %"
    assert percent(0.12349, math.floor) == "12.3 %"
    assert percent(0.000012, math.ceil) == "0.0012 %"
    assert percent(0.0) == "0 %"


def test_problems_on_which_a_policy_gives_no_answer_are_undecided(tmp_path: Path) -> None:
    problems = problems_of(*problem_files(tmp_path))
    campaigns = ProblemCampaigns.create(tmp_path / "x", OPTIONS, problems, is_object=True)

    def answer(facts: object, applicable: Any) -> Any:
        raise KeyError("x")

    found = campaigns.run(bind=lambda task: bugsieve.policy(answer).bind(task), is_typed=True)
    assert all(part.unanswered for part in found.parts.values())
    assert figures_in(found).tests == 0  # nothing but bugs would be wrong
    assert found.exit_code == 5
