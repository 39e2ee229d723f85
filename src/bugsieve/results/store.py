"""The store of a campaign, for the one process that runs it.

Each `add` is one transaction: when it returns, its records survive `kill -9`; before that, none of
them is there. Reading is the business of `records`.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.basis.closing import Closing
from bugsieve.results.rows import (
    Addition,
    BugRow,
    CampaignHeader,
    Judgement,
    RejectedRow,
    VerdictRow,
)
from bugsieve.results.schema import STORE_FILE, connect_writer, create_file, explained

PART_FILE = f"{STORE_FILE}.part"
"""A store that is still being made; it gets its name when it is complete."""

Row = tuple[Any, ...]


class Store(Closing):
    """Adds records to the store of a campaign."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self._connection = connection
        rows = connection.execute("SELECT spec, number FROM oracles")
        self._oracles: dict[str, int] = dict(rows.fetchall())

    @classmethod
    def create(cls, directory: Path, header: CampaignHeader, start: Addition) -> None:
        """Make the store with its first records; it appears under its name only when complete."""
        part = directory / PART_FILE
        with explained(directory):
            for name in (part, *_companions(part)):
                name.unlink(missing_ok=True)
            connection = create_file(part)
            try:
                _insert_header(connection, header)
                cls(directory, connection).add(start)
                # Closing would do so too, but say nothing where the disk is full.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
            os.replace(part, directory / STORE_FILE)

    @classmethod
    def open(cls, directory: Path, *, patience: float = 5.0) -> Store:
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

    def _insert(self, addition: Addition) -> None:
        judgements = addition.judgements
        self._many("pool", _pool_rows(addition))
        self._many("runs", map(_run_row, judgements))
        self._many("verdicts", self._verdict_rows(judgements))
        self._many("bugs", (self._bug_row(item.bug) for item in judgements if item.bug))
        rejected = (row for item in judgements for row in item.rejected)
        self._many("rejected", (self._rejected_row(row) for row in rejected))
        self._many("timeline", (astuple(event) for event in addition.events))
        self._many("progress", [(0, *astuple(addition.progress))], verb="REPLACE")

    def _many(self, table: str, rows: Iterable[Row], *, verb: str = "INSERT") -> None:
        iterator = iter(rows)
        first = next(iterator, None)
        if first is not None:
            marks = ", ".join("?" * len(first))
            self._connection.executemany(
                f"{verb} INTO {table} VALUES ({marks})", _chain(first, iterator)
            )

    def _verdict_rows(self, judgements: Sequence[Judgement]) -> Iterator[Row]:
        for judgement in judgements:
            for row in judgement.verdicts:
                yield self._verdict_row(judgement.number, row)

    def _verdict_row(self, number: int, row: VerdictRow) -> Row:
        verdict = row.verdict
        plan = None if verdict.plan is None else action_bytes(verdict.plan)
        return (
            number,
            self._oracles[row.oracle],
            verdict.outcome.value,
            verdict.reason,
            verdict.gap,
            verdict.value,
            int(verdict.exact),
            plan,
            row.seconds,
        )

    def _bug_row(self, row: BugRow) -> Row:
        bug = row.bug
        finders = json.dumps([self._oracles[spec] for spec in row.finders])
        oracle = self._oracles[bug.oracle]
        return (
            *(bug.id, row.number, bug.kind, bug.gap, oracle, finders),
            *(json_text(bug.to_json()), row.seconds),
        )

    def _rejected_row(self, row: RejectedRow) -> Row:
        oracle = self._oracles[row.oracle]
        certificate = None if row.certificate is None else json_text(row.certificate)
        return row.number, oracle, row.reason, certificate


def action_bytes(actions: Sequence[int]) -> bytes:
    """Operator ids as they are stored: 32 bits each, little-endian."""
    return np.asarray(actions, dtype="<i4").tobytes()


def json_text(data: Any) -> str:
    """JSON without the numbers that JSON does not have."""
    return json.dumps(data, allow_nan=False)


def _insert_header(connection: sqlite3.Connection, header: CampaignHeader) -> None:
    task = header.task
    values = {
        "options": header.options,
        "policy": header.policy,
        "policy is object": str(int(header.policy_is_object)),
        "objective": header.objective,
        "task name": task.name,
        "task sas": task.sas,
        "task sha256": task.sha256,
        "task objects": json.dumps(task.objects),
        "task static facts": json.dumps(task.static_facts),
        "domain": task.domain,
        "problem": task.problem,
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
    rows = [(number, *astuple(oracle)) for number, oracle in enumerate(header.oracles)]
    connection.executemany("INSERT INTO oracles VALUES (?, ?, ?)", rows)


def _pool_rows(addition: Addition) -> Iterator[Row]:
    states = np.ascontiguousarray(addition.states, dtype="<u2")
    seconds = addition.progress.seconds
    for entry, state in zip(addition.entries, states, strict=True):
        actions = action_bytes(entry.actions)
        yield entry.index, state.tobytes(), entry.parent, actions, entry.walk, seconds


def _run_row(judgement: Judgement) -> Row:
    run = judgement.run
    return judgement.number, run.ending, run.steps, run.cost, run.value


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _companions(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
