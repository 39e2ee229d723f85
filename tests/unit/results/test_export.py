"""Exports hold every record, in forms that other programs read."""

from __future__ import annotations

import csv
import json
import math
import sys
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.campaigns.export import export
from tests.unit.results.samples import add, created, rounds


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return add(created(tmp_path / "campaign"), *rounds(2))


def test_csv(campaign: Path, tmp_path: Path) -> None:
    files = export(campaign, "csv", tmp_path / "a" / "out")
    names = ["pool", "runs", "verdicts", "bugs", "causes"]
    assert [path.name for path in files] == [f"{name}.csv" for name in names]
    pool, runs, verdicts, bugs, causes = (
        list(csv.DictReader(path.read_text().splitlines())) for path in files
    )
    assert (len(pool), len(runs), len(verdicts), len(bugs)) == (17, 16, 32, 5)
    assert pool[3]["facts"] == "(at p3)" and pool[3]["state"] == "3"
    assert pool[3]["actions"] == "(right p3);(right p4)" and pool[3]["parent"] == "2"
    assert (pool[0]["parent"], pool[0]["walk"], pool[0]["actions"]) == ("", "", "")
    assert runs[5] == {"number": "6", "ending": "loop", "steps": "6", "cost": "12", "value": "inf"}
    assert runs[4]["value"] == ""
    assert verdicts[2]["plan"] == "(right p3);(right p3)" and verdicts[2]["gap"] == "inf"
    assert bugs[0]["finders"] == "lookahead;perfect" and bugs[0]["kind"] == "unsolved"
    (cause,) = causes
    assert {bug["cause"] for bug in bugs} == {cause["id"]}
    assert (cause["words"], cause["bugs"]) == ("loop of right: goes right", "5")


def test_json(campaign: Path, tmp_path: Path) -> None:
    (path,) = export(campaign, "json", tmp_path / "out.json")
    content = json.loads(path.read_text())
    assert (content["task"], content["policy"]) == ("line", "greedy:hff")
    assert content["pool"][3]["facts"] == ["(at p3)"] and content["pool"][0]["parent"] is None
    assert content["runs"][5]["value"] == "inf" and content["runs"][4]["value"] is None
    assert content["verdicts"][2]["plan"] == ["(right p3)", "(right p3)"]
    assert content["verdicts"][0]["plan"] is None
    assert [bug["number"] for bug in content["bugs"]] == [3, 6, 9, 12, 15]


def test_parquet(campaign: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    files = export(campaign, "parquet", tmp_path / "out")
    tables = {path.stem: parquet.read_table(path) for path in files}
    assert {name: table.num_rows for name, table in tables.items()} == {
        "pool": 17,
        "runs": 16,
        "verdicts": 32,
        "bugs": 5,
        "causes": 1,
    }
    values = tables["runs"].column("value").to_pylist()
    assert values[4] is None and math.isinf(values[5]) and values[6] == 7.0
    assert tables["bugs"].column("finders").to_pylist()[0] == ["lookahead", "perfect"]
    assert tables["pool"].schema.metadata[b"policy"] == b"greedy:hff"


def test_without_pyarrow_the_command_to_install_it_is_named(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'bugsieve\[parquet\]'"):
        export(campaign, "parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_campaign_without_records(tmp_path: Path) -> None:
    campaign = created(tmp_path / "campaign")
    for kind in ("csv", "json"):
        assert all(path.exists() for path in export(campaign, kind, tmp_path / kind))
    assert (tmp_path / "csv" / "bugs.csv").read_text().count("\n") == 1


def test_mistakes(campaign: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no export format 'cvs' .did you mean 'csv'"):
        export(campaign, "cvs", tmp_path / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        export(campaign, "csv", tmp_path / "file")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is not the folder of a campaign"):
        export(tmp_path / "empty", "csv", tmp_path / "out")
