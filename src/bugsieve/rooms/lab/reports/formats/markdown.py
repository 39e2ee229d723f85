"""Tables for pages in Markdown: one for each section, with all headings in one line."""

from __future__ import annotations

from collections.abc import Iterator

from bugsieve.reports.table import Column, Table, cell_text


def markdown_text(table: Table) -> str:
    """The table as Markdown."""
    sections = ["\n".join(_section(section)) for section in table.sections()]
    notes = "\n".join(f"{note}  " for note in table.notes).rstrip()
    return "\n\n".join([*sections, notes]).rstrip()


def _section(table: Table) -> Iterator[str]:
    blocks = list(table.blocks())
    parts = dict.fromkeys(column.headings[0] for column in table.columns)
    yield f"**{', '.join(map(_escaped, parts))}**\n"
    yield _line([table.label, *map(_heading, table.columns)])
    yield _line(["---", *["---:"] * len(table.columns)])
    for block, rows in blocks:
        if len(blocks) > 1:
            yield _line([f"*{_escaped(block)}*", *[""] * len(table.columns)])
        for row in rows:
            cells = zip(row.cells, table.columns, strict=True)
            yield _line([_escaped(row.title), *(cell_text(*cell) for cell in cells)])


def _heading(column: Column) -> str:
    """All headings of a column but the widest, with breaks between them."""
    return "<br>".join(_escaped(heading) for heading in column.headings[1:] if heading)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
