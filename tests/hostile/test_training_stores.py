"""Stores of trainings that are damaged or made to harm: one sentence and exit code 4."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.salvage import salvage_campaign
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.store.validation import layout_of
from bugsieve.cli import main
from bugsieve.rooms.training.selection import Schedule
from bugsieve.rooms.training.store.records import TrainingRecords
from tests.depth import examples
from tests.hostile import stores
from tests.hostile.stores import COMMANDS, Damage, copied, statement
from tests.unit.campaigns.training.contents import contents, small_options

pytest.importorskip("torch")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that has one more model to make, which a resumed one makes."""
    folder = tmp_path_factory.mktemp("training")
    schedule = Schedule(inits=1, start_epochs=2, main_epochs=1)
    campaign = Campaign.create(folder / "campaign", small_options(folder, schedule=schedule))
    made = 0

    def leave(event: object) -> None:
        nonlocal made
        made += type(event).__name__ == "RoundDone"
        if made == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(leave)
    return folder / "campaign"


def check(training: Path, name: str, damage: Damage, place: Path, err: Captured) -> int:
    """Run the commands on a damaged copy; how many refused it, each with one line."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    refused = 0
    folder = copied(training, place / "copy", damage)
    before = (folder / STORE_FILE).read_bytes()
    for number, command in enumerate(COMMANDS["training"]):
        words = [word.format(folder, out=place / f"out{number}") for word in command]
        code = main(words)
        lines = err.readouterr().err
        assert code in (0, 4), (name, words, lines)
        if code == 4:
            refused += 1
            assert lines.count("\n") <= 2 and "Traceback" not in lines, (name, words, lines)
        if command[0] != "resume":
            assert (folder / STORE_FILE).read_bytes() == before, (name, words)
    made = {path.name.rstrip("0123456789") for path in place.iterdir()}
    assert made <= {"copy", "out", *(f"out{n}.safetensors" for n in range(9))}, name
    return refused


def test_a_whole_store_passes(training: Path, tmp_path: Path, capsys: Captured) -> None:
    assert check(training, "", lambda folder: None, tmp_path / "x", capsys) == 0


def test_wrong_cells(training: Path, tmp_path: Path, capsys: Captured) -> None:
    filled = stores.filled_tables(training, "training")
    assert {"tasks", "models", "tests", "examples"} <= set(filled)
    cases = [*stores.wrong_cells("training", filled), *stores.meta_cells("training")]
    drawn = random.Random(7).sample(cases, examples(300, quick=8))
    refused = [check(training, name, it, tmp_path / "x", capsys) for name, it in drawn]
    assert sum(map(bool, refused)) > len(drawn) // 4  # not every command reads every table


def test_flipped_bits_cuts_and_lost_pages(
    training: Path, tmp_path: Path, capsys: Captured
) -> None:
    for seed in range(examples(100, quick=1)):
        for name, make in (("flips", stores.bit_flips), ("page", stores.overwritten)):
            check(training, f"{name} {seed}", make(seed), tmp_path / "x", capsys)
    for share in (0.0, 0.4, 0.9):
        check(training, "cut", stores.cut(share), tmp_path / "x", capsys)


def test_whole_numbers_are_not_negative(training: Path) -> None:
    layout = layout_of(TrainingRecords.tables, TrainingRecords.conditions)
    with closing(sqlite3.connect(training / STORE_FILE, isolation_level=None)) as store:
        for table in stores.filled_tables(training, "training"):
            for column in layout.columns[table]:
                if column.type != "INTEGER":
                    continue
                store.execute("BEGIN")
                store.execute("PRAGMA ignore_check_constraints = ON")
                store.execute(f"UPDATE OR REPLACE {table} SET {column.name} = -5")
                holds = f"SELECT MAX({layout.holds(table, column)}) FROM {table}"
                assert store.execute(holds).fetchone() == (0,), (table, column.name)
                store.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE models SET parent = 2 WHERE number = 1", "row 1: parent cannot be 2"),
        ("UPDATE models SET parent = NULL WHERE number = 1", "table models, row 1"),
        ("UPDATE models SET epoch = 7 WHERE number = 2", "row 2: epoch cannot be 7"),
        ("UPDATE models SET solved = 9 WHERE number = 2", "row 2: solved cannot be 9"),
        ("UPDATE models SET teacher_failures = 9999", "teacher_failures cannot be 9999"),
        ("DELETE FROM models WHERE number = 1", "cannot be"),
        ("DELETE FROM tests WHERE model = 1", "table models, row 1: number cannot be 1"),
        ("UPDATE tests SET bugs = 99", "bugs cannot be 99"),
        ("UPDATE tests SET states = 99", "states cannot be 99"),
        ("UPDATE tests SET is_solved = 2", "is_solved cannot be 2"),
        ("UPDATE tasks SET role = 'test' WHERE number = 3", "row 3: role cannot be 'test'"),
        ("UPDATE progress SET visits = 1", "visits cannot be 1"),
        (
            "INSERT INTO bugs VALUES ('a', 0, 'x', 1, 1, 0, '[]', 0, 0, 0, x'00', '[]', '[]')",
            "table bugs",
        ),
    ],
)
def test_crafted_stores_are_refused_by_table_and_row(
    training: Path, tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    folder = copied(training, tmp_path / "crafted", statement(sql))
    codes = [main([command, str(folder)]) for command in ("status", "resume")]
    error = capsys.readouterr().err
    assert 4 in codes and f"{STORE_FILE}: is damaged" in error and sentence in error


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE examples SET content = x'00ff'", "table examples"),
        ("UPDATE examples SET content = zeroblob(length(content))", "table examples"),
        ("UPDATE models SET content = x'0011'", ": model "),
        ("UPDATE tasks SET sas = sas || ' '", "is not what was stored"),
        (
            "UPDATE tasks SET pool = CAST(x'ffff' || substr(pool, 3) AS BLOB) WHERE states > 0",
            "table tasks",
        ),
        ("UPDATE tasks SET problem = x'28' WHERE number = 0", "table tasks: problem"),
    ],
)
def test_what_only_the_task_can_tell_is_refused_when_it_goes_on(
    training: Path, tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    folder = copied(training, tmp_path / "crafted", statement(sql))
    assert main(["resume", str(folder)]) == 4
    error = capsys.readouterr().err
    assert sentence in error and "Traceback" not in error


def test_a_schema_that_sqlite_cannot_even_name(
    training: Path, tmp_path: Path, capsys: Captured
) -> None:
    """SQLite puts the name into its message, from which Python makes a text."""

    def spoil(folder: Path) -> None:
        content = (folder / STORE_FILE).read_bytes()
        spoilt = content.replace(b"tabletimelinetimeline", b"tabletimel\xd5netimeline")
        spoilt = spoilt.replace(b"CREATE TABLE timeline", b"CRXATE TABLE timeline")
        assert spoilt != content
        (folder / STORE_FILE).write_bytes(spoilt)

    folder = copied(training, tmp_path / "crafted", spoil)
    assert main(["status", str(folder)]) == 4
    assert "a name in its schema is no text" in capsys.readouterr().err


def test_a_stranger_does_not_start_fast_downward(
    training: Path, tmp_path: Path, capsys: Captured
) -> None:
    sql = "UPDATE meta SET value = replace(value, '\"astar\"', '\"fast-downward\"')"
    folder = copied(training, tmp_path / "crafted", statement(f"{sql} WHERE name = 'options'"))
    assert main(["resume", str(folder)]) == 4
    assert "which you have not typed: it would run" in capsys.readouterr().err


@pytest.fixture(scope="module")
def whole(training: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the training comes to if nothing happens to it."""
    folder = tmp_path_factory.mktemp("whole") / "copy"
    Campaign.open(copied(training, folder, lambda folder: None)).run()
    return contents(folder)


@pytest.mark.parametrize(
    ("sql", "models"),
    [
        ("DELETE FROM timeline", 3),
        ("DELETE FROM visits WHERE number >= 1", 1),
        ("DELETE FROM models WHERE number = 1", 1),
        ("DELETE FROM tests WHERE model = 2 AND task = 3", 2),
        ("DELETE FROM examples WHERE model >= 1", 1),
        ("DELETE FROM history WHERE number >= 2; DELETE FROM progress", 3),
        ("UPDATE models SET content = x'0011' WHERE number = 2", 2),
        (
            "UPDATE models SET content ="
            " CAST(substr(content, 1, length(content) - 4) || zeroblob(4) AS BLOB)"
            " WHERE number = 2",
            2,
        ),
        ("UPDATE models SET parent = 2 WHERE number = 1", 1),
        ("UPDATE examples SET content = zeroblob(length(content)) WHERE model = 1", 1),
        ("UPDATE visits SET case_number = 0 WHERE number = 2", 2),
        ("DELETE FROM models", 0),
    ],
)
def test_what_is_salvaged_goes_on_to_the_same_models(
    training: Path, whole: dict[str, Any], tmp_path: Path, sql: str, models: int
) -> None:
    folder = copied(training, tmp_path / "damaged", statement(sql))
    before = (folder / STORE_FILE).read_bytes()
    kept = salvage_campaign(folder, tmp_path / "new")
    assert kept.visits == models and (kept.damage is None) == ("timeline" in sql)
    assert (folder / STORE_FILE).read_bytes() == before
    with TrainingRecords(tmp_path / "new") as records:
        assert [row.number for row in records.models()] == list(range(models))
    Campaign.open(tmp_path / "new").run()
    assert contents(tmp_path / "new") == whole


def test_lost_pages_are_made_up_for(training: Path, whole: dict[str, Any], tmp_path: Path) -> None:
    kept = []
    for seed in range(examples(40, quick=4)):
        folder = copied(training, tmp_path / f"lost{seed}", stores.overwritten(seed))
        try:
            kept.append(salvage_campaign(folder, tmp_path / f"new{seed}").visits)
        except InputError:  # the header, or a task
            continue
        Campaign.open(tmp_path / f"new{seed}").run()
        assert contents(tmp_path / f"new{seed}") == whole, seed
    assert kept


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM tasks WHERE number = 4",
        "DELETE FROM tasks WHERE number = 1",
        "UPDATE tasks SET role = 'x' WHERE number = 0",
        "UPDATE tasks SET sas = sas || ' ' WHERE number = 0",
    ],
)
def test_without_its_tasks_nothing_of_a_training_is_salvaged(
    training: Path, tmp_path: Path, capsys: Captured, sql: str
) -> None:
    folder = copied(training, tmp_path / "damaged", statement(sql))
    assert main(["salvage", str(folder), "-o", str(tmp_path / "new")]) == 4
    error = capsys.readouterr().err
    assert "table tasks" in error and error.rstrip().endswith("nothing can be salvaged")
    assert str(folder / STORE_FILE) in error and not (tmp_path / "new").exists()


def test_salvaging_speaks_of_models(training: Path, tmp_path: Path, capsys: Captured) -> None:
    folder = copied(training, tmp_path / "damaged", statement("DELETE FROM tests WHERE model = 2"))
    assert main(["salvage", str(folder), "-o", str(tmp_path / "new")]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == f"kept 2 models in {tmp_path / 'new'}"
    assert second.startswith("first damage: table models, row 2: ")
    assert third == f"go on: bugsieve resume {tmp_path / 'new'}"


def test_time_stops_a_resumed_training(training: Path, tmp_path: Path) -> None:
    folder = copied(training, tmp_path / "copy", lambda folder: None)
    summary = Campaign.open(folder, stop=StopRules(max_time=1e9)).run()
    assert summary.models == 4
