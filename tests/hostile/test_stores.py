"""Stores that are damaged or made to harm: one sentence and exit code 4, and nothing hangs."""

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
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.salvage import salvage_campaign
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.store.validation import layout_of
from bugsieve.cli import main
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.safety.store.records import SafetyRecords
from tests.depth import IS_DEEP, examples
from tests.hostile import stores
from tests.hostile.stores import COMMANDS, PLOT, Damage, copied, other_bug, statement
from tests.unit.campaigns.contents import contents
from tests.unit.campaigns.rules.small import said

Captured = pytest.CaptureFixture[str]
KINDS = ("cost", "safety", "rules")
RECORDS = {"safety": SafetyRecords, "rules": RulesRecords}


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished campaign of each kind, one whose oracles learn, and a measurement."""
    cost, safety, rules, learning, measurement = (
        tmp_path_factory.mktemp(kind) for kind in (*KINDS, "learning", "measurement")
    )
    return {
        "cost": stores.cost_campaign(cost),
        "safety": stores.safety_campaign(safety),
        "rules": stores.rules_campaign(rules),
        "learning": stores.learning_campaign(learning),
        "measurement": stores.measurement(measurement),
    }


def check(campaign: Path, kind: str, name: str, damage: Damage, place: Path, err: Captured) -> int:
    """Run the commands on a damaged copy; how many refused it, each with one line."""
    bug = min((campaign / "bugs").iterdir()).stem
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    refused = 0
    folder = copied(campaign, place / "copy", damage)
    before = (folder / STORE_FILE).read_bytes()
    for number, command in enumerate(COMMANDS[kind]):
        out = place / f"out{number}"
        words = [word.format(folder, bug=bug, out=out) for word in command]
        code = main(words)
        lines = err.readouterr().err
        assert code in (0, 1, 4, 5, 6), (name, words, lines)
        if code == 4:
            refused += 1
            assert lines.count("\n") <= 2 and "Traceback" not in lines, (name, words, lines)
        if command[0] == "explain" and code == 0:  # it keeps the culprit with the bug
            before = (folder / STORE_FILE).read_bytes()
        elif command[0] != "resume":
            assert (folder / STORE_FILE).read_bytes() == before, (name, words)
    (folder / STORE_FILE).write_bytes(before)
    code = main(["salvage", str(folder), "-o", str(place / "new")])
    assert code in (0, 4), (name, err.readouterr().err)
    if code == 0:
        assert main(["status", str(place / "new")]) == 0, (name, err.readouterr().err)
    err.readouterr()
    made = {path.name.rstrip("0123456789") for path in place.iterdir()}
    assert made <= {"copy", "out", "new"}, name
    return refused


@pytest.mark.parametrize("kind", KINDS)
def test_whole_stores_pass(
    campaigns: dict[str, Path], kind: str, tmp_path: Path, capsys: Captured
) -> None:
    assert check(campaigns[kind], kind, "", lambda folder: None, tmp_path / "x", capsys) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_cells(
    campaigns: dict[str, Path], kind: str, tmp_path: Path, capsys: Captured
) -> None:
    filled = stores.filled_tables(campaigns[kind], kind)
    cases = [*stores.wrong_cells(kind, filled), *stores.meta_cells(kind)]
    drawn = random.Random(7).sample(cases, examples(400, quick=12))
    refused = [
        check(campaigns[kind], kind, name, damage, tmp_path / "x", capsys)
        for name, damage in drawn
    ]
    assert sum(map(bool, refused)) > len(drawn) // 4  # not every command reads every table


@pytest.mark.parametrize("change", ["data = 'x'", "data = '[1]'", "changed = 9e999"])
def test_patterns_that_cannot_be_read(
    campaigns: dict[str, Path], change: str, tmp_path: Path, capsys: Captured
) -> None:
    """What bugs have in common is found again."""
    damage = statement(f"UPDATE notes SET {change} WHERE name = 'pattern'")
    check(campaigns["cost"], "cost", change, damage, tmp_path / "x", capsys)


def test_wrong_cells_where_oracles_learn(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    filled = stores.filled_tables(campaigns["learning"], "cost")
    assert "lessons" in filled
    cases = [*stores.wrong_cells("cost", [name for name in filled if name != "meta"])]
    for name, damage in random.Random(7).sample(cases, examples(300, quick=6)):
        check(campaigns["learning"], "cost", name, damage, tmp_path / "x", capsys)


def test_wrong_cells_of_measurements(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    campaign = campaigns["measurement"]
    assert check(campaign, "cost", "", lambda folder: None, tmp_path / "x", capsys) == 0
    filled = stores.filled_tables(campaign, "cost")
    assert "sightings" in filled
    cases = [*stores.wrong_cells("cost", filled), *stores.meta_cells("cost")]
    for name, damage in random.Random(7).sample(cases, examples(300, quick=5)):
        check(campaign, "cost", name, damage, tmp_path / "x", capsys)


@pytest.mark.parametrize("kind", [*KINDS, "learning"])
def test_whole_numbers_are_not_negative(campaigns: dict[str, Path], kind: str) -> None:
    """In no column, whatever else must hold of it; some columns serve as keys in our memory."""
    records: Any = RECORDS.get(kind, CostRecords)
    layout = layout_of(records.tables, records.conditions)
    with closing(sqlite3.connect(campaigns[kind] / STORE_FILE, isolation_level=None)) as store:
        for table in stores.filled_tables(campaigns[kind], records.wanted_kind):
            for column in layout.columns[table]:
                if column.type != "INTEGER":
                    continue
                store.execute("BEGIN")
                store.execute("PRAGMA ignore_check_constraints = ON")
                store.execute(f"UPDATE OR REPLACE {table} SET {column.name} = -5")
                holds = f"SELECT MAX({layout.holds(table, column)}) FROM {table}"
                assert store.execute(holds).fetchone() == (0,), (table, column.name)
                store.execute("ROLLBACK")


@pytest.mark.parametrize("kind", KINDS)
def test_flipped_bits_cuts_and_lost_pages(
    campaigns: dict[str, Path], kind: str, tmp_path: Path, capsys: Captured
) -> None:
    for seed in range(examples(200, quick=4)):
        for name, make in (("flips", stores.bit_flips), ("page", stores.overwritten)):
            damage = make(seed)
            check(campaigns[kind], kind, f"{name} {seed}", damage, tmp_path / "x", capsys)
    for share in range(0, 100, 5 if IS_DEEP else 20):
        check(campaigns[kind], kind, "cut", stores.cut(share / 100), tmp_path / "x", capsys)


def refusal(campaign: Path, place: Path, sql: str, err: Captured, *command: str) -> str:
    """What a command says of a copy that was changed so."""
    folder = copied(campaign, place / "crafted", statement(sql))
    words = [word.format(folder, out=place / "out") for word in command]
    assert main(words) == 4, err.readouterr()
    shutil.rmtree(folder)
    return err.readouterr().err


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE pool SET parent = 5 WHERE number = 3", "table pool, row 3: parent cannot be 5"),
        ("UPDATE runs SET ending = 99 WHERE number = 1", "table runs, row 1: ending cannot be 99"),
        (
            "CREATE TRIGGER t AFTER INSERT ON timeline BEGIN DELETE FROM bugs; END",
            "the trigger 't' is not one of ours",
        ),
        (
            "DROP TABLE timeline; CREATE VIEW timeline AS WITH RECURSIVE n (x) AS"
            " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n",
            "the view 'timeline' is not one of ours",
        ),
        ("CREATE INDEX i ON pool (walk)", "the index 'i' is not one of ours"),
        ("CREATE TABLE more (x)", "the table 'more' is not one of ours"),
        (
            "ALTER TABLE runs ADD COLUMN more INTEGER AS (steps + 1)",
            "the table 'runs' is not one of ours",
        ),
        ("DROP TABLE lessons", "the table 'lessons' is missing"),
        ("UPDATE progress SET seconds = 'late'", "seconds cannot be 'late'"),
        ("UPDATE bugs SET case_number = 7000", "case_number cannot be 7000"),
        ("UPDATE bugs SET cause = '[\"loop\",[]]'", "cause cannot be"),
        ('UPDATE bugs SET cause = \'["loop",[["go","burns"]],[]]\'', "a step does something"),
        ('UPDATE bugs SET cause = \'["loop",[[1,""]],[]]\'', "another shape"),
        ("UPDATE bugs SET traits = '[1]'", "traits cannot be"),
        ("UPDATE meta SET value = NULL WHERE name = 'task sas'", "task sas is no text"),
        (
            "UPDATE meta SET value = 'gold' WHERE name = 'objective'",
            "there is no objective 'gold'",
        ),
        (
            "UPDATE oracles SET number = -1 WHERE number = 3",
            "table oracles, row -1: number cannot be -1",
        ),
        ("UPDATE oracles SET number = 7 WHERE number = 3", "row 7: number cannot be 7"),
        ("UPDATE oracles SET level = 1 WHERE number = 0", "row 0: level cannot be 1"),
        ("UPDATE verdicts SET oracle = 3 WHERE oracle = 1", "oracle cannot be 3"),
        ("DELETE FROM verdicts WHERE visit = 9", "table visits, row 9: number cannot be 9"),
        ("UPDATE runs SET value = 1e300 WHERE number = 1", "row 1: value cannot be 1"),
    ],
)
def test_crafted_stores_are_refused_by_table_and_row(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    for command in (("resume", "{}"), ("status", "{}")):
        error = refusal(campaigns["cost"], tmp_path, sql, capsys, *command)
        assert f"{STORE_FILE}: is damaged" in error and sentence in error


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE runs SET whole = NULL WHERE number = 4", "table runs, row 4: the whole run is"),
        ("UPDATE visits SET case_number = 4 WHERE case_number = 6", "is damaged"),
        ("UPDATE runs SET value = 1e300 WHERE number = 1", "table runs, row 1: value cannot be"),
        ("DELETE FROM verdicts WHERE visit = 9", "table visits, row 9: number cannot be 9"),
        ("DELETE FROM verdicts WHERE oracle = 1", "number cannot be"),
    ],
)
def test_memories_are_made_from_whole_records_only(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    assert sentence in refusal(campaigns["learning"], tmp_path, sql, capsys, "resume", "{}")


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("DELETE FROM sightings", "table bugs, row"),
        ("UPDATE sightings SET position = 999", "position cannot be 999"),
        ("UPDATE bugs SET cause = '[1,[],[]]'", "another shape"),
        ("UPDATE oracles SET objection = 'no'", "table oracles, row 0: objection cannot be 'no'"),
        ("UPDATE meta SET value = '{' WHERE name = 'model'", "is damaged"),
        ("UPDATE alone SET safety = x'00'", "table alone, row"),
        ("UPDATE runs SET states = x'00' WHERE states IS NOT NULL", "states cannot be X'00'"),
        ("UPDATE walks SET outcome = 'dance'", "outcome cannot be 'dance'"),
    ],
)
def test_crafted_stores_of_safety_are_refused(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured, sql: str, sentence: str
) -> None:
    command = ("export", "{}", "--json", "{out}")
    assert sentence in refusal(campaigns["safety"], tmp_path, sql, capsys, *command)


def test_a_store_does_not_say_how_many_processes_there_are(
    campaigns: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "UPDATE meta SET value = replace(value, 'workers = 1', 'workers = 1024')"
    folder = copied(campaigns["cost"], tmp_path / "many", statement(sql))
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    with Campaign.open(folder) as campaign:
        assert campaign.options.workers == 3
    with Campaign.open(folder, workers=4) as campaign:
        assert campaign.options.workers == 4


def test_pictures_of_damaged_campaigns(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    changes = {"cost": "UPDATE bugs SET seconds = 'x'", "safety": "UPDATE bugs SET seconds = -1"}
    for kind, sql in changes.items():
        error = refusal(campaigns[kind], tmp_path, sql, capsys, *PLOT)
        assert "table bugs, row" in error


def test_queries_that_never_end_are_ended(campaigns: dict[str, Path]) -> None:
    endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n"
    with CostRecords(campaigns["cost"]) as records:
        with pytest.raises(InputError, match="a query did not come to an end"):
            records._rows(f"SELECT COUNT(*) FROM ({endless})")
        assert records.case_count() == 10


def test_readers_do_nothing_but_read(campaigns: dict[str, Path]) -> None:
    with CostRecords(campaigns["cost"]) as records, pytest.raises(InputError):
        records._rows("DELETE FROM pool")


# What is salvaged goes on to the same end.


def ends(kind: str, folder: Path) -> object:
    """All that a finished campaign has found."""
    if kind == "cost":
        return contents(folder)
    if kind == "rules":
        return said(folder)
    with closing(sqlite3.connect(folder / STORE_FILE)) as store:
        tables = {
            "walks": "number, outcome, steps",
            "runs": "walk, digest, same_as, steps, states, actions",
            "visits": "*",
            "verdicts": "visit, oracle, safety, faults, open_faults, reached",
            "alone": "walk, position, oracle, safety, reached",
            "bugs": "id, case_number, kind, oracle, finders, found, changed, cause, traits",
            "sightings": "*",
            "unproven": "*",
        }
        found = {t: store.execute(f"SELECT {c} FROM {t}").fetchall() for t, c in tables.items()}
    with SafetyRecords(folder) as records:
        progress = records.progress()
        # Rows of proofs may have other numbers after rows were lost; the certificates are equal.
        found["certificates"] = [row.bug.to_json() for row in records.bugs()]
    return found, progress.walks, progress.steps, progress.visits, progress.finished


def resumed(kind: str, source: Path, target: Path) -> int:
    """Salvage a campaign, go on with it and return how many visits were kept."""
    kept = salvage_campaign(source, target)
    with Campaign.open(target) as campaign:
        campaign.run()
    return kept.visits


@pytest.mark.parametrize("kind", ["cost", "safety"])
@pytest.mark.parametrize("table", ["visits", "verdicts", "runs", "bugs", "history", "cases"])
def test_what_is_salvaged_goes_on_to_the_same_end(
    campaigns: dict[str, Path], tmp_path: Path, kind: str, table: str
) -> None:
    """Rows are lost from some place on in one table, as where a page of it is gone."""
    name = {"cost": "pool", "safety": "walks"}[kind] if table == "cases" else table
    column = {"visits": "number", "verdicts": "visit", "bugs": "found", "history": "number"}
    whole = ends(kind, campaigns[kind])
    visits = set()
    for place in range(table in ("cases", "history"), 10, 1 if IS_DEEP else 3):
        key = column.get(name, "walk" if (kind, name) == ("safety", "runs") else "number")
        sql = f"DELETE FROM {name} WHERE {key} >= {place}"
        sql += "; DELETE FROM progress" if name == "history" else ""
        folder = copied(campaigns[kind], tmp_path / f"cut{place}", statement(sql))
        visits.add(resumed(kind, folder, tmp_path / f"new{place}"))
        assert ends(kind, tmp_path / f"new{place}") == whole
    assert len(visits) > 1 or table in ("bugs", "cases")


@pytest.mark.parametrize("kind", KINDS)
def test_lost_pages_are_made_up_for(campaigns: dict[str, Path], tmp_path: Path, kind: str) -> None:
    whole, kept = ends(kind, campaigns[kind]), 0
    for seed in range(examples(60, quick=6)):
        folder = copied(campaigns[kind], tmp_path / f"lost{seed}", stores.overwritten(seed))
        try:
            resumed(kind, folder, tmp_path / f"new{seed}")
        except InputError:  # the header itself
            continue
        kept += 1
        assert ends(kind, tmp_path / f"new{seed}") == whole, seed
    assert kept > 0


def test_a_false_certificate_ends_the_prefix(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    with closing(sqlite3.connect(campaigns["cost"] / STORE_FILE)) as store:
        bugs = store.execute("SELECT id, found FROM bugs ORDER BY rowid").fetchall()
    bug, found = bugs[1]
    lie = other_bug(bug, lambda data: data["certificate"].update(gap=1000))
    folder = copied(campaigns["cost"], tmp_path / "false", lie)
    before = (folder / STORE_FILE).read_bytes()
    assert main(["salvage", str(folder), "-o", str(tmp_path / "new")]) == 0
    out = capsys.readouterr().out
    assert f"kept {found} visit" in out and "and 1 bug in" in out
    assert f"first damage: table bugs, row {bug}: " in out
    assert (folder / STORE_FILE).read_bytes() == before


def test_without_a_header_nothing_is_salvaged(
    campaigns: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    sql = "DELETE FROM meta WHERE name = 'task sas'"
    folder = copied(campaigns["cost"], tmp_path / "headless", statement(sql))
    assert main(["salvage", str(folder), "-o", str(tmp_path / "new")]) == 4
    assert "'task sas'): nothing can be salvaged" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_nothing_is_lost_where_nothing_is_damaged(
    campaigns: dict[str, Path], tmp_path: Path
) -> None:
    for kind in KINDS:
        kept = salvage_campaign(campaigns[kind], tmp_path / kind)
        assert kept.damage is None
        assert ends(kind, tmp_path / kind) == ends(kind, campaigns[kind])
