"""Draws a dominance function: one map per factor, states from near to far from the goal."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.wording import counted
from bugsieve.reports.plots import GREY, new_figure, plain_label, say_nothing_there
from bugsieve.rooms.dominance.fact_words import FactWords
from bugsieve.rooms.dominance.function import DominanceFunction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_MOST_MAPS = 12
_MOST_STATES = 800
"""Of a map; of more, every so many are drawn."""
_SHARP_STATES = 300
"""Of more, a pixel shows several."""
_MOST_NAMES, _MOST_NUMBERS, _MOST_TICKS = 12, 10, 6
_LONGEST_NAME, _LONGEST_TITLE = 24, 44
_WIDTH, _HEIGHT, _HEAD = 3.6, 3.5, 0.6
_LEAST_WIDTH = 7.0
_COLOURS = ("#7F2704", "#E6550D", "#FDC692", "#FBF0B2", "#A6CBE3", "#2C7FB8", "#08306B")
"""Dearer, equal, cheaper: everybody can tell orange from blue, and all of them from blank."""
_BLANK = "white"


@dataclass(frozen=True)
class _Map:
    title: str
    values: NDArray[np.float64]
    """By source and target, both ordered; NaN where there is no bound."""
    distances: NDArray[np.int32]
    names: tuple[str, ...]
    """Of the states, if they are few and of one variable."""


def draw_dominance(function: DominanceFunction) -> Figure:
    """Maps of the largest factors that have more than one state."""
    sizes = [len(function.goal_distances(i)) for i in range(len(function.blocks))]
    several = [i for i, size in enumerate(sizes) if size > 1]
    chosen = sorted(several, key=lambda i: -sizes[i])[:_MOST_MAPS]
    columns = max(min(len(chosen), 4 if len(chosen) > 6 else 3), 1)
    rows = max(ceil(len(chosen) / columns), 1)
    width = max(_WIDTH * columns, _LEAST_WIDTH)
    figure = new_figure(width, width / columns * _HEIGHT / _WIDTH * rows + _HEAD)
    figure.suptitle(_title(function, len(chosen), len(several)), x=0.01, ha="left", fontsize=10)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels[len(chosen) :]:
        panel.set_axis_off()
    for panel, factor in zip(panels, chosen, strict=False):
        _draw(panel, _map_of(function, factor))
    if not chosen:
        say_nothing_there(panels[0], "no factor has two states")
    return figure


def _title(function: DominanceFunction, drawn: int, several: int) -> str:
    which = f"the {drawn} largest of {several} factors" if drawn < several else "all factors"
    name = plain_label(function.task.name)
    return (
        f"{name}: how much less plans cost from a column's state than from a row's ({which})\n"
        "blue: at least so much cheaper · orange: at most so much dearer · blank: no bound"
    )


def _map_of(function: DominanceFunction, factor: int) -> _Map:
    distances, table = function.goal_distances(factor), function.table(factor)
    # States that are comparable with as many others come together: that shows the classes.
    finite = np.isfinite(table)
    order = np.lexsort((finite.sum(axis=0), finite.sum(axis=1), distances))
    if len(order) > _MOST_STATES:
        order = order[np.linspace(0, len(order) - 1, _MOST_STATES).astype(np.int64)]
    values = table[np.ix_(order, order)]
    values[np.isneginf(values)] = np.nan
    return _Map(
        title=_factor_title(function, factor, len(distances)),
        values=values,
        distances=distances[order],
        names=_names(function, factor, order),
    )


def _factor_title(function: DominanceFunction, factor: int, states: int) -> str:
    words, block = FactWords(function.task), function.blocks[factor]
    names = _shortened(", ".join(words.variable(variable) for variable in block), _LONGEST_TITLE)
    drawn = f", {_MOST_STATES} of them drawn" if states > _MOST_STATES else ""
    variables = f"{counted(len(block), 'variable')}, " if len(block) > 1 else ""
    return f"{plain_label(names)}\n{variables}{counted(states, 'state')}{drawn}"


def _names(function: DominanceFunction, factor: int, order: NDArray[np.int64]) -> tuple[str, ...]:
    block = function.blocks[factor]
    if len(block) > 1 or len(order) > _MOST_NAMES:
        return ()
    words, states = FactWords(function.task), function.states(factor)[order, 0].tolist()
    texts = (words.short_value(block[0], value) for value in states)
    return tuple(plain_label(_shortened(text, _LONGEST_NAME)) for text in texts)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _draw(panel: Axes, drawn: _Map) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    most = float(np.nanmax(np.abs(drawn.values), initial=1.0))
    colours = LinearSegmentedColormap.from_list("dominance", _COLOURS)
    image = panel.imshow(
        drawn.values,
        cmap=colours.with_extremes(bad=_BLANK),
        vmin=-most,
        vmax=most,
        interpolation="nearest" if len(drawn.values) <= _SHARP_STATES else "hanning",
        interpolation_stage="rgba",
        aspect="equal",
    )
    panel.set_title(drawn.title, fontsize=8)
    panel.grid(visible=False)
    for spine in panel.spines.values():
        spine.set(visible=True, color="#bbbbbb")
    panel.tick_params(length=0 if drawn.names else 2, labelsize=6, color=GREY)
    _label_states(panel, drawn)
    if len(drawn.values) <= _MOST_NUMBERS:
        _write_numbers(panel, drawn, most)
    else:
        _draw_bar(image, panel, drawn, most)


def _draw_bar(image: AxesImage, panel: Axes, drawn: _Map, most: float) -> None:
    """Draw the legend of the colours, as far as there are values."""
    from matplotlib.ticker import MaxNLocator

    bar = panel.figure.colorbar(image, ax=panel, shrink=0.7, aspect=25, pad=0.02)
    bar.ax.spines["outline"].set(edgecolor="#bbbbbb", linewidth=0.8)
    bar.locator = MaxNLocator(8, integer=True)
    low, high = float(np.nanmin(drawn.values)), float(np.nanmax(drawn.values))
    bar.ax.set_ylim(min(low, -most / 10), max(high, most / 10))
    bar.ax.tick_params(labelsize=6, length=2, color=GREY)


def _label_states(panel: Axes, drawn: _Map) -> None:
    """Their names, or else how far from the goal they are."""
    if drawn.names:
        places = range(len(drawn.names))
        panel.set_yticks(places, drawn.names)
        panel.set_xticks(places, drawn.names, rotation=90)
        return
    _, firsts = np.unique(drawn.distances, return_index=True)
    some = firsts[:: ceil(len(firsts) / _MOST_TICKS)]
    distances = [str(distance) for distance in drawn.distances[some]]
    panel.set_yticks(some, distances)
    panel.set_xticks(some, distances)
    panel.set_xlabel("distance of the factor to its goal", fontsize=6, color=GREY)


def _write_numbers(panel: Axes, drawn: _Map, most: float) -> None:
    for (row, column), value in np.ndenumerate(drawn.values):
        if not np.isnan(value):
            colour = "white" if abs(value) > 0.6 * most else "#333333"
            text = f"{value:+.0f}" if value else "0"
            panel.text(column, row, text, ha="center", va="center", fontsize=6, color=colour)
