"""The table of bugs against what is in the stores."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.lab.reports.bugs_table import bugs_table
from tests.unit.policies.generated import generated_task
from tests.unit.reports.safety.samples import FULL
from tests.unit.reports.samples import Sample

Captured = pytest.CaptureFixture[str]


def counts_in(folder: Path) -> dict[str, int]:
    """What the store says, without any code of ours: judged states, bugs of each kind."""
    with closing(sqlite3.connect(folder / STORE_FILE)) as store:
        kinds = dict(store.execute("SELECT kind, COUNT(*) FROM bugs GROUP BY kind").fetchall())
        ((judged,),) = store.execute("SELECT COUNT(*) FROM runs").fetchall()
        return {"judged": judged, "bugs": sum(kinds.values()), **kinds}


def test_the_table_says_what_the_records_say(tmp_path: Path, capsys: Captured) -> None:
    for seed, policy in ((1, "hill-climbing:hadd"), (2, "hill-climbing:hadd"), (3, "greedy:hff")):
        task = generated_task(tmp_path, "visitall", seed=seed, width=3, height=3)
        options = CostOptions(task=(), policy=policy, fuzz=FuzzOptions(pool_size=20, seed=seed))
        Campaign.create(tmp_path / "all" / f"c{seed}", options, task).run()
    assert main(["table", "bugs", str(tmp_path / "all"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["campaign"] for row in rows] == ["c1", "c2", "c3"]
    found: set[str] = set()
    for row in rows:
        truth = counts_in(tmp_path / "all" / row["campaign"])
        found |= truth.keys()
        assert {key: row[key] for key in truth} == truth
        assert all(not row[key] for key in {"unsolved", "costly"} & row.keys() - truth.keys())
    assert {"unsolved", "costly"} <= found


def test_all_kinds_of_campaigns_and_what_they_leave_open(tmp_path: Path, capsys: Captured) -> None:
    Sample("lls", {"lookahead": "b?p"}, unjudged=2).write(tmp_path / "a/fails")
    Sample("sl", {"undo-qual": "pi"}, policy="random").write(tmp_path / "a/certain")
    FULL.write(tmp_path / "a/safety")
    Sample("sl", {}).write(tmp_path / "a/pool")
    table = bugs_table([tmp_path / "a"])
    rows = {row.label: row for row in table.rows}
    keys = [column.key for column in table.columns]
    fails = dict(zip(keys, rows["fails"].cells, strict=True))
    assert (fails["judged"], fails["undecided"], fails["bugs"], fails["unsolved"]) == (3, 1, 1, 1)
    assert (rows["fails"].title, rows["certain"].title) == ("fails*", "certain")
    certain = dict(zip(keys, rows["certain"].cells, strict=True))
    assert (certain["bugs"], certain["certain"]) == (0, 1)
    assert "safety" in rows and "pool" not in rows
    assert any("1 campaign that look for no bugs left out" in note for note in table.notes)
    assert main(["table", "bugs", str(tmp_path / "a"), "--csv"]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [line["campaign"] for line in lines] == ["certain", "fails", "safety"]
    for form in ("--latex", "--markdown"):
        assert main(["table", "bugs", str(tmp_path / "a"), form]) == 0
        assert "fails*" in capsys.readouterr().out.replace("\\*", "*")


def test_nothing_to_count(tmp_path: Path, capsys: Captured) -> None:
    Sample("sl", {}).write(tmp_path / "pool")
    with pytest.raises(InputError, match="no campaign here looks for bugs"):
        bugs_table([tmp_path])
    assert main(["table", "bugs", str(tmp_path), "--bias", "uniform"]) == 4
    assert "are not for the table of bugs" in capsys.readouterr().err


def test_notebooks_show_the_table(tmp_path: Path) -> None:
    Sample("slsl", {"<i>lookahead": "bb??"}).write(tmp_path / "a")
    table = bugs_table([tmp_path / "a"])
    text = table._repr_html_()
    assert text.count("<tr>") == 1 + min(20, len(table.rows)) and "<i>" not in text
    assert all(note.split()[0] in text for note in table.notes)
