"""Failing cases that all oracles left open are visited again, in an order of counts alone."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.session import Session
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.verdict import LEFT_OPEN
from bugsieve.pipeline.judging.escalation import SEARCH, Due, Escalation, Outlay
from bugsieve.pipeline.oracles.limits import level_limits
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search_limits import Limits
from tests.depth import examples
from tests.unit.campaigns.contents import contents, verdicts
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.policies.generated import generated_task

LEVELS = (40, 400, 500)


@pytest.mark.parametrize(
    ("expansions", "most", "limits"),
    [
        (20_000, 2_000_000, (200_000, 2_000_000)),
        (4, 500, LEVELS),
        (0, 5, (5,)),
        (20_000, 20_000, ()),
        (20_000, 0, ()),
        (None, 2_000_000, ()),
    ],
)
def test_ten_times_more_at_each_level(
    expansions: int | None, most: int, limits: tuple[int, ...]
) -> None:
    assert level_limits(expansions, most) == limits


class SlowTwin:
    """The rule as it is told: looks through all visits so far whenever it is asked."""

    def __init__(self) -> None:
        self.visits: list[Outlay] = []

    def waiting(self) -> list[Due]:
        settled = {case for visit in self.visits for case in visit.settled}
        last = {visit.case: visit for visit in self.visits}
        due = [
            Due(visit.case, visit.effort + 1)
            for visit in last.values()
            if visit.is_open and visit.case not in settled and visit.effort < len(LEVELS)
        ]
        return sorted(due, key=lambda due: (due.level, due.case))

    def due(self) -> Due | None:
        first = next((v.case for v in self.visits if v.is_open), None)
        waiting = self.waiting()
        for due in waiting:
            if due.case == first:
                return due
        judging = sum(v.expanded for v in self.visits if not v.effort)
        spent = sum(v.expanded for v in self.visits if v.effort and v.case != first)
        for due in waiting[:1]:
            return due if spent + LEVELS[due.level - 1] <= judging else None
        return None


@pytest.mark.parametrize("seed", range(examples(500)))
def test_the_order_is_that_of_the_slow_twin(seed: int) -> None:
    rng = random.Random(seed)
    fast, slow = Escalation(LEVELS), SlowTwin()
    case, again = 0, 0
    while case < 30 or slow.waiting():
        due = slow.due()
        assert fast.due() == due
        level = slow.waiting()[:1]
        assert fast.rest() == [d for d in slow.waiting() if d.level == level[0].level]
        if due is None and case >= 30:
            due = slow.waiting()[0]
        number, effort = (case, 0) if due is None else due
        earlier = [d.case for d in slow.waiting() if d.case != number]
        settled = (
            tuple(rng.sample(earlier, 1)) if earlier and not effort and rng.random() < 0.2 else ()
        )
        spent = rng.randrange(60) if not effort else rng.randrange(LEVELS[effort - 1] + 1)
        outlay = Outlay(number, effort, rng.random() < 0.6, spent, settled)
        fast.note(outlay)
        slow.visits.append(outlay)
        case, again = case + (not effort), again + (effort > 0)
    assert (fast.due(), fast.rest()) == (None, [])
    assert again


FUZZ = FuzzOptions(pool_size=40, round_walks=4, bias="uniform", patience=200, seed=3)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=4)


def options(**changes: Any) -> CostOptions:
    """A campaign whose oracle is so weak that it leaves most failures open."""
    usual = {
        "task": (),
        "policy": "random:2",
        "oracles": ("planner:gbfs-1",),
        "limits": Limits(expansions=0),
        "fuzz": FUZZ,
        "escalate_to": 2_000,
        "step_limit": 300,
    }
    return CostOptions(**{**usual, **changes})


def found(folder: Path) -> dict[str, Any]:
    """All that a campaign keeps, with the visits of all levels."""
    with CostRecords(folder) as records:
        levels = [verdicts(records, SEARCH, level) for level in range(1, records.levels() + 1)]
        return {**contents(folder), "levels": levels, "outlays": records.outlays()}


@pytest.fixture(scope="module")
def reference(task: Task, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    Campaign.create(folder, options(), task).run()
    return found(folder)


def test_open_failures_are_decided_in_the_end(reference: dict[str, Any], task: Task) -> None:
    outlays: list[Outlay] = reference["outlays"]
    efforts = [outlay.effort for outlay in outlays]
    assert efforts.count(0) == 40 and max(efforts) > 1
    first = next(place for place, outlay in enumerate(outlays) if outlay.is_open)
    case = outlays[first].case
    ups = [outlay for outlay in outlays if outlay.case == case]
    assert outlays[first : first + len(ups)] == ups, "the first goes up all levels at once"
    assert 0 < first + len(ups) < len(outlays) - 1
    assert any(
        e > 0 and 0 in efforts[place:] for place, e in enumerate(efforts[first + len(ups) :])
    )
    assert [row.id for row in reference["bugs"] if row.bug.oracle == SEARCH]


@pytest.mark.parametrize(
    "changes",
    [
        {"batch_size": 1},
        {"batch_size": 7},
        {"workers": 2},
        {"workers": 4, "batch_size": 7},
    ],
    ids=str,
)
def test_batches_and_workers_do_not_matter(
    tmp_path: Path, task: Task, reference: dict[str, Any], changes: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "campaign", options(**changes), task).run()
    assert found(tmp_path / "campaign") == reference


@pytest.mark.parametrize("most", range(1, 30, 4))
def test_a_campaign_that_is_cut_is_a_prefix_and_goes_on(
    tmp_path: Path, task: Task, reference: dict[str, Any], most: int
) -> None:
    folder = tmp_path / "campaign"
    Campaign.create(folder, options(stop=StopRules(max_bugs=most)), task).run()
    part = found(folder)
    assert part["outlays"] == reference["outlays"][: len(part["outlays"])]
    assert [row.id for row in part["bugs"]] == [row.id for row in reference["bugs"][:most]]
    Campaign.open(folder, stop=StopRules()).run()
    assert found(folder) == reference


@pytest.mark.parametrize("cut", [1, 2, 4, 7])
def test_an_interrupted_campaign_goes_on_where_it_was(
    tmp_path: Path, task: Task, reference: dict[str, Any], cut: int
) -> None:
    folder = tmp_path / "campaign"
    interrupted(Campaign.create(folder, options(batch_size=2), task), cut)
    Campaign.open(folder).run()
    assert found(folder) == reference


def test_stop_rules_hold_between_its_visits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = generated_task(tmp_path, "blocksworld", seed=1, blocks=9)
    few = options(fuzz=replace(FUZZ, pool_size=6))
    Campaign.create(tmp_path / "whole", few, task).run()
    whole = found(tmp_path / "whole")
    assert [outlay.effort for outlay in whole["outlays"][:3]] == [0, 1, 2]
    with monkeypatch.context() as patch:
        late = lambda self: "late" if self.progress.visits >= 2 else None  # noqa: E731
        patch.setattr(Session, "stop_reason", late)
        assert Campaign.create(tmp_path / "cut", few, task).run().reason == "late"
    assert found(tmp_path / "cut")["outlays"] == whole["outlays"][:2]
    Campaign.open(tmp_path / "cut").run()
    assert found(tmp_path / "cut") == whole


def test_without_escalation_nothing_is_green(tmp_path: Path, task: Task) -> None:
    summary = Campaign.create(tmp_path / "c", options(escalate_to=0), task).run()
    assert summary.bugs == 0 and summary.undecided > 0 and summary.escalated == {}
    assert summary.exit_code == LEFT_OPEN
    assert "--escalate-to" in summary.would_decide


def test_dead_ends_are_passes(tmp_path: Path) -> None:
    """What the policy cannot help is no bug: a search that runs dry decides that."""
    task = generated_task(tmp_path, "spanner", seed=1, spanners=2, nuts=2, locations=2)
    policy = "random:1"
    summary = Campaign.create(tmp_path / "c", options(policy=policy), task).run()
    assert summary.escalated.get("pass", 0) > 0
    assert summary.undecided == summary.open_runs.get("step limit", 0)
