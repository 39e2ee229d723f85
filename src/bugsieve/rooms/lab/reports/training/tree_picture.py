"""Draws the tree of models of a training: epochs to the right, scores as colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bugsieve.reports.plots import GREY, new_figure, plain_label, say_nothing_there
from bugsieve.rooms.training.candidates import Candidate, scores
from bugsieve.rooms.training.model_tree import children_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _ROW_HEIGHT, _FRAME_HEIGHT, _TALLEST = 9.0, 0.22, 1.4, 40.0
_MOST_NUMBERS = 150
"""With more models their numbers would hide each other."""


def draw_model_tree(
    candidates: Sequence[Candidate], marks: Mapping[int, str], title: str
) -> Figure:
    """A point per model, coloured by its score, joined to the one it was trained from."""
    from matplotlib.ticker import MaxNLocator

    places = _places(candidates)
    rows = 1 + max((row for _, row in places), default=0)
    height = min(_TALLEST, _FRAME_HEIGHT + _ROW_HEIGHT * max(rows, 6))
    figure = new_figure(_WIDTH, height)
    axes = figure.subplots()
    axes.set_title(plain_label(title))
    axes.set_xlabel("epochs since random weights")
    axes.set_yticks([])
    axes.grid(visible=False)
    if not candidates:
        say_nothing_there(axes, "no model is trained yet")
        return figure
    _draw_edges(axes, candidates, places)
    columns, lines = zip(*places, strict=True)
    values = [float(score) for score in scores(candidates)]
    points = axes.scatter(columns, lines, c=values, cmap="viridis", vmin=0, vmax=1, s=36, zorder=2)
    _draw_labels(axes, places, marks)
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.colorbar(points, ax=axes, label="score")
    return figure


def _places(candidates: Sequence[Candidate]) -> list[tuple[int, int]]:
    """(epoch, row) of each model: a first child stays in the row of its parent."""
    children = children_of(candidates)
    places = [(0, 0)] * len(candidates)
    free = 0
    todo = [(c.number, 0, -1) for c in reversed(candidates) if c.parent is None]
    while todo:
        number, epoch, row = todo.pop()
        if row < 0:
            row, free = free, free + 1
        places[number] = (epoch, row)
        below = children[number]
        todo += [(child, epoch + 1, -1) for child in reversed(below[1:])]
        todo += [(child, epoch + 1, row) for child in below[:1]]
    return places


def _draw_edges(
    axes: Axes, candidates: Sequence[Candidate], places: Sequence[tuple[int, int]]
) -> None:
    for candidate in candidates:
        if candidate.parent is not None:
            (left, top), (right, bottom) = places[candidate.parent], places[candidate.number]
            axes.plot([left, left, right], [top, bottom, bottom], color=GREY, lw=0.8, zorder=1)


def _draw_labels(axes: Axes, places: Sequence[tuple[int, int]], marks: Mapping[int, str]) -> None:
    shows_all = len(places) <= _MOST_NUMBERS
    for number, place in enumerate(places):
        mark = marks.get(number)
        if mark or shows_all:
            text = f"{number} {mark}" if mark else str(number)
            axes.annotate(
                plain_label(text),
                place,
                xytext=(0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=6,
                fontweight="bold" if mark else "normal",
            )
