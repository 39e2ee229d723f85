"""Draws how many bugs of common pools oracles have found after how much time (papers/002, Fig. 1).

A panel for each domain, a line for each configuration: the bugs of all tasks of the domain
together, each at the time its campaign had taken. The time that pools took is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import counted
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.folder import OPTIONS_FILE
from bugsieve.policies.decisions import Ending
from bugsieve.reports.plots import (
    COLOURS,
    add_footnotes,
    new_figure,
    plain_label,
    say_nothing_there,
)
from bugsieve.reports.table import Row
from bugsieve.rooms.lab.reports.collection import Card, in_file_order
from bugsieve.rooms.lab.reports.curves import Reals
from bugsieve.rooms.lab.reports.unsolved_notes import unsolved_notes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BY_ORACLES = "oracles"

_COLOURS = (*COLOURS, "#332288", "#88CCEE", "#DDCC77", "#661100")
_WIDTH, _PANEL_HEIGHT, _LEGEND_LINE = 9.0, 2.3, 0.22
_COLUMNS, _LEGEND_COLUMNS = 3, 6
_DASHES = (0, (2.5, 1.6))
_WIDEST, _NARROWEST = 2.3, 1.4


@dataclass(frozen=True, eq=False)
class OracleCurve:
    """The bugs of one configuration on all tasks of a domain."""

    times: Reals
    """When each was found, since judging began, in ascending order."""
    end: float
    """When the last of its campaigns ended."""


@dataclass(frozen=True)
class OraclePanel:
    """One domain under one policy."""

    title: str
    tasks: int
    curves: Mapping[str, OracleCurve]
    """By configuration; none if no task counts."""
    left_out: tuple[str, ...] = ()
    """Instances that do not count, since the policy does not solve them."""

    @property
    def end(self) -> float:
        """When everybody had ended."""
        return max((curve.end for curve in self.curves.values()), default=0.0)

    @property
    def first(self) -> float:
        """When the first bug was found, or else the end."""
        found = [float(curve.times[0]) for curve in self.curves.values() if len(curve.times)]
        return min(found, default=self.end)


def oracle_panels(cards: Sequence[Card], *, all_instances: bool = False) -> list[OraclePanel]:
    """The panels of these campaigns; by default of instances that the policy solves."""
    domains: dict[tuple[str, str], list[tuple[Card, _Times]]] = {}
    for card in in_file_order(cards):
        domains.setdefault((card.domain, card.policy), []).append((card, _times(card)))
    policies = {policy for _, policy in domains}
    panels = []
    for domain, policy in sorted(domains, key=lambda key: (key[0].casefold(), key[1])):
        rows = domains[domain, policy]
        solved = {card.instance for card, times in rows if times.solves_initial}
        left_out = set() if all_instances else {card.instance for card, _ in rows} - solved
        counting = [row for row in rows if row[0].instance not in left_out]
        title = domain if len(policies) == 1 else f"{domain}, {policy}"
        panels.append(_panel(title, counting, tuple(sorted(left_out))))
    if not any(panel.curves for panel in panels):
        raise InputError(
            f"{cards[0].folder}: neither here nor in the other campaigns does the policy solve "
            "the initial state: add --all-instances"
        )
    return panels


def draw_oracles_over_time(panels: Sequence[OraclePanel], *, logarithmic: bool = False) -> Figure:
    """A panel for each domain; lines turn dashed where an oracle has ended on all tasks."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    if len(names) > len(_COLOURS):
        raise UsageError(
            f"{len(names)} configurations of oracles are too many for one picture "
            f"(at most {len(_COLOURS)}): give fewer folders"
        )
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    legend = -(-(len(names) + 1) // _LEGEND_COLUMNS)
    figure = new_figure(_WIDTH, _PANEL_HEIGHT * lines + _LEGEND_LINE * legend + 0.3)
    grid = figure.subplots(lines, columns, squeeze=False)
    for number, axes in enumerate(grid.flat):
        if number < len(panels):
            _draw(axes, panels[number], dict(zip(names, _COLOURS, strict=False)), logarithmic)
            axes.set_xlabel("seconds" if number + columns >= len(panels) else "")
            axes.set_ylabel("" if number % columns else "bugs")
        else:
            axes.set_visible(False)
    _add_legend(figure, names)
    rows = [Row("", panel.title, (), panel.left_out) for panel in panels]
    add_footnotes(figure, list(unsolved_notes(rows, are_counted=False)))
    return figure


@dataclass(frozen=True)
class _Times:
    """The times at which one campaign found things, since judging began."""

    bugs: Reals
    end: float
    solves_initial: bool


def _times(card: Card) -> _Times:
    with CostRecords(card.folder) as records:
        options = CostOptions.from_toml(
            records.header.options, name=str(card.folder / OPTIONS_FILE)
        )
        start = 0.0 if options.pool_from else records.pool_seconds()
        bugs = np.sort(np.array([seconds for _, seconds in records.bug_times()]))
        runs = records.runs()
        solves = len(runs) > 0 and int(runs.endings[0]) == Ending.SOLVED
        end = records.progress().seconds
    if len(bugs) and bugs[0] < start:
        raise InputError(
            f"{card.folder}: judged states while its pool was made, so that the time of the pool "
            "cannot be left out: use shared_pools in the experiment file"
        )
    return _Times(bugs - start, max(0.0, end - start), solves)


def _panel(
    title: str, rows: Sequence[tuple[Card, _Times]], left_out: tuple[str, ...]
) -> OraclePanel:
    parts: dict[str, list[_Times]] = {}
    for card, times in rows:
        parts.setdefault(card.oracles, []).append(times)
    curves = {
        name: OracleCurve(
            np.sort(np.concatenate([times.bugs for times in own])),
            max(times.end for times in own),
        )
        for name, own in parts.items()
    }
    return OraclePanel(title, len({card.instance for card, _ in rows}), curves, left_out)


def _draw(axes: Axes, panel: OraclePanel, colours: Mapping[str, str], logarithmic: bool) -> None:
    start = max(0.5 * panel.first, 1e-3) if logarithmic else 0.0
    right = max(panel.end * (1.3 if logarithmic else 1.03), 2 * start, 1e-3)
    for number, (name, curve) in enumerate(panel.curves.items()):
        # Lines that end at the same height lie upon each other: those below are wider.
        share = number / max(1, len(panel.curves) - 1)
        width = _WIDEST - share * (_WIDEST - _NARROWEST)
        end, total = max(curve.end, start), len(curve.times)
        x = np.concatenate([[start], np.maximum(curve.times, start), [end]])
        y = np.append(np.arange(total + 1), total)
        axes.plot(x, y, drawstyle="steps-post", color=colours[name], linewidth=width)
        axes.plot([end, right], [total, total], color=colours[name], linewidth=width, ls=_DASHES)
    mark = "*" if panel.left_out else ""
    axes.set_title(f"{plain_label(panel.title)}{mark} ({counted(panel.tasks, 'task')})")
    axes.set_xlim(start, right)
    most = max((len(curve.times) for curve in panel.curves.values()), default=0)
    axes.set_ylim(-0.03 * max(1, most), 1.06 * max(1, most))  # so that lines at 0 can be seen
    axes.locator_params(axis="y", integer=True, nbins=6)
    if logarithmic:
        from matplotlib.ticker import FuncFormatter

        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if not any(len(curve.times) for curve in panel.curves.values()):
        axes.set_yticks([0])
        say_nothing_there(axes, "none found" if panel.curves else "the policy solves no task")


def _add_legend(figure: Figure, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, linewidth=2.0)
        for _, colour in zip(names, _COLOURS, strict=False)
    ]
    ended = Line2D([], [], color="#666666", linewidth=1.6, linestyle=_DASHES)
    labels = [*map(plain_label, names), "ended on all tasks"]
    figure.legend(
        [*handles, ended],
        labels,
        loc="outside lower center",
        ncols=min(_LEGEND_COLUMNS, len(labels)),
    )
