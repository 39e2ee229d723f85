"""Draws the unsafe runs that fuzzers find, and the time they take (Figure 2 of papers/001)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from bugsieve.reports.plots import COLOURS, GREY, new_figure
from bugsieve.reports.table import Missing, Table, Value
from bugsieve.rooms.lab.reports.bars import draw_bars
from bugsieve.rooms.lab.reports.safety.cards import SafetyCard, fuzzers_of
from bugsieve.rooms.lab.reports.safety.tables import fuzzing_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _MODEL_HEIGHT, _FRAME_HEIGHT = 8.0, 0.62, 1.1
_LEAST_SECONDS = 1e-3


def draw_fuzzing(cards: Sequence[SafetyCard]) -> Figure:
    """Two panels: the time of all walks, and the unsafe runs that they found."""
    table = fuzzing_table(cards)
    fuzzers = fuzzers_of(cards)
    figure = new_figure(_WIDTH, _FRAME_HEIGHT + _MODEL_HEIGHT * len(table.rows))
    left, right = figure.subplots(1, 2)
    _draw_panel(left, table, "seconds", fuzzers)
    left.set_xscale("log")
    left.set_xlim(left=_LEAST_SECONDS)
    left.set_title("Seconds for all walks")
    _draw_panel(right, table, "unsafe runs", fuzzers)
    right.set_title("Unsafe runs found")
    right.set_yticklabels([])
    right.set_xlim(left=0)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _draw_panel(panel: Axes, table: Table, heading: str, fuzzers: Sequence[str]) -> None:
    """Bars from top to bottom: models in the order of the table, in each the fuzzers."""
    columns = [i for i, column in enumerate(table.columns) if column.headings[1] == heading]
    cells = {
        fuzzer: [row.cells[column] for row in table.rows]
        for fuzzer, column in zip(fuzzers, columns, strict=True)
    }
    colours = dict(zip(fuzzers, cycle(COLOURS), strict=False))
    for place, value in draw_bars(panel, cells, colours, _labels(table)):
        _explain(panel, place, value, heading)


def _explain(panel: Axes, place: float, value: Value, heading: str) -> None:
    """Write the reason why there is no bar."""
    if heading == "unsafe runs" and (value == 0 or isinstance(value, Missing)):
        text = "not run" if isinstance(value, Missing) else "0"
        where = panel.get_yaxis_transform()
        panel.text(0.01, place, text, va="center", fontsize=6, color=GREY, transform=where)


def _labels(table: Table) -> list[str]:
    several = len(list(table.blocks())) > 1
    return [f"{row.label},\n{row.block}" if several else row.label for row in table.rows]
