"""Where a stranger's folder says that its pool was taken from: that place is data, too."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.cli import main
from bugsieve.pipeline.pool.options import FuzzOptions
from tests.depth import examples
from tests.hostile import stores
from tests.hostile.stores import statement
from tests.hostile.test_strangers_folders import changed, touch
from tests.unit.policies.line import line_task

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pool and a campaign that has taken it over and could go on."""
    place = tmp_path_factory.mktemp("made")
    usual = {"task": (), "policy": "random:1", "fuzz": FuzzOptions(pool_size=10, seed=5)}
    taking = {"oracles": ("bmo:1", "lookahead:1"), "pool_from": str(place / "pool")}
    changes: dict[str, dict[str, Any]] = {"pool": {"mode": "pool"}, "taken": taking}
    for name, change in changes.items():
        stop = StopRules(max_bugs=2)
        options = CostOptions(**{**usual, **change}, stop=stop)
        Campaign.create(place / name, options, subject=line_task(12)).run()
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of it, whose pool is the one that is taken."""
    return copy_of(made, tmp_path / "copy")


def copy_of(made: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(made, place)
    changed(place / "taken", "pool_from", str(place / "pool"))
    return place


def resumed(place: Path, err: Captured) -> tuple[int, str]:
    """How going on with the campaign ends, and what it says; the pool itself is only read."""
    pool = place / "pool" / STORE_FILE
    before = pool.read_bytes() if pool.is_file() else b""
    err.readouterr()
    code = main(["resume", str(place / "taken"), "--max-bugs", "100"])
    assert not before or pool.read_bytes() == before
    return code, err.readouterr().err


def refusal(place: Path, err: Captured) -> str:
    """What it says where it must not go on."""
    code, said = resumed(place, err)
    assert code == 4 and said.count("\n") == 1, said
    return said


def test_the_whole_pool_passes(place: Path, capsys: Captured) -> None:
    assert resumed(place, capsys)[0] == 1


def with_run(**changes: Any) -> str:
    """SQL that changes one run of the pool."""
    parts = ", ".join(f"'$.{name}', json('{json.dumps(v)}')" for name, v in changes.items())
    return f"UPDATE runs SET whole = json_set(whole, {parts}) WHERE number = 3"


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (with_run(operators=[9999]), "table runs: a run is none of the task"),
        (with_run(operators=[-1]), "table runs: a run is none of the task"),
        (with_run(operators=[2**40]), "table runs: a run is none of the task"),
        (with_run(operators=[10] * 5), "table runs: a run is none of the task"),
        (
            with_run(operators=[], ending="illegal action", chosen=2**40),
            "table runs: a run is none of the task",
        ),
        (with_run(operators={"0": 1}), "JSON of another shape than ours"),
        ("UPDATE runs SET whole = '[' WHERE number = 3", "is damaged"),
        ("UPDATE runs SET whole = NULL WHERE number = 3", "has no runs of the policy"),
        ("UPDATE runs SET number = -1 WHERE number = 3", "table runs, row -1: number cannot be"),
        ("UPDATE pool SET number = -1 WHERE number = 9", "number cannot be"),
        ("UPDATE pool SET state = x'ffff' WHERE number = 3", "table pool, row 3: is no new state"),
        ("UPDATE pool SET parent = 7 WHERE number = 3", "table pool, row 3: parent cannot be 7"),
        ("DELETE FROM visits WHERE number = 9", "visits cannot be 10"),
        ("UPDATE progress SET visits = -1", "table progress, row 0: visits cannot be -1"),
        ("DELETE FROM progress", "is damaged"),
        ("CREATE VIEW v AS SELECT 1", "the view 'v' is not one of ours"),
        ("UPDATE meta SET value = 'safety' WHERE name = 'kind'", "is a campaign of safety"),
        (
            "DELETE FROM visits WHERE number = 9; DELETE FROM runs WHERE number = 9;"
            "DELETE FROM pool WHERE number = 9; UPDATE progress SET visits = 9",
            "has another pool than the campaign it took it from",
        ),
    ],
)
def test_damaged_pools(place: Path, capsys: Captured, sql: str, sentence: str) -> None:
    statement(sql)(place / "pool")
    assert sentence in refusal(place, capsys)


def test_a_pool_of_other_states(place: Path, capsys: Captured) -> None:
    with closing(sqlite3.connect(place / "pool" / STORE_FILE)) as store, store:
        states = [state for (state,) in store.execute("SELECT state FROM pool")]
        free = next(x for n in range(12) if (x := n.to_bytes(2, "little")) not in states)
        store.execute("UPDATE pool SET state = ? WHERE number = 9", (free,))
    said = refusal(place, capsys)
    assert "has another pool" in said or "a run is none of the task" in said


@pytest.mark.parametrize("folder", ["pool", "taken"])
def test_wrong_cells(made: Path, tmp_path: Path, capsys: Captured, folder: str) -> None:
    filled = stores.filled_tables(made / folder, "cost")
    cases = [*stores.wrong_cells("cost", filled), *stores.meta_cells("cost")]
    refused = 0
    for name, damage in random.Random(11).sample(cases, examples(300, quick=12)):
        place = copy_of(made, tmp_path / "x")
        damage(place / folder)
        code = main(["resume", str(place / "taken"), "--max-bugs", "100"])
        said = capsys.readouterr().err
        assert code in (0, 1, 4, 5, 6), (name, said)
        assert code != 4 or (said.count("\n") == 1 and "Traceback" not in said), (name, said)
        refused += code == 4
    assert refused > 2


@pytest.mark.parametrize(
    "name",
    ["/etc", "/etc/passwd", "/dev/zero", "/dev/tty", "/proc/self", "", "..", "x" * 5000, "a\0b"],
)
def test_other_places_are_no_campaigns(place: Path, capsys: Captured, name: str) -> None:
    changed(place / "taken", "pool_from", name)
    shutil.rmtree(place / "pool")
    refusal(place, capsys)


def test_pipes_and_links_are_not_opened(place: Path, capsys: Captured) -> None:
    """A pipe would be waited for until somebody writes into it."""
    pool, moved = place / "pool", place / "moved"
    pool.rename(moved)
    os.mkfifo(pool)
    assert "pool: is a file, give the folder of a campaign" in refusal(place, capsys)
    pool.unlink()
    pool.mkdir()
    os.mkfifo(pool / STORE_FILE)
    assert "pool: is not the folder of a campaign" in refusal(place, capsys)
    (pool / STORE_FILE).unlink()
    (pool / STORE_FILE).symlink_to(moved / STORE_FILE)
    assert f"{STORE_FILE}: is a link" in refusal(place, capsys)
    (pool / STORE_FILE).unlink()
    (pool / STORE_FILE).symlink_to(pool / STORE_FILE)
    refusal(place, capsys)
    shutil.rmtree(pool)
    pool.symlink_to(moved)
    assert resumed(place, capsys)[0] == 1  # the folder itself may be a link


def test_a_huge_file_is_not_read(place: Path, capsys: Captured) -> None:
    with open(place / "pool" / STORE_FILE, "wb") as file:
        file.truncate(1 << 40)
    code = main(["resume", str(place / "taken")])
    said = capsys.readouterr().err
    assert code == 4 and said.count("\n") == 1 and str(place / "pool") in said


def test_its_policy_is_not_started(place: Path, tmp_path: Path, capsys: Captured) -> None:
    marker = tmp_path / "marker"
    changed(place / "pool", "policy", touch(marker))
    assert resumed(place, capsys)[0] == 1  # nobody asks it: the fingerprint is that of ours
    sql = "UPDATE meta SET value = 'other' WHERE name = 'policy fingerprint'"
    statement(sql)(place / "pool")
    assert "has runs of another policy (cmd:touch" in refusal(place, capsys)
    assert not marker.exists()


def test_a_campaign_may_name_itself(place: Path, capsys: Captured) -> None:
    changed(place / "taken", "pool_from", str(place / "taken"))
    assert resumed(place, capsys)[0] == 1
