"""Several campaigns in one folder, and policies that bring their task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.several import campaigns_in, joint_summary
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import make_policy
from tests.unit.policies.generated import generated_task


def options(**changes: Any) -> CostOptions:
    usual = {"task": (), "policy": "greedy:hff", "fuzz": FuzzOptions(pool_size=8)}
    return CostOptions(**{**usual, **changes})


def test_one_summary_of_the_problems_of_a_domain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaigns"
    parts = {}
    for seed, stop in ((1, StopRules()), (2, StopRules(max_bugs=1))):
        task = generated_task(tmp_path, "blocksworld", seed=seed, blocks=5)
        given = options(stop=stop)
        parts[f"p{seed}"] = Campaign.create(folder / f"p{seed}", given, task).run()
    Campaign.create(folder / "p3", options(policy="optimal"), task).close()
    assert [path.name for path in campaigns_in(folder)] == ["p1", "p2", "p3"]
    summary = joint_summary(folder)
    assert summary.reason is None  # p3 has not begun
    assert summary.bugs == sum(part.bugs for part in parts.values()) > 0
    assert (summary.outcome, summary.exit_code) == (CampaignResult.BUGS, 1)
    assert main(["status", str(folder)]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    tested = sum(part.judged for part in parts.values())
    assert first.startswith(f"{summary.bugs} bugs with {summary.cause_count} cause")
    assert first.endswith(f" in {tested} test states of 3 campaigns")
    assert rest[0].startswith(f"3 campaigns, {summary.bugs} bug")
    lines = [line.split()[0] for line in rest[rest.index("") - 3 : rest.index("")]]
    assert lines == ["p1", "p2", "p3"]
    assert "  p3  nothing is tested yet (not finished)" in rest
    assert main(["status", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bugs"] == summary.bugs


def test_a_folder_without_campaigns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no campaign in this folder"):
        joint_summary(tmp_path)


def test_a_policy_may_bring_its_task(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "gripper", balls=2)
    policy = make_policy("greedy:hff", task)
    with Campaign.create(tmp_path / "campaign", options(), policy=policy) as campaign:
        assert campaign.header.subject.sha256 == task.sha256
    with pytest.raises(UsageError, match="needs a task"):
        Campaign.create(tmp_path / "other", options())


def test_what_would_decide_an_undecided_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "blocksworld", "--blocks", "5", "-o", str(tmp_path / "task")]) == 0
    folder, longer = tmp_path / "campaign", ["--pool-size", "3", "--policy", "optimal"]
    short = [str(tmp_path / "task"), "--step-limit", "1", *longer, "-o", str(folder)]
    assert main(["test", *short]) == 5
    told = "nothing could be tested: it would take longer runs (--step-limit)\n"
    assert told in capsys.readouterr().out
    assert main(["status", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(told)
