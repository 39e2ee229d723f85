"""Judging the states of another campaign gives what a campaign would have said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.checkers.cost import check
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.lab.comparing import Shares, compare
from bugsieve.rooms.lab.judge_other_pool import cross_judge
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=5)


def campaign(folder: Path, task: Task, *, seed: int, **changes: Any) -> Path:
    usual = {"task": (), "policy": "hill-climbing:hadd", "oracles": ("perfect",)}
    fuzz = FuzzOptions(pool_size=25, seed=seed)
    Campaign.create(folder, CostOptions(**{**usual, "fuzz": fuzz, **changes}), task).run()
    return folder


def test_the_same_policy_has_the_same_bugs(task: Task, tmp_path: Path) -> None:
    one, two = (campaign(tmp_path / str(seed), task, seed=seed) for seed in (1, 2))
    plain = compare(one, two)
    assert plain.bugs == Shares(len(plain.both), 0, 0)
    assert plain.untested[0] and plain.untested[1]
    result = compare(one, two, cross=cross_judge)
    assert result.judged == Shares(result.judged.both, 0, 0)
    assert result.bugs == Shares(sum(map(len, plain.untested)) + plain.bugs.both, 0, 0)
    assert result.crossed is not None
    for crossed in result.crossed:
        assert crossed.bugs and not crossed.undecided
        for row in crossed.bugs.values():
            check(task.to_sas(), row.bug.certificate)


def test_another_policy_is_judged_by_its_own_runs(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = campaign(tmp_path / "one", task, seed=1)
    two = campaign(tmp_path / "two", task, seed=2, policy="optimal")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.sqlite")}
    assert main(["compare", str(one), str(two), "--cross", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["bugs"]["both"], result["bugs"]["only_second"]) == (0, 0)
    assert result["crossed"][1]["bugs"] == [] and result["crossed"][0]["bugs"]
    assert main(["compare", str(one), str(two), "--cross"]) == 0
    text = capsys.readouterr().out
    assert f"only {one}: " in text and "found for this comparison and not stored" in text
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.sqlite")}
    assert main(["compare", str(one), str(two)]) == 0
    text = capsys.readouterr().out
    assert f"of {one} in states that {two} has not judged (--cross judges them)" in text


def test_what_oracles_leave_open_is_left_open_or_gets_more_effort(
    task: Task, tmp_path: Path
) -> None:
    """No oracle can decide here: it improves plans, and the policy has none."""
    for effort, is_open in ((0, True), (100_000, False)):
        folder = tmp_path / str(effort)
        campaign(folder, task, seed=1, oracles=("aras",), escalate_to=effort)
        with CostRecords(folder) as records:
            states = records.pool().states
            crossed = cross_judge(folder, records, states)
            known = {states[row.case].tobytes() for row in records.bugs()}
            undecided = sum(records.undecided().values())
        assert set(crossed.bugs) == known
        assert (len(crossed.undecided) == undecided > 0) == is_open


def test_a_policy_that_has_changed_is_refused(task: Task, tmp_path: Path) -> None:
    file = tmp_path / "policy.py"
    file.write_text("def f(facts, applicable):\n    return min(applicable)\n")
    one = campaign(tmp_path / "one", task, seed=1, policy=f"python:{file}:f")
    two = campaign(tmp_path / "two", task, seed=2)
    file.write_text("def f(facts, applicable):\n    return max(applicable)\n")
    with pytest.raises(UsageError, match="what it names has changed since"):
        compare(one, two, cross=cross_judge)
