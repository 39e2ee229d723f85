"""Bars that pictures of results have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bugsieve.reports.plots import plain_label
from bugsieve.reports.table import Missing, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR = 0.8
"""The part of a row that its bars take."""


def draw_bars(
    panel: Axes,
    cells: Mapping[str, Sequence[Value]],
    colours: Mapping[str, str],
    labels: Sequence[str],
) -> list[tuple[float, Value]]:
    """Draw rows from top to bottom, in each a bar of every series, with their labels.

    Returns where each bar is.
    """
    height = _BAR / max(1, len(cells))
    drawn: list[tuple[float, Value]] = []
    for number, (name, values) in enumerate(cells.items()):
        places = [row + (number + 0.5) * height - _BAR / 2 for row in range(len(labels))]
        lengths = [0.0 if isinstance(value, Missing) else value for value in values]
        panel.barh(places, lengths, height, color=colours[name], label=plain_label(name))
        drawn += zip(places, values, strict=True)
    panel.set_yticks(range(len(labels)), list(map(plain_label, labels)))
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.grid(axis="y", visible=False)
    panel.tick_params(axis="y", length=0)
    return drawn
