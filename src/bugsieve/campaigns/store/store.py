"""The store of a campaign: making, opening, transactions, and the records of every kind.

Each `add` is one transaction: when it returns, its records survive `kill -9`; before that, none of
them is there. A finding is never split over two of them.
"""

from __future__ import annotations

import os
import sqlite3
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.foreign_json import parse_json
from bugsieve.campaigns.store.certificate_blobs import json_text, packed, unpacked
from bugsieve.campaigns.store.progress import Addition, CampaignHeader
from bugsieve.campaigns.store.schema import (
    STORE_FILE,
    companions,
    connect_writer,
    create_file,
    explained,
)
from bugsieve.campaigns.store.tables import CHECK, SHARED_TABLES
from bugsieve.campaigns.store.validation import layout_of
from bugsieve.pipeline.judging.findings import BugRow, Finding

PART_FILE = f"{STORE_FILE}.part"
"""A store that is still being made; it gets its name when it is complete."""

_TEXT_COLUMNS = """SELECT tables.name, columns.name
FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table' AND columns.type = 'TEXT'"""

Row = tuple[Any, ...]
Self = TypeVar("Self", bound="Store")


class Store(Closing):
    """Adds records to the store of a campaign; for the one process that runs it."""

    kind: ClassVar[str]
    tables: ClassVar[str]
    """SQL that makes the tables which only this kind of campaigns has."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self._connection = connection
        rows = connection.execute("SELECT spec, number FROM oracles")
        self._oracles: dict[str, int] = dict(rows.fetchall())

    @classmethod
    def open(cls: type[Self], directory: Path, *, patience: float = 5.0) -> Self:
        """The store of an existing campaign; waits so many seconds for programs that lock it."""
        with explained(directory):
            return cls(directory, connect_writer(directory, patience, layout_of(cls.tables, {})))

    @classmethod
    def create(cls, directory: Path, header: CampaignHeader, start: Addition) -> None:
        """Make the store with its first records; it appears under its name only when complete."""
        part = directory / PART_FILE
        with explained(directory):
            for name in (part, *companions(part)):
                name.unlink(missing_ok=True)
            connection = create_file(part, SHARED_TABLES + cls.tables)
            try:
                values = {"kind": cls.kind, **_meta(header), **cls.subject_meta(header.subject)}
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
                rows = [(number, *astuple(row)) for number, row in enumerate(header.oracles)]
                connection.executemany("INSERT INTO oracles VALUES (?, ?, ?, ?)", rows)
                cls(directory, connection).add(start)
                # Closing would do so too, but say nothing where the disk is full.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
            os.replace(part, directory / STORE_FILE)

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

    def put_options(self, options: str) -> None:
        """Replace the options: for a folder on another machine, where files have other names."""
        with explained(self.directory):
            change = "UPDATE meta SET value = ? WHERE name = 'options'"
            self._connection.execute(change, (options,))

    def cut_names(self, beginning: str) -> None:
        """Take the beginning of names of files away, in whatever was stored: for the way back."""
        with explained(self.directory):
            columns = self._connection.execute(_TEXT_COLUMNS).fetchall()
            self._connection.execute("BEGIN IMMEDIATE")
            for table, column in columns:
                self._connection.execute(
                    f"UPDATE {table} SET {column} = replace({column}, ?1, '') "
                    f"WHERE instr({column}, ?1)",
                    (beginning,),
                )
            self._cut_in_certificates(beginning)
            self._connection.execute("COMMIT")

    def _cut_in_certificates(self, beginning: str) -> None:
        """Inside a transaction; a certificate tells what a policy printed when it crashed."""
        rows = self._connection.execute("SELECT id, bug FROM bugs")
        texts = ((name, json_text(unpacked(content))) for name, content in rows)
        for name, text in [row for row in texts if beginning in row[1]]:
            content = packed(parse_json(text.replace(beginning, "")))
            self._connection.execute("UPDATE bugs SET bug = ? WHERE id = ?", (content, name))

    def note(self, bug: str, name: str, data: Any) -> None:
        """Keep something about a bug, until its certificate improves; replaces what was there."""
        with explained(self.directory):
            self._connection.execute(
                "INSERT OR REPLACE INTO notes SELECT id, ?, changed, ? FROM bugs WHERE id = ?",
                (name, json_text(data), bug),
            )

    def put_notes(self, name: str, notes: Mapping[str, Any], *, visits: int | None = None) -> None:
        """Keep something about bugs by their ids, in place of all that has this name.

        It depends on all bugs; with the number of visits that it was made after, `notes_after`
        tells that it need not be made again.
        """
        with explained(self.directory):
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM notes WHERE name = ?", (name,))
            self._connection.executemany(
                "INSERT INTO notes SELECT id, ?, changed, ? FROM bugs WHERE id = ?",
                [(name, json_text(data), bug) for bug, data in notes.items()],
            )
            if visits is not None:
                of_no_bug = ("", name, visits, json_text(None))
                self._connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?)", of_no_bug)
            self._connection.execute("COMMIT")

    def notes_after(self, name: str) -> int | None:
        """After how many visits the notes of this name were made; None if that is not known."""
        with explained(self.directory):
            query = "SELECT changed FROM notes WHERE bug = '' AND name = ?"
            rows = self._connection.execute(query, (name,)).fetchall()
        is_known = bool(rows) and isinstance(rows[0][0], int)
        return rows[0][0] if is_known else None

    def put_green(self, content: bytes, seal: str | None) -> None:
        """Keep the certificate that there is no bug; replaces an earlier one."""
        with explained(self.directory):
            self.many("greens", [(0, content, seal)])

    def found_at(self, bug: str) -> float:
        """The running time when a stored bug was found."""
        with explained(self.directory):
            query = "SELECT seconds FROM bugs WHERE id = ?"
            ((seconds,),) = self._connection.execute(query, (bug,)).fetchall()
        return float(seconds)

    def close(self) -> None:
        """Fold the write-ahead log into the main file and let go of both."""
        with explained(self.directory):
            self._connection.close()

    @classmethod
    @abstractmethod
    def subject_meta(cls, subject: Any) -> Mapping[str, Any]:
        """What the table `meta` holds of the subject."""

    @abstractmethod
    def insert_cases(self, cases: Any, seconds: float) -> None:
        """Insert new cases, inside a transaction."""

    @abstractmethod
    def insert_own(self, findings: Sequence[Finding]) -> None:
        """Insert runs and verdicts of findings, inside a transaction."""

    def _insert(self, addition: Addition) -> None:
        findings = addition.findings
        if addition.cases is not None:
            self.insert_cases(addition.cases, addition.progress.seconds)
        self.insert_own(findings)
        visits = (finding.visit for finding in findings)
        self.many("visits", ((v.number, v.case, v.effort) for v in visits))
        # A bug that is stored already must not come again: replacing it would hide that.
        bugs = (self._bug_row(row) for finding in findings for row in finding.bugs)
        self.many("bugs", bugs, verb="INSERT")
        self._improve(row for finding in findings for row in finding.improved)
        self.many("bounds", self._bound_rows(findings))
        self.many("sightings", _sighting_rows(findings))
        self.many("unproven", self._unproven_rows(findings))
        self.many("rejected", self._rejected_rows(findings))
        self.many("unstable", _unstable_rows(findings))
        self.many("lessons", self._lesson_rows(findings))
        self.many("timeline", map(astuple, addition.events))
        if addition.check is not None:
            self.many("meta", [(CHECK, json_text(asdict(addition.check)))])
        self.many("progress", [(0, *astuple(addition.progress))])
        self.many("history", [(None, *astuple(addition.progress))])

    def many(self, table: str, rows: Iterable[Row], *, verb: str = "REPLACE") -> None:
        """Insert rows; one with the key of another takes its place, unless the verb is INSERT.

        That happens only to what is written anew: the progress, and a visit that was cut in the
        middle of its bugs and is made again.
        """
        iterator = iter(rows)
        first = next(iterator, None)
        if first is not None:
            marks = ", ".join("?" * len(first))
            self._connection.executemany(
                f"{verb} INTO {table} VALUES ({marks})", _chain(first, iterator)
            )

    def oracle(self, spec: str) -> int:
        """The number under which an oracle is stored."""
        return self._oracles[spec]

    def bug_data(self, row: BugRow[Any]) -> dict[str, Any]:
        """What is kept of a bug beside its columns, as JSON data."""
        data: dict[str, Any] = row.bug.to_json()
        return data

    def _bug_row(self, row: BugRow[Any]) -> Row:
        bug = row.bug
        finders = json_text([self._oracles[spec] for spec in row.finders])
        return (
            *(bug.id, row.case, bug.kind, bug.gap, bug.steps, self._oracles[bug.oracle]),
            *(finders, row.found, row.changed, row.seconds, packed(self.bug_data(row))),
            *(row.cause.key, json_text(row.cause.traits)),
        )

    def _improve(self, rows: Iterable[BugRow[Any]]) -> None:
        """Give known bugs their better certificates; what was noted of the old ones is gone."""
        for row in rows:
            name, _, kind, gap, steps, oracle, finders, _, changed, _, *rest = self._bug_row(row)
            self._connection.execute(
                "UPDATE bugs SET kind = ?, gap = ?, steps = ?, oracle = ?, finders = ?,"
                " changed = ?, bug = ?, cause = ?, traits = ? WHERE id = ?",
                (kind, gap, steps, oracle, finders, changed, *rest, name),
            )
            self._connection.execute(
                "DELETE FROM notes WHERE bug = ? AND changed < ?", (name, changed)
            )

    def _bound_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.bounds:
                oracle = self._oracles[row.oracle]
                yield finding.visit.number, row.case, oracle, row.gap, row.reason

    def _unproven_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for place, row in enumerate(finding.unproven):
                about = (finding.visit.number, place, row.case, row.position)
                yield *about, self._oracles[row.oracle], row.kind, row.reason

    def _rejected_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for place, row in enumerate(finding.rejected):
                certificate = None if row.certificate is None else json_text(row.certificate)
                about = (finding.visit.number, place, row.case, row.position)
                yield *about, self._oracles[row.oracle], row.reason, certificate

    def _lesson_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for lesson in finding.lessons:
                oracle = self._oracles[lesson.oracle]
                yield finding.visit.number, oracle, lesson.content, lesson.of_task


def _meta(header: CampaignHeader) -> dict[str, str]:
    return {
        "options": header.options,
        "policy is object": str(int(header.policy_is_object)),
        "policy fingerprint": header.policy_fingerprint,
        "objective": header.objective,
        **({} if header.reachable is None else {"reachable": json_text(asdict(header.reachable))}),
    }


def _sighting_rows(findings: Iterable[Finding]) -> Iterator[Row]:
    for finding in findings:
        for sighting in finding.sightings:
            yield finding.visit.number, sighting.position, sighting.bug


def _unstable_rows(findings: Iterable[Finding]) -> Iterator[Row]:
    for finding in findings:
        for place, row in enumerate(finding.unstable):
            yield finding.visit.number, place, *astuple(row)


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest
