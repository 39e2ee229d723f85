"""Experiments in which several oracles judge the same pools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.index import read_index
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.jobs import JobDone, JobFailed
from tests.unit.campaigns.contents import contents
from tests.unit.experiments.experiments import check_refused, experiment, folders, read, run

GRID = """
name = "tiny"
shared_pools = true
seeds = [0, 1]
policies = ["hill-climbing:hadd"]
[oracles]
look = ["lookahead:1"]
ehc = ["planner:ehc"]
[campaign]
stop.max_time = 1000
stop.max_bugs = 100
fuzz.pool_size = 15
fuzz.bias = "uniform"
[[domains]]
generator = "visitall"
parameters = { width = 2, height = 3 }
"""

pytestmark = pytest.mark.usefixtures("no_preloaded_sanitizer")


def test_a_pool_for_each_instance_policy_fuzzer_and_seed(tmp_path: Path) -> None:
    grid = read(tmp_path, GRID)
    assert grid.shares_pools
    assert [(cell.oracles, cell.seed) for cell in grid.cells] == [
        *(("pool", 0), ("look", 0), ("ehc", 0), ("pool", 1), ("look", 1), ("ehc", 1)),
    ]
    for cell in grid.cells:
        assert isinstance(cell.options, CostOptions)
        assert cell.makes_pool == (cell.options.mode == "pool") == (cell.oracles == "pool")
        assert cell.makes_pool or cell.after == grid.cells[3 * cell.seed].folder
    stop = grid.cells[0].options.stop
    assert (stop.max_time, stop.max_bugs) == (1000.0, None)
    assert not read(tmp_path, GRID.replace("shared_pools = true", "")).shares_pools


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("= true", "= 1", "shared_pools must be true or false, got 1"),
        ("ehc =", "pool =", "oracles: 'pool' is what pools are called: take another label"),
        ("[campaign]", "[campaign]\npool_from = 'x'", "there is no key 'pool_from'"),
        ("shared_pools", "shared_pool", "did you mean 'shared_pools'"),
    ],
)
def test_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    check_refused(tmp_path, GRID.replace(old, new), sentence)


def test_all_judge_the_same_states_and_ask_once(tmp_path: Path) -> None:
    made = experiment(tmp_path, GRID)
    summary, events = run(made, workers=2)
    assert (summary.campaigns, summary.done, summary.exit_code) == (6, 6, 0)
    order = [event.number for event in events if isinstance(event, JobDone)]
    assert set(order[:2]) == {0, 3}
    found = [contents(folder) for folder in folders(made)]
    for pool, *others in (found[:3], found[3:]):
        assert all(
            (other["pool"], other["runs"]) == (pool["pool"], pool["runs"]) for other in others
        )
    with CostRecords(folders(made)[2]) as records:
        assert records.progress().policy_calls == 0
    index = read_index(made.directory)
    assert index is not None
    assert [entry.oracles for entry in index.entries.values()] == ["pool", "look", "ehc"] * 2
    assert run(made)[0].done == 6
    moved = tmp_path / "moved"
    made.directory.rename(moved)
    assert run(Experiment(made.grid, moved))[0].done == 6


def test_without_its_pool_a_campaign_fails(tmp_path: Path) -> None:
    made = experiment(tmp_path, GRID)
    cells = list(made.grid.cells)
    cells[0] = replace(cells[0], options=replace(cells[0].options, policy="cmd:no-such-program"))
    broken = Experiment(replace(made.grid, cells=tuple(cells)), made.directory)
    summary, events = run(broken, trust_policy=True)
    assert summary.done == 3 and summary.exit_code == 4
    failed = {event.number: event.error for event in events if isinstance(event, JobFailed)}
    assert set(failed) == {0, 1, 2}
    assert failed[2] == f"its pool could not be made: {failed[0]}"
    assert run(made)[0].done == 6
