"""Checks the rows of a store before they are used: whoever wrote it, only rows of ours pass.

The file must have our tables and nothing else: no views, triggers, other indices or generated
columns, which would run somebody else's SQL in our queries. The rows of a table are checked when
the first query reads it, by one scan inside of SQLite, so that a command pays for what it reads.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from bugsieve.campaigns.store.tables import ANYTHING, SHARED_CONDITIONS, SHARED_TABLES, SIGNED

_TYPES = {
    "INTEGER": ("integer",),
    "REAL": ("real", "integer"),
    "TEXT": ("text",),
    "BLOB": ("blob",),
}
"""What SQLite may have in a column: it takes any value that somebody else puts there."""
_MOST_SECONDS = 1e12
_MOST_SHOWN = 40
_WORD = re.compile(r"\w+")


class SchemaColumn(NamedTuple):
    """A column as our schema has it."""

    name: str
    type: str
    is_needed: bool
    is_key: bool


@dataclass(frozen=True)
class Layout:
    """The tables that a store must have, and what must hold of their rows."""

    entries: frozenset[tuple[str, str, str, str | None]]
    """What SQLite keeps of the schema: types, names, tables and their SQL."""
    columns: Mapping[str, tuple[SchemaColumn, ...]]
    """By table."""
    conditions: Mapping[str, str]

    def key(self, table: str) -> tuple[str, ...]:
        """The columns that name a row."""
        return tuple(c.name for c in self.columns[table] if c.is_key) or ("rowid",)

    def holds(self, table: str, column: SchemaColumn) -> str:
        """SQL that is true of the rows whose value in the column can be."""
        condition = self._condition(table, column)
        if condition == ANYTHING:
            return "1"
        types = ", ".join(f"'{name}'" for name in _TYPES[column.type])
        fits = f"CASE WHEN typeof({column.name}) IN ({types}) THEN IFNULL({condition}, 0) END"
        allowed = "0" if column.is_needed else "1"
        return f"IFNULL(CASE WHEN {column.name} IS NULL THEN {allowed} ELSE {fits} END, 0)"

    def broken(self, table: str) -> str:
        """SQL that is true of the rows which cannot be."""
        parts = " AND ".join(self.holds(table, column) for column in self.columns[table])
        return f"NOT ({parts})"

    def _condition(self, table: str, column: SchemaColumn) -> str:
        keys = (f"{table}.{column.name}", f"*.{column.name}")
        found = [self.conditions[key] for key in keys if key in self.conditions]
        if ANYTHING in found:
            return ANYTHING
        usual = "1" if keys[0] in SIGNED else _usual_condition(column)
        return " AND ".join(f"({condition})" for condition in (usual, *found))


def _usual_condition(column: SchemaColumn) -> str:
    """What holds in every table: conditions of a table's own come on top of it."""
    if column.type == "INTEGER":
        return f"{column.name} >= 0"
    if column.name.endswith("seconds"):
        return f"{column.name} BETWEEN 0 AND {_MOST_SECONDS}"
    return "1"


def layout_of(tables: str, conditions: Mapping[str, str]) -> Layout:
    """The layout of the stores of a kind, from what it has beside what all have."""
    entries, columns = _created(SHARED_TABLES + tables)
    return Layout(entries, columns, {**SHARED_CONDITIONS, **conditions})


@cache
def _created(
    tables: str,
) -> tuple[frozenset[tuple[str, str, str, str | None]], dict[str, tuple[SchemaColumn, ...]]]:
    """The schema that SQLite makes of the SQL, and the columns of each table."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(tables)
        entries = _schema(connection)  # in our order, which must not depend on hashes
        return frozenset(entries), {
            name: _columns(connection, name) for kind, name, *_ in entries if kind == "table"
        }
    finally:
        connection.close()


def _columns(connection: sqlite3.Connection, table: str) -> tuple[SchemaColumn, ...]:
    rows = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    return tuple(
        SchemaColumn(name, kind, bool(need or key), bool(key))
        for _, name, kind, need, _, key in rows
    )


def _schema(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()


def foreign_entry(connection: sqlite3.Connection, layout: Layout | None) -> str | None:
    """What in the schema of a file is not as we make it, in words; None if nothing is.

    Without a layout, as long as the kind of the campaign is not known, the tables that all kinds
    have must be there, and beside them nothing but tables.
    """
    found = _schema(connection)
    wanted = _created(SHARED_TABLES)[0] if layout is None else layout.entries
    for kind, name, table, sql in found:
        is_plain = kind == "table" or (kind == "index" and sql is None)
        is_open = layout is None and table not in {entry[2] for entry in wanted}
        if (kind, name, table, sql) not in wanted and not (is_open and is_plain):
            return f"the {kind} {name!r} is not one of ours"
    missing = wanted.difference(found)
    if missing or len(found) != len(set(found)):
        names = sorted(entry[1] for entry in missing)
        return f"the table {names[0]!r} is missing" if names else "tables are there twice"
    return None


def first_broken_row(connection: sqlite3.Connection, layout: Layout, table: str) -> str | None:
    """The first row of a table with a value that cannot be, in words; None if all can."""
    columns, key = layout.columns[table], layout.key(table)
    cells = [
        f"{layout.holds(table, c)}, substr(quote({c.name}), 1, {_MOST_SHOWN})" for c in columns
    ]
    query = f"SELECT {', '.join((*key, *cells))} FROM {table} WHERE {layout.broken(table)} LIMIT 1"
    row = connection.execute(query).fetchone()
    if row is None:
        return None
    names, verdicts, shown = row[: len(key)], row[len(key) :: 2], row[len(key) + 1 :: 2]
    place = verdicts.index(0)
    name = ", ".join(str(part)[:_MOST_SHOWN] for part in names)
    return f"table {table}, row {name}: {columns[place].name} cannot be {shown[place]}"


class Guard:
    """Checks the tables that queries of a connection read, each when it is read first.

    Which they are, the text of a query tells, since it is ours. SQLite would tell it to a
    callback, too, but drop a Ctrl-C that comes there.
    """

    def __init__(self, connection: sqlite3.Connection, layout: Layout) -> None:
        self._connection = connection
        self._layout = layout
        self._unchecked = set(layout.columns)

    def complaint(self, query: str) -> str | None:
        """The first row that cannot be in a table which this query is the first to read."""
        for table in dict.fromkeys(_WORD.findall(query)):
            if table in self._unchecked:
                self._unchecked.remove(table)
                found = first_broken_row(self._connection, self._layout, table)
                if found is not None:
                    return found
        return None
