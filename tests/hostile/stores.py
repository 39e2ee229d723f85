"""Small campaigns of all kinds, and what can happen to their stores."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.store.tables import COST_TABLES, SHARED_TABLES
from bugsieve.campaigns.store.validation import Layout, layout_of
from bugsieve.cli import main
from bugsieve.rooms.rules.store.tables import RULES_TABLES
from bugsieve.rooms.safety.store.tables import SAFETY_TABLES
from bugsieve.rooms.training.store.tables import TRAINING_TABLES
from tests.unit.campaigns.rules.small import written
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.policies.line import line_task
from tests.unit.tasks.jani.small import write

Damage = Callable[[Path], None]
"""Changes the store of the campaign in a folder."""

LAYOUTS: dict[str, Layout] = {
    "cost": layout_of(COST_TABLES, {}),
    "safety": layout_of(SAFETY_TABLES, {}),
    "training": layout_of(TRAINING_TABLES, {}),
    "rules": layout_of(RULES_TABLES, {}),
}
TABLES = {"cost": SHARED_TABLES + COST_TABLES, "safety": SHARED_TABLES + SAFETY_TABLES}

VALUES = {
    "NULL": "NULL",
    "text": "'junk'",
    "huge": "9223372036854775807",
    "negative": "-1",
    "real": "1e300",
    "infinite": "9e999",
    "blob": "x'ff00ff'",
    "empty": "x''",
    "list": "'[[[]]]'",
    "number": "99",
}

COMMANDS = {
    "cost": (
        ("status", "{}"),
        ("status", "{}", "--json"),
        ("report", "{}", "-o", "{out}"),
        ("explain", "{}", "{bug}"),
        ("export", "{}", "--json", "{out}"),
        ("table", "icaps22", "{}", "--all-instances"),
        ("compare", "{}", "{}"),
        ("replay", "{}"),
        ("resume", "{}"),
    ),
    "safety": (
        ("status", "{}"),
        ("status", "{}", "--json"),
        ("report", "{}", "-o", "{out}"),
        ("explain", "{}", "{bug}"),
        ("export", "{}", "--json", "{out}"),
        ("table", "safety", "{}"),
        ("shield", "{}", "-o", "{out}"),
        ("replay", "{}"),
        ("resume", "{}"),
    ),
    "training": (
        ("status", "{}"),
        ("status", "{}", "--json"),
        ("report", "{}", "-o", "{out}"),
        ("export", "{}", "--json", "{out}"),
        ("select", "{}", "--tree"),
        ("select", "{}", "--json", "-o", "{out}.safetensors"),
        ("resume", "{}"),
    ),
    "rules": (
        ("status", "{}"),
        ("status", "{}", "--json"),
        ("report", "{}", "-o", "{out}"),
        ("rules", "--show", "{}"),
        ("rules", "--show", "{}", "0", "5", "12"),
        ("rules", "--show", "{}", "5", "--json"),
        ("explain", "{}", "{bug}"),
        ("export", "{}", "--json", "{out}"),
        ("replay", "{}"),
        ("resume", "{}"),
    ),
}
PLOT = ("plot", "{}", "-o", "{out}.svg")


def cost_campaign(folder: Path) -> Path:
    """A finished campaign on a line of places, in several rounds, with bugs."""
    (folder / "line.sas").write_text(line_task(12).to_sas())
    fuzz = ["--pool-size", "10", "--round-walks", "2", "--novelty", "0"]
    command = ["test", str(folder / "line.sas"), "--policy", "random:1", *fuzz]
    for oracle in ("lookahead", "aras", "planner:gbfs-20000"):
        command += ["--oracle", oracle]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def learning_campaign(folder: Path) -> Path:
    """One of cost testing with an oracle that learns, and visits with more effort."""
    (folder / "line.sas").write_text(line_task(12).to_sas())
    judging = ["--oracle", "bmo:1", "--pool-size", "10", "--round-walks", "2", "--seed", "5"]
    command = ["test", str(folder / "line.sas"), "--policy", "random:1", *judging]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def measurement(folder: Path) -> Path:
    """One of cost testing whose cases are a sample, in which states come again."""
    (folder / "line.sas").write_text(line_task(12).to_sas())
    judging = ["--oracle", "planner:gbfs", "--expansions", "3", "--tests", "100"]
    command = ["measure", str(folder / "line.sas"), "--policy", "random:1", *judging]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def safety_campaign(folder: Path) -> Path:
    """A finished campaign on a ledge, with faults and verdicts on single states."""
    write(folder, ledge())
    rows = [[[place], "left" if place < 4 else "right"] for place in range(1, 6)]
    (folder / "left.json").write_text(json.dumps({"rows": rows}))
    policy = ["--policy", f"table:{folder / 'left.json'}", "--walks", "20", "--alone", "3"]
    command = ["safety", str(folder / "model.jani"), *policy]
    assert main([*command, "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def rules_campaign(folder: Path) -> Path:
    """Finished tests of two rules, one of which is violated."""
    assert main(["rules", *written(folder), "-o", str(folder / "campaign")]) == 1
    return folder / "campaign"


def copied(campaign: Path, target: Path, damage: Damage) -> Path:
    """A damaged copy of a campaign."""
    shutil.copytree(campaign, target)
    damage(target)
    return target


def statement(sql: str) -> Damage:
    """One SQL statement, or several."""

    def change(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE, isolation_level=None)) as store:
            store.execute("PRAGMA ignore_check_constraints = ON")
            store.execute("PRAGMA writable_schema = ON")
            store.executescript(sql)

    return change


def other_bug(name: str, change: Callable[[dict[str, Any]], None]) -> Damage:
    """A bug whose data somebody has changed."""

    def rewrite(folder: Path) -> None:
        with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
            ((content,),) = store.execute("SELECT bug FROM bugs WHERE id = ?", (name,))
            data = unpacked(content)
            change(data)
            values = (data["id"], packed(data), name)
            store.execute("UPDATE bugs SET id = ?, bug = ? WHERE id = ?", values)

    return rewrite


def filled_tables(campaign: Path, kind: str) -> list[str]:
    """The tables of a campaign that have rows, hence something to damage."""
    with closing(sqlite3.connect(campaign / STORE_FILE)) as store:
        return [
            table
            for table in LAYOUTS[kind].columns
            if store.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
        ]


def wrong_cells(kind: str, tables: Iterable[str]) -> Iterator[tuple[str, Damage]]:
    """Each column of these tables with each wrong value, in the first row and in the last one."""
    for table in tables:
        for column in LAYOUTS[kind].columns[table]:
            for name, value in VALUES.items():
                # SQLite itself sees to the type of such a key.
                is_number = LAYOUTS[kind].key(table) == (column.name,) and column.type == "INTEGER"
                if is_number and name not in ("huge", "negative", "number"):
                    continue
                for order in ("ASC", "DESC"):
                    yield (
                        f"{table}.{column.name} {name} {order}",
                        _cell(kind, table, column.name, value, order),
                    )
        yield f"{table} empty", statement(f"DELETE FROM {table}")


def _cell(kind: str, table: str, column: str, value: str, order: str) -> Damage:
    """A value in one row, whatever the schema forbids: the table is made anew without it."""
    key = LAYOUTS[kind].key(table)
    names = [c.name for c in LAYOUTS[kind].columns[table]]
    cells = ", ".join(names)
    changed = ", ".join(f"IIF(is_it, {value}, {n})" if n == column else n for n in names)
    first = f"ROW_NUMBER() OVER (ORDER BY {', '.join(f'{k} {order}' for k in key)}) = 1"
    return statement(
        f"CREATE TABLE old AS SELECT {cells}, {first} AS is_it FROM {table}"
        f" ORDER BY {', '.join(key)};"
        f"DELETE FROM {table};"
        f"INSERT OR IGNORE INTO {table} ({cells}) SELECT {changed} FROM old;"
        "DROP TABLE old; VACUUM"
    )


def meta_cells(kind: str) -> Iterator[tuple[str, Damage]]:
    """Each row of the table `meta` with each wrong value, and without it."""
    cost = ("task name", "task sas", "task sha256", "task objects", "task static facts")
    own = {
        "cost": (*cost, "domain", "problem"),
        "safety": ("model name", "model", "actions"),
        "training": ("domain name", "domain", "dropped"),
        "rules": ("domain name", "domain", "rules file", "rules", "warnings"),
    }[kind]
    shared = ("kind", "options", "policy is object", "policy fingerprint", "objective")
    for name in (*shared, *own):
        for what, value in VALUES.items():
            sql = f"UPDATE meta SET value = {value} WHERE name = '{name}'"
            yield f"meta {name} {what}", statement(sql)
        yield f"meta {name} missing", statement(f"DELETE FROM meta WHERE name = '{name}'")


def bit_flips(seed: int) -> Damage:
    """A few flipped bits, most of them in one page."""

    def change(folder: Path) -> None:
        rng = random.Random(seed)
        data = bytearray((folder / STORE_FILE).read_bytes())
        page = rng.randrange(len(data) // 4096)
        for _ in range(rng.choice((1, 1, 2, 8, 40))):
            place = rng.randrange(4096 * page, 4096 * page + 4096)
            data[place] ^= 1 << rng.randrange(8)
        (folder / STORE_FILE).write_bytes(data)

    return change


def cut(share: float) -> Damage:
    """The file ends after this share of it."""

    def change(folder: Path) -> None:
        data = (folder / STORE_FILE).read_bytes()
        (folder / STORE_FILE).write_bytes(data[: int(share * len(data))])

    return change


def overwritten(seed: int) -> Damage:
    """A page that holds something else, as after a failure of a disk."""

    def change(folder: Path) -> None:
        rng = random.Random(seed)
        data = bytearray((folder / STORE_FILE).read_bytes())
        page = rng.randrange(1, len(data) // 4096)
        data[4096 * page : 4096 * page + 4096] = rng.choice((bytes(4096), rng.randbytes(4096)))
        (folder / STORE_FILE).write_bytes(data)

    return change
