"""The folder of a campaign: everything beside the store can be written again from it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.cost.kind import COST
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.folder import check_free, restore
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.pipeline.bugs.bug import bug_from_json
from tests.unit.results.samples import add, created, header, rounds
from tests.unit.results.unprivileged import unprivileged


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return add(created(tmp_path / "campaign"), *rounds(2))


def restored(campaign: Path) -> None:
    with CostRecords(campaign) as records:
        restore(records, COST.describe(records.header))


def test_all_files_come_from_the_store(campaign: Path) -> None:
    restored(campaign)
    names = {path.name for path in campaign.iterdir()}
    assert names == {
        *(STORE_FILE, "README.txt", "options.toml", "task.sas", "domain.pddl", "problem.pddl"),
        *("timeline.csv", "bugs"),
    }
    assert (campaign / "options.toml").read_text() == header().options
    assert (campaign / "task.sas").read_text() == header().subject.sas
    assert (campaign / "domain.pddl").read_bytes() == b"(domain)"
    readme = (campaign / "README.txt").read_text()
    assert "greedy:hff" in readme and "bugsieve resume campaign" in readme
    with CostRecords(campaign) as records:
        bugs = records.bugs()
    files = {path.name: json.loads(path.read_text()) for path in (campaign / "bugs").iterdir()}
    assert {name: bug_from_json(data, source=name) for name, data in files.items()} == {
        f"{row.id}.json": row.bug for row in bugs
    }


def test_the_timeline_is_rewritten(campaign: Path) -> None:
    (campaign / "timeline.csv").write_text("old")
    restored(campaign)
    rows = list(csv.DictReader((campaign / "timeline.csv").read_text().splitlines()))
    assert [(row["seconds"], row["event"], row["cases"]) for row in rows] == [
        ("0.000", "round", "9"),
        ("1.000", "round", "17"),
    ]


def test_files_of_the_user_stay(campaign: Path) -> None:
    (campaign / "README.txt").write_text("my notes")
    restored(campaign)
    assert (campaign / "README.txt").read_text() == "my notes"


def test_where_a_new_campaign_may_be_put(campaign: Path, tmp_path: Path) -> None:
    check_free(tmp_path / "missing" / "folder")
    (tmp_path / "empty").mkdir()
    check_free(tmp_path / "empty")
    with pytest.raises(UsageError, match="holds a campaign already: continue it with 'bugsieve"):
        check_free(campaign)
    with pytest.raises(UsageError, match="is not empty"):
        check_free(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        check_free(tmp_path / "file")


def test_a_folder_that_cannot_be_written(campaign: Path) -> None:
    campaign.chmod(0o555)
    with unprivileged(campaign), pytest.raises(InputError, match="check its permissions"):
        restored(campaign)
