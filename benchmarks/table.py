"""The table of figures: aligned plain text, one row as soon as it is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bar:
    """What a figure must reach: at least `limit`, or below it."""

    limit: float
    at_least: bool = True

    def met(self, figure: float) -> bool:
        """Whether the figure reaches the bar."""
        return figure >= self.limit if self.at_least else figure < self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<'} {self.limit:.4g}"


@dataclass(frozen=True)
class Row:
    """One measurement: our value, the peer's, and the figure that the bar is about."""

    task: str
    ours: str
    peer: str
    figure: float
    bar: Bar | None = None

    def __str__(self) -> str:
        bar = str(self.bar or "")
        figure = f"{self.figure:.2f}" if self.figure >= 0.1 else f"{self.figure:.4f}"
        cells = f"{self.task:<28} {self.ours:>14} {self.peer:>14} {figure:>9}"
        return f"{cells} {bar:>9}  {self.verdict}".rstrip()

    @property
    def verdict(self) -> str:
        """ "ok", "BELOW" (the bar is not reached), or nothing without a bar."""
        if self.bar is None:
            return ""
        return "ok" if self.bar.met(self.figure) else "BELOW"


@dataclass
class Report:
    """Prints rows as they come and remembers them for the summary."""

    rows: list[tuple[str, Row]] = field(default_factory=list)
    _title: str = ""

    def section(self, title: str, *, figure: str = "ratio") -> None:
        """Start a block of rows."""
        self._title = title
        print(f"\n{title}")
        print(f"{'task':<28} {'ours':>14} {'peer':>14} {figure:>9} {'bar':>9}", flush=True)

    def add(self, row: Row) -> None:
        """Print a row and keep it."""
        self.rows.append((self._title, row))
        print(row, flush=True)

    def add_mean(self, ratios: Sequence[float], bar: Bar) -> None:
        """Add the geometric mean of a block's ratios."""
        if ratios:
            self.add(Row("geometric mean", "", "", geometric_mean(ratios), bar))

    def summary(self) -> str:
        """How many bars are met, and the rows that are below theirs."""
        judged = [(title, row) for title, row in self.rows if row.bar is not None]
        below = [(title, row) for title, row in judged if row.verdict == "BELOW"]
        lines = [f"{len(judged) - len(below)} of {len(judged)} bars met"]
        lines += [f"  below: {title}: {row.task}: {row.figure:.2f}" for title, row in below]
        return "\n".join(lines)


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of values from 0 on; 0 if one of them is."""
    if min(values) == 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in values) / len(values))
