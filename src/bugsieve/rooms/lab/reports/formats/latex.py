"""Tables for papers: LaTeX with the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bugsieve.reports.table import Column, Row, Table, cell_text, spans

_SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "∞": r"$\infty$",
}
_SYMBOLS = {
    "|Pπ|": r"$|P_\pi|$",
    "|P|": "$|P|$",
    "(P∖Pπ)": r"($P \setminus P_\pi$)",
    "(Pπ)": r"($P_\pi$)",
    "(P)": "($P$)",
    "Σπ": r"$\Sigma_\pi$",
    "Σ": r"$\Sigma$",
}
_SYMBOL = re.compile("|".join(map(re.escape, _SYMBOLS)))


def latex_text(table: Table) -> str:
    """The table as a `tabular` environment with all columns side by side."""
    return "\n".join(_lines(table))


def _lines(table: Table) -> Iterator[str]:
    yield r"% needs \usepackage{booktabs}"
    yield rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}"
    yield r"\toprule"
    for level in range(len(table.columns[0].headings) - 1):
        yield _spans_line(table.columns, level)
        yield _rules_line(table.columns, level)
    yield _line([table.label, *(_heading(column.headings[-1]) for column in table.columns)])
    blocks = list(table.blocks())
    for block, rows in blocks:
        yield r"\midrule"
        if len(blocks) > 1:
            yield rf"\multicolumn{{{len(table.columns) + 1}}}{{l}}{{{_escaped(block)}}} \\"
        for row in rows:
            yield _row_line(row, table.columns)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    for note in table.notes:
        yield f"% {note}"


def _spans_line(columns: Sequence[Column], level: int) -> str:
    cells = [
        rf"\multicolumn{{{span.stop - span.start}}}{{c}}{{{_heading(span.text)}}}"
        for span in spans(columns, level)
    ]
    return f" & {' & '.join(cells)} \\\\"


def _rules_line(columns: Sequence[Column], level: int) -> str:
    """Rules below the headings; columns count from 1, and the labels are the first."""
    return "".join(
        rf"\cmidrule(lr){{{span.start + 2}-{span.stop + 1}}}"
        for span in spans(columns, level)
        if span.text
    )


def _row_line(row: Row, columns: Sequence[Column]) -> str:
    cells = zip(row.cells, columns, strict=True)
    return _line([_escaped(row.title), *(_escaped(cell_text(*cell)) for cell in cells)])


def _line(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _heading(text: str) -> str:
    return _SYMBOL.sub(lambda symbol: _SYMBOLS[symbol.group()], _escaped(text))


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
