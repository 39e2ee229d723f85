"""Common parts of pictures of safety oracles: colours and dashes, drawn pairs, scatters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.reports.plots import COLOURS, DASHES, GREY, Style, say_nothing_there
from bugsieve.rooms.lab.reports.safety.cards import oracle_name
from bugsieve.rooms.lab.reports.safety.measures import Mask, Reals
from bugsieve.rooms.safety.oracles.registry import SAFETY_ORACLES, parse_safety_spec

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_SECONDS = 1e-6
"""The smallest time at which logarithmic axes begin."""
_ALGORITHMS = tuple(SAFETY_ORACLES)
_REFERENCE = "tarjan"
_MARKERS = ("o", "^", "s", "D", "v", "P")
_MOST_FINITE = 2


def line_style(spec: str, radii: Sequence[int | None]) -> Style:
    """Colours tell algorithms apart, dashes radii; no radius is drawn solid."""
    parsed = parse_safety_spec(spec)
    dash = radii.index(parsed.radius) % len(DASHES)
    return Style(color=COLOURS[_ALGORITHMS.index(parsed.algorithm)], linestyle=DASHES[dash])


def radii_of(oracles: Sequence[str]) -> list[int | None]:
    """The radii that occur, none at all first."""
    radii = {parse_safety_spec(spec).radius for spec in oracles}
    return sorted(radii, key=lambda radius: (radius is not None, radius or 0))


def by_algorithm(oracles: Sequence[str]) -> list[str]:
    """Algorithm by algorithm, so that a legend in columns is readable."""
    radii = radii_of(oracles)
    parsed = {spec: parse_safety_spec(spec) for spec in oracles}
    return sorted(
        oracles,
        key=lambda s: (_ALGORITHMS.index(parsed[s].algorithm), radii.index(parsed[s].radius)),
    )


def reference_of(oracles: Sequence[str]) -> str:
    """The oracle that others are compared with: tarjan without a radius, or else the first."""
    return _REFERENCE if _REFERENCE in oracles else oracles[0]


def unbounded(oracles: Sequence[str]) -> list[str]:
    """Other algorithms without a radius."""
    reference = reference_of(oracles)
    return [s for s in oracles if s != reference and parse_safety_spec(s).radius is None]


def bounded(oracles: Sequence[str]) -> list[str]:
    """The algorithm of the reference with a radius, a few of these."""
    algorithm = parse_safety_spec(reference_of(oracles)).algorithm
    found = [s for s in oracles if s.startswith(f"{algorithm}:")]
    return sorted(found, key=lambda spec: parse_safety_spec(spec).radius or 0)[:_MOST_FINITE]


class Scatter:
    """Times of oracles over those of the reference, both logarithmic, with a diagonal."""

    def __init__(self, panel: Axes, reference: str) -> None:
        self._panel = panel
        self._reference = reference
        self._times: list[Reals] = []
        self._failures: list[tuple[Reals, str]] = []
        self._count = 0

    def add(self, spec: str, x: Reals, y: Reals, failed: Mask) -> None:
        """An oracle with its times; where it failed, it gets a cross at the upper edge."""
        colour = COLOURS[_ALGORITHMS.index(parse_safety_spec(spec).algorithm)]
        if parse_safety_spec(spec).algorithm == parse_safety_spec(self._reference).algorithm:
            colour = COLOURS[len(_ALGORITHMS) + self._count]
        x, y = np.maximum(x, LEAST_SECONDS), np.maximum(y, LEAST_SECONDS)
        marker = _MARKERS[self._count % len(_MARKERS)]
        self._count += 1
        self._panel.scatter(
            x[~failed],
            y[~failed],
            s=9,
            marker=marker,
            color=colour,
            alpha=0.5,
            linewidths=0,
            rasterized=True,  # thousands of points
            label=oracle_name(spec),
        )
        self._times += [x, y[~failed]]
        if failed.any():
            self._failures.append((x[failed], colour))

    def finish(self, *, failing: str = "") -> None:
        """Set the axes; `failing` explains the crosses."""
        panel = self._panel
        times = np.concatenate(self._times) if self._times else np.empty(0)
        if not len(times):
            panel.set_xticks([])
            panel.set_yticks([])
            say_nothing_there(panel, "nothing to compare")
            return
        low, high = float(times.min()) / 1.5, float(times.max()) * 1.5
        top = high * (high / low) ** 0.12 if self._failures else high
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=0)
        band = high * (top / high) ** 0.5
        for x, colour in self._failures:
            places = x, np.full(len(x), band)
            panel.scatter(*places, s=14, marker="x", color=colour, linewidths=0.7, rasterized=True)
        if self._failures:
            panel.axhline(high, color=GREY, linewidth=0.6, linestyle=":")
            where = panel.transAxes
            panel.text(0, 1.01, f"×: {failing}", transform=where, fontsize=7, color=GREY)
        panel.set_xlim(low, high)
        panel.set_ylim(low, top)
        panel.set_xlabel(f"seconds of {oracle_name(self._reference)}")
        panel.legend(loc="lower right", fontsize=7, markerscale=1.5, handletextpad=0.2)
