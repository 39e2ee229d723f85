"""Campaigns that keep bounds: no record depends on how the work is cut up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.checkers.cost import check
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import Task
from tests.depth import examples
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.campaigns.test_cuts import cuts, run
from tests.unit.judging.test_learning import learnt
from tests.unit.policies.generated import generated_task

FUZZ = FuzzOptions(pool_size=50, walk_length=12, round_walks=8, novelty=0, bias="uniform", seed=4)
SPECS = ("bmo:0", "bmo:2", "bmo:2:as-published", "combined:bmo:1+planner:gbfs-4")


@pytest.fixture(autouse=True)
def _small_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """One factor for all would know every distance."""
    options = DominanceOptions(max_transitions=300)
    monkeypatch.setattr(
        DominanceFunction, "of", lambda t, _=None: DominanceFunction.compute(t, options)
    )


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", seed=3, balls=3)


def options(**changes: Any) -> CostOptions:
    usual = {"task": (), "policy": "random:1", "oracles": SPECS, "fuzz": FUZZ}
    return CostOptions(**{**usual, "escalate_to": 0, **changes})


@pytest.fixture(scope="module")
def reference(task: Task, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    made = DominanceOptions(max_transitions=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            DominanceFunction, "of", lambda t, _=None: DominanceFunction.compute(t, made)
        )
        Campaign.create(folder, options(), task).run()
        return learnt(folder)


def test_there_is_something_to_tell_apart(reference: dict[str, Any], task: Task) -> None:
    assert any(row.found > row.case for row in reference["bugs"])
    assert any(row.changed > row.found for row in reference["bugs"])
    assert len({tuple(row[2]) for row in reference["verdicts"]}) > 1
    assert any(lesson.content for found in reference["lessons"].values() for lesson in found)
    assert not reference["rejected"]
    for row in reference["bugs"]:
        check(task.to_sas(), row.bug.certificate)


@pytest.mark.parametrize(
    "changes",
    [
        {"batch_size": 1},
        {"batch_size": 7},
        {"batch_size": 256},
        {"workers": 2},
        {"workers": 4, "batch_size": 7},
        {"workers": 2, "mode": "separate"},
    ],
    ids=str,
)
def test_batches_and_workers_do_not_matter(
    tmp_path: Path, task: Task, reference: dict[str, Any], changes: dict[str, Any]
) -> None:
    Campaign.create(tmp_path / "campaign", options(**changes), task).run()
    assert learnt(tmp_path / "campaign") == reference


def test_every_cut_at_a_number_of_bugs_is_made_up_for(
    tmp_path: Path, task: Task, reference: dict[str, Any]
) -> None:
    whole = [(row.id, row.found) for row in reference["bugs"]]
    for most in range(1, len(whole), examples(1, quick=len(whole) // 4)):
        folder = tmp_path / str(most)
        summary = Campaign.create(folder, options(stop=StopRules(max_bugs=most)), task).run()
        assert summary.bugs == most
        with CostRecords(folder) as records:
            assert [(row.id, row.found) for row in records.bugs()] == whole[:most]
        Campaign.open(folder, stop=StopRules()).run()
        assert learnt(folder) == reference


@pytest.mark.parametrize("cut", [0, 1, 4, 9, 15])
def test_an_interrupted_campaign_recalls_its_bounds(
    tmp_path: Path, task: Task, reference: dict[str, Any], cut: int
) -> None:
    folder = tmp_path / "campaign"
    interrupted(Campaign.create(folder, options(batch_size=5), task), cut)
    Campaign.open(folder).run()
    assert learnt(folder) == reference


def test_time_that_is_over_in_the_middle_of_learning_loses_nothing(
    tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(fuzz=replace(FUZZ, pool_size=10, round_walks=4))
    _, looks = run(Campaign.create(tmp_path / "whole", given, task), monkeypatch)
    whole = learnt(tmp_path / "whole")
    for cut in cuts(looks):
        folder = tmp_path / str(cut)
        campaign = Campaign.create(folder, replace(given, stop=StopRules(max_time=cut)), task)
        run(campaign, monkeypatch)
        Campaign.open(folder, stop=StopRules()).run()
        assert learnt(folder) == whole, cut
