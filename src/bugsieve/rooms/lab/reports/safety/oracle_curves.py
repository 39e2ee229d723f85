"""Draws how many states oracles decide in time, and their times state by state (Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.reports.plots import new_figure, say_nothing_there
from bugsieve.rooms.lab.reports.safety.cards import SafetyCard, comparing, oracle_name
from bugsieve.rooms.lab.reports.safety.measures import StateVerdicts, state_verdicts
from bugsieve.rooms.lab.reports.safety.oracle_styles import (
    LEAST_SECONDS,
    Scatter,
    bounded,
    by_algorithm,
    line_style,
    radii_of,
    reference_of,
    unbounded,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.0, 7.2
_IN_ONE_LINE = 6
_POINTS = 500
"""Of a curve: more than one can see."""
_TITLES = {True: "Bugs", False: "No bugs"}
_WORDS = {
    True: ("bugs proven to be safe in %", "not safe within the radius, or a limit"),
    False: ("other states proven to be lost in %", "no answer within the limits"),
}


def draw_verdicts(cards: Sequence[SafetyCard]) -> Figure:
    """Above the bugs, below the other states; on the left shares over time, on the right times."""
    verdicts = state_verdicts(comparing(cards))
    figure = new_figure(_WIDTH, _HEIGHT)
    panels = figure.subplots(2, 2)
    for of_bugs, (left, right) in zip((True, False), panels, strict=True):
        _draw_shares(left, verdicts, of_bugs)
        _draw_times(right, verdicts, of_bugs)
        count = int((verdicts.bugs if of_bugs else verdicts.non_bugs).sum())
        left.set_title(f"{_TITLES[of_bugs]}: {count} states")
    handles, labels = panels[0][0].get_legend_handles_labels()
    if handles:
        algorithms = {label.partition("-")[2] for label in labels}
        columns = len(algorithms) if len(labels) > _IN_ONE_LINE else len(labels)
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    return figure


def _draw_shares(panel: Axes, verdicts: StateVerdicts, of_bugs: bool) -> None:
    radii = radii_of(verdicts.oracles)
    seconds = verdicts.seconds[verdicts.bugs if of_bugs else verdicts.non_bugs]
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        say_nothing_there(panel, "no such states")
        known = np.ones(1)
    start = max(float(known.min()) / 1.5, LEAST_SECONDS)
    end = max(float(known.max()) * 1.5, 2 * start)
    x = np.geomspace(start, end, _POINTS)
    for spec in by_algorithm(verdicts.oracles):
        proofs = verdicts.proofs(spec, of_bugs=of_bugs)
        y = 100.0 * np.searchsorted(proofs.times(), x, side="right") / max(len(proofs), 1)
        style = line_style(spec, radii)
        panel.plot(x, y, drawstyle="steps-post", linewidth=1.4, label=oracle_name(spec), **style)
    panel.set_xscale("log")
    panel.set_xlim(start, end)
    panel.set_ylim(0, 102)
    panel.set_xlabel("seconds per state")
    panel.set_ylabel(_WORDS[of_bugs][0])


def _draw_times(panel: Axes, verdicts: StateVerdicts, of_bugs: bool) -> None:
    reference = reference_of(verdicts.oracles)
    first = verdicts.proofs(reference, of_bugs=of_bugs)
    scatter = Scatter(panel, reference)
    for spec in [*unbounded(verdicts.oracles), *bounded(verdicts.oracles)[:1]]:
        other = verdicts.proofs(spec, of_bugs=of_bugs)
        _, ours, theirs = np.intersect1d(first.rows, other.rows, return_indices=True)
        decided = first.proven[ours]
        scatter.add(
            spec,
            first.seconds[ours][decided],
            other.seconds[theirs][decided],
            ~other.proven[theirs][decided],
        )
    scatter.finish(failing=_WORDS[of_bugs][1])
    panel.set_ylabel("seconds of other oracles")
