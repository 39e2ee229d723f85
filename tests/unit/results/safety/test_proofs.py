"""Proofs in stores: rows are there once, and bugs point to them."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.safety.bugs.bug import long_certificate
from bugsieve.rooms.safety.bugs.rows import KnownRows, RowNumbers
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.unit.campaigns.safety.ledge import LEFT, Leftist, loaded

TABLE = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0]])


def test_equal_rows_have_one_number() -> None:
    numbers = RowNumbers(7)
    ranges, new = numbers.add(TABLE)
    assert ranges == [[7, 2], [7, 1], [9, 1]]
    assert new.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    ranges, new = numbers.add(TABLE[1:])
    assert (ranges, len(new), numbers.next) == ([[8, 1], [7, 1], [9, 1]], 0, 10)
    assert numbers.add(TABLE[:0])[0] == []


def test_rows_are_known_by_their_tables() -> None:
    known = KnownRows()
    known.add({"safe": TABLE[:1]})
    rest = known.without({"safe": TABLE, "unsafe": TABLE})
    assert {name: len(table) for name, table in rest.items()} == {"safe": 2, "unsafe": 4}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with two bugs, of which the proof of one is a part of the other's."""
    model, target = loaded(tmp_path), tmp_path / "campaign"
    options = SafetyOptions(
        model=(), policy="leftist", fuzz=SafetyFuzzOptions(walks=20), oracles=("tarjan",)
    )
    policy = Leftist(model, 1, 2, 3)
    with closing(Campaign.create(target, options, model, policy=policy)) as campaign:
        campaign.run()
    return target


def test_each_row_is_stored_once(folder: Path) -> None:
    with SafetyRecords(folder) as records:
        bugs = [row.bug for row in records.bugs()]
    tables = [table for bug in bugs for table in long_certificate(bug.certificate).tables.values()]
    rows = {tuple(row) for table in tables for row in table.tolist()}
    with closing(sqlite3.connect(folder / STORE_FILE)) as store:
        ((stored,),) = store.execute("SELECT SUM(count) FROM proofs")
    assert len(bugs) > 1
    assert stored == len(rows) < sum(map(len, tables))


def change(folder: Path, table: str, column: str, made: Any) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        for key, content in store.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            store.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (made(content), key))


def checked(folder: Path) -> None:
    with SafetyRecords(folder) as records:
        checker = SafetyBugChecker(records.header.subject.json())
        for row in records.bugs():
            checker.check(row.bug.certificate)


def other_numbers(content: bytes) -> bytes:
    """The same rows with the action or rank of each changed."""
    numbers = np.frombuffer(zlib.decompress(content)).reshape(3, -1).copy()
    numbers[1:] = LEFT
    return zlib.compress(numbers.tobytes())


def pointing(ranges: Any) -> Any:
    def made(content: bytes) -> bytes:
        data = unpacked(content)
        data["certificate"]["proof"]["tables"]["unsafe"] = ranges
        return packed(data)

    return made


def test_rows_that_prove_nothing_are_refused(folder: Path) -> None:
    checked(folder)
    change(folder, "proofs", "rows", other_numbers)
    with pytest.raises((CertificateError, InputError)):
        checked(folder)


def test_a_bug_that_points_to_rows_of_another_proof_is_refused(folder: Path) -> None:
    change(folder, "bugs", "bug", pointing([[0, 1]]))
    with pytest.raises(CertificateError):
        checked(folder)


@pytest.mark.parametrize(
    "ranges", [[[0, 10**9]], [[10**6, 1]], [[0, 0]], [[-1, 2]], [[1]], [[0, 1]] * (1 << 21), "all"]
)
def test_pointers_to_what_is_not_there_are_damage(folder: Path, ranges: Any) -> None:
    change(folder, "bugs", "bug", pointing(ranges))
    with pytest.raises(InputError):
        checked(folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"junk", zlib.compress(b"x"), zlib.compress(bytes(10**7)), zlib.compress(b"\xff" * 72)],
)
def test_rows_that_cannot_be_read_are_damage(folder: Path, content: bytes) -> None:
    change(folder, "proofs", "rows", lambda _: content)
    with pytest.raises(InputError):
        checked(folder)
