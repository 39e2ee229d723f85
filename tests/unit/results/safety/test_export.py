"""Exports of safety campaigns hold every record, in forms that other programs read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from bugsieve.campaigns.export import export
from tests.unit.results.safety.samples import add, created, rounds

TABLES = ["walks", "runs", "states", "verdicts", "alone", "bugs", "causes"]


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return add(created(tmp_path / "campaign"), *rounds(1))


def test_csv(campaign: Path, tmp_path: Path) -> None:
    files = export(campaign, "csv", tmp_path / "out")
    assert [path.stem for path in files] == TABLES
    walks, runs, states, verdicts, alone, bugs, _ = (
        list(csv.DictReader(path.read_text().splitlines())) for path in files
    )
    sizes = (len(walks), len(runs), len(states), len(verdicts), len(alone), len(bugs))
    assert sizes == (4, 3, 7, 14, 4, 2)
    assert list(walks[0].values()) == ["0", "dead end", "3", "0.5"]
    assert runs[2] == {"walk": "3", "same_as": "2", "steps": "3"}
    assert states[0] == {"walk": "1", "position": "0", "action": "left", "x": "2"}
    assert (states[2]["action"], states[2]["x"]) == ("", "0")
    assert [row["safety"] for row in verdicts[:3]] == ["safe", "unsafe", "unsafe"]
    assert (verdicts[0]["fault"], verdicts[7]["safety"], verdicts[7]["open"]) == (
        *("True", "unknown"),
        "True",
    )
    assert alone[2]["reached"] == "time"
    assert (bugs[1]["action"], bugs[1]["alternative"], bugs[1]["runs"]) == ("left", "right", "2")


def test_json(campaign: Path, tmp_path: Path) -> None:
    (path,) = export(campaign, "json", tmp_path / "out.json")
    content = json.loads(path.read_text())
    assert (content["model"], content["policy"]) == ("ledge", "random:0")
    assert [len(content[name]) for name in TABLES] == [4, 3, 7, 14, 4, 2, 0]
    assert content["bugs"][0]["state"] == "[3]" and content["bugs"][0]["radius"] is None


def test_parquet(campaign: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    files = export(campaign, "parquet", tmp_path / "out")
    tables = {path.stem: parquet.read_table(path) for path in files}
    assert [tables[name].num_rows for name in TABLES] == [4, 3, 7, 14, 4, 2, 0]
    assert tables["states"].column("x").to_pylist()[:3] == [2, 1, 0]


def test_a_campaign_without_records(tmp_path: Path) -> None:
    campaign = created(tmp_path / "campaign")
    for kind in ("csv", "json"):
        assert all(path.exists() for path in export(campaign, kind, tmp_path / kind))
    assert (tmp_path / "csv" / "states.csv").read_text() == "walk,position,action,x\n"
