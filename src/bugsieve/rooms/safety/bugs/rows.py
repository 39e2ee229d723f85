"""Rows of proofs, which many bugs of a campaign share: each is checked once, and stored once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bugsieve.rooms.safety.bugs.bug import Table


class KnownRows:
    """The rows that were met before, by the names of their tables."""

    def __init__(self) -> None:
        self._known: dict[str, set[bytes]] = {}

    def without(self, tables: Mapping[str, Table]) -> dict[str, Table]:
        """The tables without the rows that are known."""
        rest = {}
        for name, table in tables.items():
            known = self._known.get(name, set())
            rest[name] = table[[key not in known for key in row_keys(table)]]
        return rest

    def add(self, tables: Mapping[str, Table]) -> None:
        """Let the rows be known."""
        for name, table in tables.items():
            self._known.setdefault(name, set()).update(row_keys(table))


class RowNumbers:
    """Numbers rows from a given number on, equal ones alike."""

    def __init__(self, first: int) -> None:
        self.next = first
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, table: Table) -> tuple[list[list[int]], Table]:
        """The numbers of the rows as ranges (first, count), and those rows that are new."""
        is_new, numbers = [], []
        for key in row_keys(table):
            number = self._numbers.setdefault(key, self.next)
            is_new.append(number == self.next)
            numbers.append(number)
            self.next += number == self.next
        return _ranges(numbers), table[np.array(is_new, dtype=bool)]


def _ranges(numbers: list[int]) -> list[list[int]]:
    array = np.array(numbers, dtype=np.int64)
    begins = np.flatnonzero(np.diff(array, prepend=-2) != 1)
    counts = np.diff(begins, append=len(array))
    pairs = zip(array[begins].tolist(), counts.tolist(), strict=True)
    return [list(pair) for pair in pairs]


def row_keys(table: Table) -> list[bytes]:
    """The bytes of each row: equal for equal rows only."""
    rows = np.ascontiguousarray(table, dtype="<f8")
    size = rows.shape[1] * rows.itemsize
    content = rows.tobytes()
    return [content[start : start + size] for start in range(0, len(content), size)]
