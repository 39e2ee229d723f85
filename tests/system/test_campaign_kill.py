"""`kill -9` at random moments: the resumed campaign ends exactly like an uninterrupted one."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bugsieve.basis.seeds import Stream
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.results.records import Records
from tests.unit.campaigns.contents import contents
from tests.unit.policies.generated import write_task

LONGEST_DELAY = 0.1


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_task(tmp_path_factory.mktemp("task"), "transport", seed=2)


def options(files: list[str], **changes: Any) -> CampaignOptions:
    """Short rounds and small batches, so that there is much to interrupt."""
    usual = {
        "task": tuple(files),
        "policy": "greedy:hff",
        "oracles": ("lookahead:1", "planner:gbfs-500"),
        "fuzz": FuzzOptions(pool_size=80, round_walks=2, novelty=0, seed=3),
        "batch_size": 2,
    }
    return CampaignOptions(**{**usual, **changes})


@pytest.fixture(scope="module")
def reference(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an uninterrupted campaign finds."""
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    summary = Campaign.create(folder, options(files)).run()
    assert summary.bugs > 10 and summary.rounds > 20
    return contents(folder)


def run_and_kill(folder: Path, given: CampaignOptions, lines: int, moment: Stream) -> bool:
    """Let the campaign say up to so many lines, wait a little, kill it; False if it was done."""
    command = [sys.executable, "-m", "tests.system.campaign_runner", str(folder), given.to_toml()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(moment.integer(0, lines)):
        process.stdout.readline()
    time.sleep(LONGEST_DELAY * moment.random())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def is_whole(folder: Path) -> bool:
    """Whether the store holds exactly what its progress says, if there is one already."""
    if not (folder / "campaign.sqlite").exists():
        return True
    with Records(folder) as records:
        judged = list(range(records.progress().judged))
        assert len(judged) <= records.pool_size()
        return all(
            numbers.tolist() == judged
            for numbers in (
                records.runs().numbers,
                *(records.verdicts(spec).numbers for spec in records.header.used_oracles),
            )
        )


@pytest.mark.parametrize(
    ("changes", "cuts", "lines"),
    [({}, 9, 12), ({"mode": "separate"}, 7, 25), ({"workers": 2}, 4, 12)],
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
    made = 0
    for number in range(cuts):
        moment = Stream(number, *changes)
        if not run_and_kill(folder, options(files, **changes), lines, moment):
            shutil.rmtree(folder)  # a fast machine was done before: begin again
            continue
        made += 1
        assert is_whole(folder)
    assert made
    if (folder / "campaign.sqlite").exists():
        Campaign.open(folder).run()
    else:
        shutil.rmtree(folder, ignore_errors=True)
        Campaign.create(folder, options(files, **changes)).run()
    assert contents(folder) == reference
    with Records(folder) as records:
        names = {f"{row.id}.json" for row in records.bugs()}
    assert {path.name for path in (folder / "bugs").glob("*.json")} == names
