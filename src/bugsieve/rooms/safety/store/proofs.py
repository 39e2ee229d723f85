"""The proofs of safety bugs as the store has them: rows in the order in which they were first
met, and for each bug the ranges of its rows. Many bugs of a campaign share most of them."""

from __future__ import annotations

import math
import sqlite3
import zlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from bugsieve.base.files_and_processes.foreign_json import fitting
from bugsieve.campaigns.store.certificate_blobs import MOST_BYTES
from bugsieve.rooms.safety.bugs.bug import (
    ANSWERS,
    FAULT,
    LOST,
    SAFE,
    LongCertificate,
    SafetyBug,
    Table,
    keys_of,
    long_certificate,
)
from bugsieve.rooms.safety.bugs.rows import RowNumbers

_MOST_NUMBERED = 200_000  # rows that are remembered, to store none twice
_MOST_RANGES = 1 << 20  # of a table
_MOST_CACHED = 1 << 26  # bytes of rows that a reader keeps
_PROOF = {"safe_action": int, "tables": {"*": [[int]]}}

StoredRow = tuple[int, int, int, bytes]


class ProofWriter:
    """Gives the rows of proofs the numbers under which they are stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        ((first,),) = connection.execute("SELECT IFNULL(MAX(first + count), 0) FROM proofs")
        self._numbers = RowNumbers(int(first))

    def data(self, bug: SafetyBug, visit: int) -> tuple[dict[str, Any], list[StoredRow]]:
        """A bug as JSON data with ranges of rows, and the rows that are to be stored for it."""
        certificate = long_certificate(bug.certificate)
        if len(self._numbers) > _MOST_NUMBERED:
            self._numbers = RowNumbers(self._numbers.next)
        ranges, rows = {}, []
        for name, table in certificate.tables.items():
            first = self._numbers.next
            ranges[name], new = self._numbers.add(table)
            if len(new):
                rows.append((first, visit, len(new), _packed_rows(new)))
        proof = {"safe_action": certificate.safe_action, "tables": ranges}
        return bug.to_json_with({**certificate.head, "proof": proof}), rows


def _packed_rows(table: Table) -> bytes:
    # Column by column: most values of a column begin alike.
    return zlib.compress(np.ascontiguousarray(table.T, dtype="<f8").tobytes(), 1)


class ProofReader:
    """Reads the certificates of bugs out of a store; ValueError for what cannot be."""

    def __init__(self, rows: Callable[..., list[Any]]) -> None:
        self._rows = rows
        self._cache: OrderedDict[int, Table] = OrderedDict()
        self._cached = 0

    def certificate(self, data: Mapping[str, Any]) -> LongCertificate:
        """The certificate of which the store has this JSON data."""
        head = {name: part for name, part in data.items() if name != "proof"}
        proof = fitting(data["proof"], _PROOF)
        names = {SAFE, ANSWERS, LOST} if head["kind"] == FAULT else {SAFE, ANSWERS}
        if set(proof["tables"]) != names or {*head, *names} != set(keys_of(head)):
            raise ValueError("a certificate has other parts than it must have")
        tables = self._tables(head, proof)
        return LongCertificate(head, proof["safe_action"], lambda: tables)

    def _tables(self, head: Mapping[str, Any], proof: Mapping[str, Any]) -> dict[str, Table]:
        width = len(head["state"]) + 2
        names = [name for name in (SAFE, ANSWERS, LOST) if name in proof["tables"]]
        tables = {name: self._table(proof["tables"][name], width) for name in names}
        for table in tables.values():
            _check_kinds(table, head["state"])
        state = np.array([float(value) for value in head["state"]])
        own = tables[SAFE][(tables[SAFE][:, :-2] == state).all(axis=1)]
        if len(own) == 0 or own[0, -2] != proof["safe_action"]:
            raise ValueError("a proof does not begin with the state of its bug")
        return tables

    def _table(self, ranges: list[list[int]], width: int) -> Table:
        if any(len(pair) != 2 or pair[0] < 0 or pair[1] < 1 for pair in ranges):
            raise ValueError("ranges of rows are pairs of a number and a count")
        most = MOST_BYTES // (8 * width)
        if len(ranges) > _MOST_RANGES or sum(count for _, count in ranges) > most:
            raise ValueError("a proof has too many rows")
        parts = [part for first, count in ranges for part in self._parts(first, count, width)]
        return np.concatenate(parts) if parts else np.empty((0, width))

    def _parts(self, first: int, count: int, width: int) -> Iterator[Table]:
        """The rows of a range, which may be spread over several rows of the store."""
        end = first + count
        while first < end:
            place = bisect_right(self._firsts, first) - 1
            begin, size = self._places[place] if place >= 0 else (first, 0)
            if first >= begin + size:
                raise ValueError(f"row {first} of a proof is missing")
            yield self._chunk(begin, size, width)[first - begin : end - begin]
            first = begin + size

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """The first number and the count of each row of the table, in order."""
        return self._rows("SELECT first, count FROM proofs ORDER BY first")

    @cached_property
    def _firsts(self) -> list[int]:
        return [first for first, _ in self._places]

    def _chunk(self, first: int, count: int, width: int) -> Table:
        chunk = self._cache.get(first)
        if chunk is None:
            ((content,),) = self._rows("SELECT rows FROM proofs WHERE first = ?", first)
            chunk = _unpacked_rows(content, count, width)
            self._cache[first] = chunk
            self._cached += chunk.nbytes
            while self._cached > _MOST_CACHED and len(self._cache) > 1:
                self._cached -= self._cache.popitem(last=False)[1].nbytes
        if chunk.shape[1] != width:
            raise ValueError("rows of a proof are about other variables")
        return chunk


def _unpacked_rows(content: bytes, count: int, width: int) -> Table:
    size = count * width * 8
    if size > MOST_BYTES:
        raise ValueError("a part of a proof is too large")
    decoder = zlib.decompressobj()
    try:
        numbers = decoder.decompress(content, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(numbers) != size or not decoder.eof or decoder.unused_data:
        raise ValueError("rows of a proof are not as many as they should be")
    return np.ascontiguousarray(np.frombuffer(numbers, dtype="<f8").reshape(width, count).T)


def _check_kinds(table: Table, state: list[Any]) -> None:
    """ValueError unless all numbers are finite, and whole where the state has whole ones."""
    is_real = [type(value) is float for value in state] + [False, False]
    if not np.isfinite(table).all():
        raise ValueError("a proof has a number that is none")
    whole = table[:, [not real for real in is_real]]
    if (whole != np.floor(whole)).any() or (np.abs(whole) > 2.0**53).any():
        raise ValueError("a proof has a broken number in place of a whole one")
    truths = table[:, [type(value) is bool for value in state] + [False, False]]
    if not np.isin(truths, (0.0, 1.0)).all():
        raise ValueError("a proof has a number in place of a truth value")
    if table.size and np.abs(table[:, -2:]).max() > math.ldexp(1, 31):
        raise ValueError("a proof has an action or a rank that is too large")
