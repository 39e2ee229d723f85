"""`kill -9` at random moments: the resumed campaign ends exactly like an uninterrupted one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.registry import families
from bugsieve.base.seeds import Stream
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.sample import sampling
from tests.depth import examples
from tests.system.killing import kill_and_finish
from tests.unit.campaigns.contents import contents
from tests.unit.judging import suffixes
from tests.unit.judging.test_learning import learnt
from tests.unit.policies.generated import write_task


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_task(tmp_path_factory.mktemp("task"), "transport", seed=2)


def options(files: list[str], **changes: Any) -> CostOptions:
    """Short rounds and small batches, so that there is much to interrupt."""
    usual = {
        "task": tuple(files),
        "policy": "greedy:hff",
        "oracles": ("lookahead:1", "planner:gbfs-500"),
        "fuzz": FuzzOptions(pool_size=80, round_walks=2, novelty=0, seed=3),
        "batch_size": 2,
    }
    return CostOptions(**{**usual, **changes})


@pytest.fixture(scope="module")
def reference(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an uninterrupted campaign finds."""
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    summary = Campaign.create(folder, options(files)).run()
    assert summary.bugs > 10 and summary.rounds > 20
    return contents(folder)


def is_whole(folder: Path) -> bool:
    """Whether the store holds exactly what its progress says."""
    with CostRecords(folder) as records:
        judged = list(range(records.judged()))
        assert len(judged) <= records.case_count()
        return all(
            numbers.tolist() == judged
            for numbers in (
                records.runs().numbers,
                *(records.verdicts(spec).numbers for spec in records.header.used_oracles),
            )
        )


@pytest.mark.parametrize(
    ("changes", "cuts", "lines"),
    [
        ({}, examples(9, quick=3), 12),
        ({"mode": "separate"}, examples(7, quick=2), 25),
        ({"workers": 2}, examples(4, quick=2), 12),
    ],
    ids=["interleaved", "separate", "workers"],
)
def test_kill_and_resume(
    tmp_path: Path,
    files: list[str],
    reference: dict[str, Any],
    changes: dict[str, Any],
    cuts: int,
    lines: int,
) -> None:
    folder = tmp_path / "campaign"
    moments = [Stream(number, *changes) for number in range(cuts)]
    kill_and_finish(folder, options(files, **changes), is_whole, lines=lines, moments=moments)
    assert contents(folder) == reference
    with CostRecords(folder) as records:
        names = {f"{row.id}.json" for row in records.bugs()}
    assert {path.name for path in (folder / "bugs").glob("*.json")} == names


def test_an_oracle_that_learns_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Revisions, improved certificates and lessons end up as if nothing had happened."""
    monkeypatch.setitem(families.ORACLES.builtin, suffixes.NAME, suffixes.PLACE)
    fuzz = FuzzOptions(pool_size=60, walk_length=15, round_walks=2, novelty=0, bias="uniform")
    given = options(
        write_task(tmp_path, "blocksworld", seed=1, blocks=4),
        policy="hill-climbing:hadd",
        oracles=("lookahead:1", suffixes.NAME),
        fuzz=fuzz,
        batch_size=1,
    )
    Campaign.create(tmp_path / "whole", given).run()
    whole = learnt(tmp_path / "whole")
    assert any(row.found > row.case for row in whole["bugs"])
    moments = [Stream(number, "learning") for number in range(examples(20, quick=4))]
    folder = tmp_path / "campaign"
    kill_and_finish(folder, given, is_whole, lines=20, moments=moments)
    assert learnt(folder) == whole
    for path in sorted((tmp_path / "whole" / "bugs").iterdir()):
        assert (folder / "bugs" / path.name).read_bytes() == path.read_bytes()


def test_oracles_that_keep_bounds_are_told_again(tmp_path: Path) -> None:
    """Bounds are made again from the runs, and from the ways that helped."""
    given = options(
        write_task(tmp_path, "gripper", seed=3, balls=4),
        policy="random:1",
        oracles=("bmo:0", "bmo:2", "combined:bmo:1:as-published+planner:gbfs-4"),
        fuzz=FuzzOptions(pool_size=60, walk_length=15, round_walks=2, novelty=0, bias="uniform"),
        batch_size=1,
    )
    Campaign.create(tmp_path / "whole", given).run()
    whole = learnt(tmp_path / "whole")
    assert any(row.found > row.case for row in whole["bugs"])
    assert any(lesson.content for found in whole["lessons"].values() for lesson in found)
    moments = [Stream(number, "bounds") for number in range(examples(20, quick=3))]
    folder = tmp_path / "campaign"
    kill_and_finish(folder, given, is_whole, lines=20, moments=moments)
    assert learnt(folder) == whole


def test_a_task_tested_whole_is_tested_whole_after_kills(tmp_path: Path) -> None:
    given = options(
        write_task(tmp_path, "gripper", seed=3, balls=4),
        policy="random:1",
        oracles=(),
        fuzz=FuzzOptions(),
        whole="yes",
    )
    uncut = Campaign.create(tmp_path / "uncut", given).run()
    assert uncut.coverage.is_whole and uncut.bugs > 10
    folder = tmp_path / "killed"
    moments = [Stream(number, "whole") for number in range(examples(10, quick=2))]
    kill_and_finish(folder, given, is_whole, lines=12, moments=moments)
    assert contents(folder) == contents(tmp_path / "uncut")
    assert summary_of(folder).coverage == uncut.coverage


def test_a_measurement_that_is_killed_comes_to_the_same_figures(
    tmp_path: Path, files: list[str]
) -> None:
    given = options(
        files,
        oracles=("planner:gbfs-500",),
        fuzz=sampling(walk_length=20),
        sample="1/1",
        stop=StopRules(tests=100),
    )
    whole = Campaign.create(tmp_path / "whole", given).run()
    moments = [Stream(7, f"measurement {number}") for number in range(examples(6, quick=1))]
    kill_and_finish(tmp_path / "killed", given, is_whole, lines=8, moments=moments)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert summary_of(tmp_path / "killed").measured == whole.measured
