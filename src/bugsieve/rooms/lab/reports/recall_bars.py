"""Draws the recall of each oracle, by domain and policy (part C of Table 1 in papers/000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from bugsieve.base.wording import counted
from bugsieve.reports.plots import COLOURS, add_footnotes, new_figure, plain_label
from bugsieve.reports.table import Missing, Row, Table, Value
from bugsieve.rooms.lab.reports.bars import draw_bars
from bugsieve.rooms.lab.reports.icaps22 import ORACLES_PART
from bugsieve.rooms.lab.reports.measures import QUALITATIVE, QUANTITATIVE, full_name

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {
    QUALITATIVE: "Qualitative: bugs among the states\nthat the policy does not solve",
    QUANTITATIVE: "Quantitative: bugs among the states\nthat the policy solves",
}
_WIDTH, _DOMAIN_HEIGHT, _FRAME_HEIGHT = 8.0, 0.55, 1.1


def draw_recall(table: Table) -> Figure:
    """Two panels of bars for each policy of an icaps22 table."""
    blocks = list(table.blocks())
    heights = [_FRAME_HEIGHT + _DOMAIN_HEIGHT * len(rows) for _, rows in blocks]
    figure = new_figure(_WIDTH, sum(heights) + 0.4)
    panels = figure.subplots(
        len(blocks), 2, squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights}
    )
    columns = {kind: _columns(table, kind) for kind in _TITLES}
    names = dict.fromkeys(name for own in columns.values() for name in own)
    colours = dict(zip(names, cycle(COLOURS), strict=False))
    for (policy, rows), pair in zip(blocks, panels, strict=True):
        for kind, panel in zip(_TITLES, pair, strict=True):
            _draw_panel(panel, rows, columns[kind], colours)
            panel.set_title(_TITLES[kind] if policy == blocks[0][0] else "")
        pair[0].set_ylabel(plain_label(policy) if len(blocks) > 1 else "")
        pair[1].set_yticklabels([])
    for panel in panels[-1]:
        panel.set_xlabel("recall in %")
    handles: dict[str, Artist] = {}
    for panel in panels[0]:
        bars, labels = panel.get_legend_handles_labels()
        handles.update(zip(labels, bars, strict=True))
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower center", ncols=len(handles)
    )
    add_footnotes(figure, [note for note in table.notes if note.startswith("*")])
    return figure


def _columns(table: Table, kind: str) -> dict[str, int]:
    """The columns with the recalls of oracles, by their names."""
    return {
        full_name(column.headings[-1]): number
        for number, column in enumerate(table.columns)
        if column.headings[0] == ORACLES_PART and column.key.startswith(f"{kind}_")
    }


def _draw_panel(
    panel: Axes, rows: Sequence[Row], columns: Mapping[str, int], colours: Mapping[str, str]
) -> None:
    """Bars from top to bottom: domains in the order of the table, in each the oracles."""
    cells = {name: [row.cells[column] for row in rows] for name, column in columns.items()}
    for place, value in draw_bars(panel, cells, colours, [row.title for row in rows]):
        _annotate(panel, place, _EXPLANATIONS.get(value, ""))
    for place, row in enumerate(rows):
        if all(row.cells[column] in _NOTHING for column in columns.values()):
            _annotate(panel, place, _why_nothing(row) if columns else "no oracle for such states")
    panel.set_xlim(0, 100)


def _why_nothing(row: Row) -> str:
    """The reason why there is no bar: no states to judge, or none that count."""
    _, solved, pool = row.cells[:3]
    if row.unsolved and solved == 0.0 and pool is Missing.UNDEFINED:
        return f"the policy solves none of {counted(len(row.unsolved), 'instance')}"
    return "no such states"


_NOTHING = (Missing.UNDEFINED, Missing.NOT_APPLICABLE)
_EXPLANATIONS: dict[Value, str] = {Missing.NOT_APPLICABLE: "does not apply", 0.0: "0"}
"""The reason why there is no bar."""


def _annotate(panel: Axes, place: float, text: str) -> None:
    panel.text(1, place, text, va="center", fontsize=6, color="#666666")
