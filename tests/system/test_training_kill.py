"""`kill -9` at random moments of a training: the same models to the bit when it has gone on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.seeds import Stream
from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.training.store.records import TrainingRecords
from tests.depth import IS_DEEP
from tests.system.killing import kill_and_finish
from tests.unit.campaigns.training.contents import contents, small_options

pytest.importorskip("torch")


def is_whole(folder: Path) -> bool:
    """Whether the store holds whole models, each with all its tests."""
    with TrainingRecords(folder) as records:
        made = list(range(records.progress().visits))
        assert [row.number for row in records.models()] == made
        tasks = records.validation_numbers()
        return all(set(tests) >= tasks for tests in records.tests().values())


@pytest.mark.parametrize("replay_bugs", [True, False] if IS_DEEP else [True])
def test_kill_and_resume(tmp_path: Path, *, replay_bugs: bool) -> None:
    options = small_options(tmp_path, replay_bugs=replay_bugs, workers=2 if replay_bugs else 1)
    Campaign.create(tmp_path / "whole", replace(options, workers=1)).run()
    wanted = contents(tmp_path / "whole")
    assert wanted["finished"] == "all models are trained" and len(wanted["weights"]) == 8
    kills = range(5) if IS_DEEP else (1,)  # ten in both together, or one half-way
    moments = [Stream(number, "training", int(replay_bugs)) for number in kills]
    folder = tmp_path / "campaign"
    kill_and_finish(folder, options, is_whole, lines=9, moments=moments)
    assert contents(folder) == wanted
