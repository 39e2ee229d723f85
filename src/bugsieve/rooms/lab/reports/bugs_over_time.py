"""Draws how many bugs campaigns have found after how much time (Figure 4 of papers/000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.pipeline.objectives import OBJECTIVES
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.reports.plots import (
    COLOURS,
    DASHES,
    GREY,
    Style,
    new_figure,
    plain_label,
    say_nothing_there,
)
from bugsieve.rooms.lab.reports.curves import BugCurve, Reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _PANEL_HEIGHT, _LEGEND_LINE = 7.5, 2.4, 0.2
_LABEL_ROOM = 95
"""Characters in a line of the legend."""


def draw_bugs_over_time(
    found: Sequence[BugCurve],
    *,
    logarithmic: bool = False,
    titles: Mapping[str, str] | None = None,
) -> Figure:
    """A panel for each kind of bugs with a curve for each group of campaigns.

    `titles` has the kinds, if they are not those of cost testing.
    """
    kinds = _kinds(found) if titles is None else titles
    styles = _styles(found)
    legend = _legend(found, styles)
    columns = _legend_columns(legend)
    lines = -(-len(legend) // columns)
    figure = new_figure(_WIDTH, _PANEL_HEIGHT * len(kinds) + _LEGEND_LINE * lines + 0.3)
    panels = figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    for (kind, title), panel in zip(kinds.items(), panels, strict=True):
        _draw_panel(panel, kind, found, styles, logarithmic)
        panel.set_title(title)
    _finish(panels[-1], found, logarithmic)
    if legend:
        from matplotlib.lines import Line2D

        handles = [Line2D([], [], linewidth=1.6, **style) for _, style in legend]
        labels = [plain_label(label) for label, _ in legend]
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    return figure


def _kinds(found: Sequence[BugCurve]) -> dict[str, str]:
    """Failures and costs have a panel even if there are none, unless it is about other kinds."""
    present = {kind for curve in found for kind in curve.bugs}
    usual = Quantitative.kinds.keys()
    wanted = present | usual if present <= usual else present
    known = {
        kind: words.title
        for objective in OBJECTIVES.values()
        for kind, words in objective.kinds.items()
    }
    return {kind: title for kind, title in known.items() if kind in wanted}


def _styles(found: Sequence[BugCurve]) -> list[Style]:
    """If both are there, colours tell what is tested and dashes how."""
    subjects, fuzzers = _names(found)
    if _are_crossed(subjects, fuzzers):
        return [
            Style(
                color=COLOURS[subjects.index(curve.subject)],
                linestyle=DASHES[fuzzers.index(curve.fuzzer)],
            )
            for curve in found
        ]
    return [
        Style(color=COLOURS[i % len(COLOURS)], linestyle=DASHES[i // len(COLOURS) % len(DASHES)])
        for i in range(len(found))
    ]


def _names(found: Sequence[BugCurve]) -> tuple[list[str], list[str]]:
    subjects = dict.fromkeys(curve.subject for curve in found)
    fuzzers = dict.fromkeys(curve.fuzzer for curve in found)
    return list(subjects), list(fuzzers)


def _are_crossed(subjects: Sequence[str], fuzzers: Sequence[str]) -> bool:
    return 1 < len(subjects) <= len(COLOURS) and 1 < len(fuzzers) <= len(DASHES)


def _legend(found: Sequence[BugCurve], styles: Sequence[Style]) -> list[tuple[str, Style]]:
    """Labels and styles: of each curve, or of each colour and each kind of dashes."""
    subjects, fuzzers = _names(found)
    if len(found) == 1:
        return []
    if not _are_crossed(subjects, fuzzers):
        return [(curve.label, style) for curve, style in zip(found, styles, strict=True)]
    colours = [(name, Style(color=COLOURS[i], linestyle="-")) for i, name in enumerate(subjects)]
    dashes = [(name, Style(color=GREY, linestyle=DASHES[i])) for i, name in enumerate(fuzzers)]
    if max(len(colours), len(dashes)) > _fitting(subjects + fuzzers):
        return colours + dashes
    pairs = zip_longest(colours, dashes, fillvalue=("", Style(color=GREY, linestyle="none")))
    return [entry for pair in pairs for entry in pair]  # two lines: legends fill by columns


def _fitting(labels: Sequence[str]) -> int:
    """The number of labels that fit into one line."""
    return max(1, _LABEL_ROOM // (max(map(len, labels), default=0) + 8))


def _legend_columns(legend: Sequence[tuple[str, Style]]) -> int:
    labels = [label for label, _ in legend]
    two_lines = any(style["color"] == GREY for _, style in legend[1:2])
    wanted = len(legend) // 2 if two_lines else min(4, len(legend))
    return max(1, min(_fitting(labels), wanted))


def _draw_panel(
    panel: Axes,
    kind: str,
    found: Sequence[BugCurve],
    styles: Sequence[Style],
    logarithmic: bool,
) -> None:
    start = _start(found) if logarithmic else 0.0
    for curve, style in zip(found, styles, strict=True):
        times = curve.bugs.get(kind, np.empty(0))
        x, y = _steps(times, curve, start)
        panel.plot(x, y, drawstyle="steps-post", linewidth=1.6, **style)
        panel.plot(x[-1:], y[-1:], marker="o", markersize=4, clip_on=False, color=style["color"])
    averaged = any(curve.campaigns > 1 for curve in found)
    panel.set_ylabel("bugs per campaign" if averaged else "bugs")
    panel.set_ylim(bottom=0)
    if not any(len(curve.bugs.get(kind, ())) for curve in found):
        panel.set_yticks([0])
        say_nothing_there(panel, "none found")


def _steps(times: Reals, curve: BugCurve, start: float) -> tuple[Reals, Reals]:
    """The corners of the curve, from `start` to its end."""
    shown = np.maximum(times, start)
    x = np.concatenate([[start], shown, [max(curve.end, start)]])
    counts = np.arange(len(times) + 1) / curve.campaigns
    return x, np.append(counts, counts[-1])


def _start(found: Sequence[BugCurve]) -> float:
    """The beginning of a logarithmic axis: a bit before the first bug."""
    first = [float(times[0]) for curve in found for times in curve.bugs.values() if len(times)]
    return max(0.5 * min(first, default=1.0), 1e-3)


def _finish(panel: Axes, found: Sequence[BugCurve], logarithmic: bool) -> None:
    end = max(curve.end for curve in found)
    panel.set_xlabel("running time in seconds")
    if logarithmic:
        from matplotlib.ticker import FuncFormatter

        panel.set_xscale("log")
        panel.set_xlim(_start(found), max(end, 2 * _start(found)))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        panel.set_xlim(0, end or 1.0)
