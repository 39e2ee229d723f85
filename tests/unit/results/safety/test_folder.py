"""The folder of a safety campaign: everything beside the store can be written again from it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from bugsieve.campaigns.store.folder import readable_json, restore
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.safety.bugs.bug import safety_bug_from_json
from bugsieve.rooms.safety.campaign.kind import SAFETY
from bugsieve.rooms.safety.store.records import SafetyRecords
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.results.safety.samples import add, created, header, rounds


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return add(created(tmp_path / "campaign"), *rounds(2))


def restored(campaign: Path) -> None:
    with SafetyRecords(campaign) as records:
        restore(records, SAFETY.describe(records.header))


def test_all_files_come_from_the_store(campaign: Path) -> None:
    restored(campaign)
    assert {path.name for path in campaign.iterdir()} == {
        *(STORE_FILE, "README.txt", "options.toml", "model.jani", "timeline.csv", "bugs"),
    }
    assert (campaign / "options.toml").read_text() == header().options
    assert json.loads((campaign / "model.jani").read_text()) == ledge()
    readme = (campaign / "README.txt").read_text()
    assert "random:0" in readme and "bugsieve shield campaign" in readme
    with SafetyRecords(campaign) as records:
        bugs = {f"{row.id}.json": row.bug for row in records.bugs()}
    files = {path.name: json.loads(path.read_text()) for path in (campaign / "bugs").iterdir()}
    assert len(files) == 4
    assert {n: safety_bug_from_json(data, source=n) for n, data in files.items()} == bugs


def test_the_timeline_is_rewritten(campaign: Path) -> None:
    (campaign / "timeline.csv").write_text("old")
    restored(campaign)
    rows = list(csv.DictReader((campaign / "timeline.csv").read_text().splitlines()))
    assert [(row["seconds"], row["walks"], row["cases"], row["bugs"]) for row in rows] == [
        ("1.000", "4", "3", "2"),
        ("2.000", "8", "6", "2"),
    ]


def test_bug_files_have_a_line_per_row() -> None:
    data = {"a": {"x": None, "none": {}}, "rows": [[[1, 2], 3], [[4, 5], "ä"]], "flat": [1, 2]}
    text = readable_json(data)
    assert json.loads(text) == data
    assert "    [[1, 2], 3],\n" in text and '  "flat": [1, 2]\n' in text
    with pytest.raises(ValueError, match="not JSON compliant"):
        readable_json({"x": [[float("nan")]]})
