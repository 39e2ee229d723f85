"""A table to be printed: columns under several lines of headings, rows in blocks, notes."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bugsieve.base.notebooks import line_html, table_html


class Missing(enum.Enum):
    """The reason why there is no number."""

    UNDEFINED = "undefined"
    """A division by zero, or nothing was measured."""
    NOT_APPLICABLE = "not applicable"
    """The oracle cannot judge on the task."""


Value = float | Missing
UNDEFINED, NOT_APPLICABLE = Missing.UNDEFINED, Missing.NOT_APPLICABLE


@dataclass(frozen=True)
class Column:
    """A column of numbers."""

    key: str
    """Its name for programs."""
    headings: tuple[str, ...]
    """From the widest to its own; columns side by side share equal ones."""
    section: int = 0
    """Columns of a section stay together where a page is too narrow for all."""
    decimals: int = 1


@dataclass(frozen=True)
class Row:
    """A row; rows of the same block follow each other under its heading."""

    block: str
    label: str
    cells: tuple[Value, ...]
    unsolved: tuple[str, ...] = ()
    """The instances of the row whose initial state the policy does not solve."""

    @property
    def title(self) -> str:
        """Its label for people, with a mark if the policy does not solve all its instances."""
        return f"{self.label}*" if self.unsolved else self.label


@dataclass(frozen=True)
class Table:
    """A table with as many cells in each row as there are columns."""

    label: str
    """The heading of the labels of rows."""
    block: str
    """The name of the headings of blocks."""
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def sections(self) -> Iterator[Table]:
        """The table in several, side by side or below each other, without the notes."""
        for section in sorted({column.section for column in self.columns}):
            chosen = [i for i, column in enumerate(self.columns) if column.section == section]
            rows = (replace(row, cells=tuple(row.cells[i] for i in chosen)) for row in self.rows)
            columns = tuple(self.columns[i] for i in chosen)
            yield Table(self.label, self.block, columns, tuple(rows))

    def _repr_html_(self) -> str:
        """HTML for notebooks: the first rows, and the notes."""
        headings = [" ".join(filter(None, column.headings)) for column in self.columns]
        rows = (
            (row.block, row.title, *map(cell_text, row.cells, self.columns)) for row in self.rows
        )
        table = table_html((self.block, self.label, *headings), rows, len(self.rows))
        return table + "".join(map(line_html, self.notes))

    def blocks(self) -> Iterator[tuple[str, list[Row]]]:
        """The blocks in order of appearance, with their rows."""
        names = dict.fromkeys(row.block for row in self.rows)
        for name in names:
            yield name, [row for row in self.rows if row.block == name]


@dataclass(frozen=True)
class Span:
    """A heading over the columns `start` to `stop - 1`."""

    text: str
    start: int
    stop: int


def spans(columns: Sequence[Column], level: int) -> list[Span]:
    """The headings of one line; those with the same headings above and here are joined."""
    joined: list[Span] = []
    for number, column in enumerate(columns):
        here = column.headings[: level + 1]
        if joined and columns[number - 1].headings[: level + 1] == here:
            joined[-1] = Span(here[-1], joined[-1].start, number + 1)
        else:
            joined.append(Span(here[-1], number, number + 1))
    return joined


def cell_text(value: Value, column: Column) -> str:
    """The number as it is printed; a dash where the method does not apply, else nothing."""
    if isinstance(value, Missing):
        return "–" if value is Missing.NOT_APPLICABLE else ""
    return f"{value:.{column.decimals}f}"
