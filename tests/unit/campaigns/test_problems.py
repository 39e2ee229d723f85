"""Several problems: each has a campaign as if it were alone, and limits are about all."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.unlinked_folders import PROBLEMS_FILE
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.problems import ProblemCampaigns, read_problem_set, share
from bugsieve.campaigns.several.several import JointSummary, joint_summary
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignResult, CampaignVerdict
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.problem_sets import ProblemFiles, problems_of
from tests.unit.policies.generated import write_task

OPTIONS = CostOptions(task=(), policy="hill-climbing:hadd", fuzz=FuzzOptions(pool_size=10))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A domain and three problems of it."""
    folder = tmp_path_factory.mktemp("blocksworld")
    made = [write_task(folder, "blocksworld", seed=seed, blocks=4) for seed in (1, 2, 3)]
    return [made[0][0], *(problem for _, problem in made)]


@pytest.fixture(scope="module")
def problems(files: list[str]) -> tuple[ProblemFiles, ...]:
    return problems_of(*files)


@pytest.fixture(scope="module")
def whole(problems: tuple[ProblemFiles, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all problems give without a limit."""
    folder = tmp_path_factory.mktemp("whole") / "set"
    ProblemCampaigns.create(folder, OPTIONS, problems).run()
    return folder


def found(folder: Path) -> list[str]:
    with CostRecords(folder) as records:
        return records.ranked()


def test_each_problem_is_tested_as_if_it_were_alone(
    problems: tuple[ProblemFiles, ...], whole: Path, tmp_path: Path
) -> None:
    summary = ProblemCampaigns.open(whole).summary()
    assert [*summary.parts] == [problem.name for problem in problems]
    assert (summary.outcome, summary.exit_code, summary.reason) == (
        *(CampaignResult.BUGS, 1),
        "all campaigns are done",
    )
    last = problems[-1]
    Campaign.create(tmp_path / "alone", OPTIONS, load_task(*last.files)).run()
    assert found(tmp_path / "alone") == found(whole / last.name)
    assert summary.bugs == sum(part.bugs for part in summary.parts.values()) > 0


def test_a_session_that_was_cut_goes_on_with_all_problems(
    problems: tuple[ProblemFiles, ...], whole: Path, tmp_path: Path
) -> None:
    campaigns = ProblemCampaigns.create(tmp_path / "cut", OPTIONS, problems)

    def cut(campaign: Campaign) -> None:
        campaign.run()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaigns.run(conduct=cut, is_typed=True)
    summary = campaigns.summary()
    assert (len(summary.parts), len(summary.not_begun), summary.reason) == (1, 2, None)
    begun: list[str] = []

    def conduct(campaign: Campaign) -> None:
        begun.append(campaign.directory.name)
        campaign.run()

    resumed = ProblemCampaigns.open(tmp_path / "cut").run(conduct=conduct)
    assert begun == [problem.name for problem in problems[1:]]
    assert resumed.reason == "all campaigns are done" and not resumed.not_begun
    for problem in problems:
        assert found(tmp_path / "cut" / problem.name) == found(whole / problem.name)


def test_a_problem_that_cannot_be_loaded_does_not_stop_the_others(
    files: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a-bad.pddl").write_text("(define (problem x)")
    problems = problems_of(*files[:2], str(tmp_path / "a-bad.pddl"))
    folder = tmp_path / "results"
    careful = replace(OPTIONS, policy="optimal")
    summary = ProblemCampaigns.create(folder, careful, problems).run()
    assert "a-bad.pddl:1: the '(' on this line is never closed" in summary.failed["a-bad"]
    assert (len(summary.parts), summary.outcome, summary.exit_code) == (
        1,
        CampaignResult.FAILED,
        4,
    )
    assert read_problem_set(folder).errors == summary.failed
    (tmp_path / "a-bad.pddl").write_text(Path(files[2]).read_text())
    mended = ProblemCampaigns.open(folder).run()
    assert (len(mended.parts), mended.failed, mended.exit_code) == (2, {}, 0)


def test_a_damaged_campaign_does_not_stop_the_others(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(whole, folder)
    names = [problem.name for problem in read_problem_set(folder).problems]
    (folder / names[0] / STORE_FILE).write_bytes(b"no database at all " * 100)
    shutil.rmtree(folder / names[1])
    summary = ProblemCampaigns.open(folder).summary()
    assert [*summary.parts] == names[2:] and [*summary.failed] == names[:1]
    assert summary.not_begun == (names[1],)
    resumed = ProblemCampaigns.open(folder).run()
    assert [*resumed.parts] == names[1:] and [*resumed.failed] == names[:1]
    assert found(folder / names[1]) == found(whole / names[1])


def test_the_first_bugs_of_all_problems(
    problems: tuple[ProblemFiles, ...], whole: Path, tmp_path: Path
) -> None:
    counts = [part.bugs for part in ProblemCampaigns.open(whole).summary().parts.values()]
    assert counts[0] > 0 and sum(counts[1:]) > 1
    most = counts[0] + 1
    limited = replace(OPTIONS, stop=StopRules(max_bugs=most))
    summary = ProblemCampaigns.create(tmp_path / "few", limited, problems).run()
    assert (summary.bugs, summary.exit_code) == (most, 1)
    more = ProblemCampaigns.open(tmp_path / "few").run(stop=StopRules(max_bugs=10**6))
    assert [part.bugs for part in more.parts.values()] == counts


def part(**changes: Any) -> Summary:
    usual = {"reason": "done", "seconds": 0.0, "walks": 0, "steps": 0, "bugs": 0}
    usual |= {"bugs_by_kind": {}, "rejected": (), "troubles": {}}
    return Summary(**{**usual, **changes})


def test_time_and_bugs_are_shared() -> None:
    rules = StopRules(max_time=10.0, max_bugs=5, until_stale=3.0)
    parts = {"a": part(seconds=4.0, bugs=2), "b": part(seconds=1.0, bugs=1)}
    assert share(rules, {}, "a", 4) == StopRules(2.5, 5, 3.0)
    assert share(rules, parts, "c", 2) == StopRules(2.5, 2, 3.0)
    assert share(rules, parts, "a", 1) == StopRules(9.0, 4, 3.0)  # all sessions together
    assert share(rules, {"a": part(seconds=10.0)}, "b", 1) is None
    assert share(rules, {"a": part(bugs=5)}, "b", 1) is None
    assert share(StopRules(), parts, "c", 3) == StopRules()


class Told(Summary):
    """A summary that says what it is told to."""

    @property
    def verdict(self) -> CampaignVerdict:
        outcomes = {o.exit_code: o for o in CampaignResult}
        return CampaignVerdict(outcomes[self.walks], "as told")


@pytest.mark.parametrize(
    ("codes", "failed", "waiting", "expected"),
    [
        ([0, 0], {}, (), 0),
        ([0, 1, 5, 6], {"x": "no"}, (), 1),
        ([0, 1, 3], {}, (), 3),
        ([0, 6], {}, (), 6),
        ([0, 5], {}, (), 6),
        ([5, 5], {}, (), 5),
        ([0, 6], {"x": "no"}, (), 4),
        ([], {"x": "no"}, (), 4),
        ([0], {}, ("x",), 6),
    ],
)
def test_the_exit_code_of_all(
    codes: list[int], failed: dict[str, str], waiting: tuple[str, ...], expected: int
) -> None:
    parts = {
        str(number): Told(**{**part().__dict__, "walks": code})
        for number, code in enumerate(codes)
    }
    usual = {**part().__dict__, "parts": parts, "failed": failed, "not_begun": waiting}
    assert JointSummary(**usual).exit_code == expected


def test_what_cannot_be_several(problems: tuple[ProblemFiles, ...], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="belong to one task: give one problem"):
        ProblemCampaigns.create(
            tmp_path / "x", replace(OPTIONS, from_states="states.json"), problems
        )
    with pytest.raises(UsageError, match="is not empty"):
        ProblemCampaigns.create(tmp_path.parent, OPTIONS, problems)
    assert not (tmp_path / "x").exists()
    with pytest.raises(InputError, match="there is no campaign in this folder"):
        joint_summary(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["tasks"][0].update(name="../outside"),
        lambda content: content["tasks"][0].update(name=".."),
        lambda content: content["tasks"][0].update(files=["a", "b", "c"]),
        lambda content: content["tasks"].append(content["tasks"][0]),
        lambda content: content.update(tasks=7),
        lambda content: content.update(options=None),
        lambda content: content.pop("options"),
        lambda content: content.update(object="no"),
    ],
)
def test_a_list_that_is_not_ours(
    problems: tuple[ProblemFiles, ...], tmp_path: Path, change: Any
) -> None:
    ProblemCampaigns.create(tmp_path / "x", OPTIONS, problems)
    file = tmp_path / "x" / PROBLEMS_FILE
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="is no list of problems of ours, or a damaged one"):
        ProblemCampaigns.open(tmp_path / "x")
