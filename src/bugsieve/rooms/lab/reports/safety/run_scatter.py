"""Draws how long oracles take to find the faults of whole unsafe runs (Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.reports.plots import new_figure
from bugsieve.rooms.lab.reports.safety.cards import SafetyCard, comparing
from bugsieve.rooms.lab.reports.safety.measures import run_analyses
from bugsieve.rooms.lab.reports.safety.oracle_styles import (
    Scatter,
    bounded,
    reference_of,
    unbounded,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.0, 4.0
_TITLES = ("Other algorithms", "Alternatives within a radius of the policy")


def draw_faults(cards: Sequence[SafetyCard]) -> Figure:
    """Two panels of times per run: other algorithms, and the same one with a radius."""
    analyses = run_analyses(comparing(cards))
    reference = reference_of(analyses.oracles)
    column = analyses.oracles.index(reference)
    figure = new_figure(_WIDTH, _HEIGHT)
    panels = figure.subplots(1, 2)
    chosen = (unbounded(analyses.oracles), bounded(analyses.oracles))
    for panel, title, specs in zip(panels, _TITLES, chosen, strict=True):
        scatter = Scatter(panel, reference)
        for spec in specs:
            other = analyses.oracles.index(spec)
            both = ~np.isnan(analyses.seconds[:, [column, other]]).any(axis=1)
            both &= ~analyses.is_open[:, column]
            scatter.add(
                spec,
                analyses.seconds[both, column],
                analyses.seconds[both, other],
                analyses.is_open[both, other],
            )
        scatter.finish(failing="open")
        panel.set_title(title)
        panel.set_ylabel("seconds per run")
    return figure
