"""Tables for terminals: aligned columns, one section below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.reports.table import Column, Row, Table, cell_text, spans

_GAP = 2
_WIDE_GAP = 4
"""Between groups of columns."""
_INDENT = "  "


def plain_text(table: Table) -> str:
    """The table in lines of text."""
    sections = ["\n".join(_section(section)) for section in table.sections()]
    return "\n\n".join([*sections, "\n".join(table.notes)]).rstrip()


def _section(table: Table) -> Iterator[str]:
    blocks = list(table.blocks())
    indent = _INDENT if len(blocks) > 1 else ""
    labels = [table.label, *(indent + row.title for row in table.rows)]
    label_width = max(map(len, labels))
    widths = _widths(table)
    yield from _heading_lines(table, widths, label_width)
    for block, rows in blocks:
        if indent:
            yield block
        for row in rows:
            yield _line(indent + row.title, _cells(row, table.columns), widths, label_width)


def _cells(row: Row, columns: Sequence[Column]) -> list[str]:
    return [cell_text(value, column) for value, column in zip(row.cells, columns, strict=True)]


def _widths(table: Table) -> list[int]:
    """Wide enough for the cells, and together for the headings above them; with the gaps."""
    rows = [_cells(row, table.columns) for row in table.rows]
    widths = [
        _gap(table.columns, number)
        + max(len(column.headings[-1]), *(len(row[number]) for row in rows))
        for number, column in enumerate(table.columns)
    ]
    for level in reversed(range(len(table.columns[0].headings) - 1)):
        for span in spans(table.columns, level):
            room = sum(widths[span.start : span.stop]) - _WIDE_GAP
            widths[span.start] += max(0, len(span.text) - room)
    return widths


def _gap(columns: Sequence[Column], number: int) -> int:
    """The blanks before a column."""
    here, before = columns[number].headings[:-1], columns[number - 1].headings[:-1]
    return _GAP if number and here == before else _WIDE_GAP


def _heading_lines(table: Table, widths: Sequence[int], label_width: int) -> Iterator[str]:
    for level in range(len(table.columns[0].headings) - 1):
        line = " " * label_width
        for span in spans(table.columns, level):
            room = sum(widths[span.start : span.stop]) - _WIDE_GAP
            line += " " * _WIDE_GAP + span.text.center(room)
        if line.strip():
            yield line.rstrip()
    names = [column.headings[-1] for column in table.columns]
    yield _line(table.label, names, widths, label_width)


def _line(label: str, cells: Sequence[str], widths: Sequence[int], label_width: int) -> str:
    pieces = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    return "".join([label.ljust(label_width), *pieces]).rstrip()
