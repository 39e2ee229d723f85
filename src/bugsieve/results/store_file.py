"""What the stores of all kinds of campaigns share: making, opening, transactions, plain queries.

Each `add` is one transaction: when it returns, its records survive `kill -9`; before that, none of
them is there.
"""

from __future__ import annotations

import json
import os
import sqlite3
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from bugsieve.basis.closing import Closing
from bugsieve.basis.errors import InputError
from bugsieve.results.schema import (
    STORE_FILE,
    connect_reader,
    connect_writer,
    create_file,
    explained,
)
from bugsieve.results.tables import COST

PART_FILE = f"{STORE_FILE}.part"
"""A store that is still being made; it gets its name when it is complete."""

Row = tuple[Any, ...]
Addition = TypeVar("Addition")
Self = TypeVar("Self", bound="StoreWriter[Any]")


class StoreWriter(Closing, Generic[Addition]):
    """Adds records to the store of a campaign; for the one process that runs it."""

    kind: ClassVar[str]

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self._connection = connection
        rows = connection.execute("SELECT spec, number FROM oracles")
        self._oracles: dict[str, int] = dict(rows.fetchall())

    @classmethod
    def open(cls: type[Self], directory: Path, *, patience: float = 5.0) -> Self:
        """The store of an existing campaign; waits so many seconds for programs that lock it."""
        with explained(directory):
            return cls(directory, connect_writer(directory, patience))

    def add(self, addition: Addition) -> None:
        """Store all of it, or nothing."""
        with explained(self.directory):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._insert(addition)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Fold the write-ahead log into the main file and let go of both."""
        with explained(self.directory):
            self._connection.close()

    @classmethod
    def _make(
        cls, directory: Path, meta: Mapping[str, Any], oracles: Iterable[Row], start: Addition
    ) -> None:
        """Make the store with its first records; it appears under its name only when complete.

        An oracle is its spec and the objection to using it, None for those in use.
        """
        part = directory / PART_FILE
        with explained(directory):
            for name in (part, *_companions(part)):
                name.unlink(missing_ok=True)
            connection = create_file(part, cls.kind)
            try:
                values = {"kind": cls.kind, **meta}
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
                rows = [(number, *oracle) for number, oracle in enumerate(oracles)]
                connection.executemany("INSERT INTO oracles VALUES (?, ?, ?)", rows)
                cls(directory, connection).add(start)
                # Closing would do so too, but say nothing where the disk is full.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
            os.replace(part, directory / STORE_FILE)

    @abstractmethod
    def _insert(self, addition: Addition) -> None:
        """Insert the records, inside a transaction."""

    def _many(self, table: str, rows: Iterable[Row], *, verb: str = "INSERT") -> None:
        iterator = iter(rows)
        first = next(iterator, None)
        if first is not None:
            marks = ", ".join("?" * len(first))
            self._connection.executemany(
                f"{verb} INTO {table} VALUES ({marks})", _chain(first, iterator)
            )


class StoreReader(Closing):
    """Reads the store of a campaign, as it was when it was opened."""

    wanted_kind: ClassVar[str | None] = None
    """The kind of campaigns it reads; None for all."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        with explained(self.directory):
            self._connection = connect_reader(self.directory)
        try:
            self._meta: dict[str, Any] = dict(self._rows("SELECT name, value FROM meta"))
            self.kind = str(self._meta.get("kind", COST))
            self._require_kind()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _require_kind(self) -> None:
        if self.wanted_kind not in (None, self.kind):
            raise InputError(
                f"{self.directory}: is a campaign of {self.kind} testing, which this command "
                f"does not take; it takes those of {self.wanted_kind} testing"
            )

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with explained(self.directory):
            return self._connection.execute(query, values).fetchall()


def kind_of(directory: str | os.PathLike[str]) -> str:
    """The kind of the campaign in a folder: "cost" or "safety"."""
    with StoreReader(directory) as reader:
        return reader.kind


def json_text(data: Any) -> str:
    """JSON without the numbers that JSON does not have."""
    return json.dumps(data, allow_nan=False)


def columns_of(rows: list[Any], width: int) -> list[tuple[Any, ...]]:
    """The columns of rows that have this width."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _companions(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
