"""Start-up phases that are taken over from another training."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import RANDOM, Schedule
from bugsieve.rooms.training.store.records import TrainingRecords
from tests.unit.campaigns.training.contents import contents, small_options

pytest.importorskip("torch")

_SCHEDULE = Schedule(inits=2, start_epochs=1, main_epochs=0)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start")
    Campaign.create(folder / "campaign", small_options(folder, schedule=_SCHEDULE)).run()
    return folder / "campaign"


def _after(folder: Path, start: Path) -> TrainingOptions:
    return replace(small_options(folder), start_from=str(start))


def test_a_start_that_is_taken_over_changes_nothing(start: Path, tmp_path: Path) -> None:
    Campaign.create(tmp_path / "whole", small_options(tmp_path)).run()
    Campaign.create(tmp_path / "after", _after(tmp_path, start)).run()
    assert contents(tmp_path / "after") == contents(tmp_path / "whole")
    with TrainingRecords(tmp_path / "after") as records, TrainingRecords(start) as other:
        # Times tell where the models come from.
        assert records.models()[:4] == other.models()
    with TrainingRecords(tmp_path / "whole") as records, TrainingRecords(start) as other:
        assert records.models()[:4] != other.models()


def test_a_start_that_is_gone_is_trained_again(start: Path, tmp_path: Path) -> None:
    """Also when it goes while it is taken over: what was stored is kept."""
    copy = tmp_path / "start"
    shutil.copytree(start, copy)
    count = 0

    def leave(event: object) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Campaign.create(tmp_path / "after", _after(tmp_path, copy)).run(leave)
    shutil.rmtree(copy)
    Campaign.open(tmp_path / "after").run()
    Campaign.create(tmp_path / "whole", small_options(tmp_path)).run()
    assert contents(tmp_path / "after") == contents(tmp_path / "whole")


def test_a_start_with_another_main_phase_serves(start: Path, tmp_path: Path) -> None:
    options = _after(tmp_path, start)
    random = replace(options, schedule=replace(options.schedule, online=RANDOM))
    Campaign.create(tmp_path / "random", random).run()
    weights = contents(tmp_path / "random")["weights"]
    assert weights[:4] == contents(start)["weights"] and len(weights) == 8


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("seed", "other options, or another seed"),
        ("epochs", "other options, or another seed"),
        ("tasks", "other tasks"),
    ],
)
def test_another_start_is_refused(start: Path, tmp_path: Path, change: str, sentence: str) -> None:
    options = _after(tmp_path, start)
    if change == "seed":
        options = replace(options, fuzz=replace(options.fuzz, seed=1))
    elif change == "epochs":
        options = replace(options, schedule=replace(options.schedule, start_epochs=2))
    else:
        options = replace(options, validation=options.validation[:-1])
    with pytest.raises(UsageError, match=sentence):
        Campaign.create(tmp_path / "after", options).run()
