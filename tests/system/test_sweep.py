"""The sweep tells what a campaign took and found, from its process and its store alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import sweep
from benchmarks.tasks import BenchmarkTask
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from tests.unit.policies.generated import write_task

NOTHING = sweep.Usage(0, 0.0, 0.0, 0.0)


def test_a_line_says_what_a_campaign_took_and_found(tmp_path: Path) -> None:
    domain, problem = write_task(tmp_path, "ferry", seed=2)
    task = BenchmarkTask("ferry", Path(domain), Path(problem))
    options = ["--pool-size", "20"]
    line = sweep.run_campaign(task, "greedy:hff", NOTHING, limit=600, options=options)
    assert line.usage.exit_code == 1
    assert line.usage.cpu_seconds > 0
    assert line.usage.mebibytes > 10
    found = line.found
    assert (found.pool, found.judged, found.undecided) == (20, 20, 0)
    assert 0 < found.unique <= found.bugs <= 20
    assert 0 < found.mean_depth < found.max_depth
    assert line.over == (0, 0)
    assert [word in str(line) for word in ("ferry", "greedy:hff", "20 of  20")] == [True] * 3


def test_depths_and_open_failures_are_those_of_the_pool(tmp_path: Path) -> None:
    options = CostOptions(
        task=tuple(write_task(tmp_path, "ferry", seed=2)),
        policy="random",
        oracles=("lookahead:1",),
        escalate_to=0,
        fuzz=FuzzOptions(pool_size=30, seed=1, bias="uniform"),
    )
    with Campaign.create(tmp_path / "campaign", options) as campaign:
        summary = campaign.run()
    found = sweep.read_campaign(tmp_path / "campaign")
    with CostRecords(tmp_path / "campaign") as records:
        pool = records.pool()
    depths = []
    for number in range(len(pool)):
        depth, entry = 0, number
        while pool.parents[entry] >= 0:
            depth += int(pool.offsets[entry + 1] - pool.offsets[entry])
            entry = int(pool.parents[entry])
        depths.append(depth)
    assert sweep.walk_depths(pool).tolist() == depths
    assert (found.max_depth, found.median_depth) == (max(depths), np.median(depths))
    failing = sum(count for ending, count in summary.endings.items() if ending != "solved")
    assert found.undecided == failing - found.bugs > 0


def test_a_folder_without_a_store_has_nothing(tmp_path: Path) -> None:
    assert sweep.read_campaign(tmp_path) == sweep.Found()


@pytest.mark.parametrize(("cpu", "late"), [(11.4, False), (12.6, True)])
def test_lateness_is_cpu_time_beyond_the_limit_without_loading(cpu: float, late: bool) -> None:
    usage, loading = sweep.Usage(0, 99.0, cpu, 1.0), sweep.Usage(0, 1.0, 0.5, 1.0)
    line = sweep.Line("task", "random", 10.0, usage, loading, sweep.Found())
    assert line.is_late is late
    assert ("*" in str(line)) is late
    assert f"1 campaigns, {int(late)} with" in sweep.summary([line])
