"""Notes below tables on the instances that policies do not solve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.base.wording import counted
from bugsieve.reports.table import Row

_MOST_NAMES = 12
"""Instances that a note names."""


def unsolved_notes(rows: Sequence[Row], *, are_counted: bool) -> Iterator[str]:
    """The instances that the policy does not solve, and if they count, for each marked row."""
    several = len({row.block for row in rows}) > 1
    fate = "counted" if are_counted else "left out (--all-instances counts them)"
    for row in rows:
        if row.unsolved:
            names, rest = row.unsolved[:_MOST_NAMES], len(row.unsolved) - _MOST_NAMES
            more = f" and {rest} more" if rest > 0 else ""
            label = f"{row.block}, {row.label}" if several else row.label
            what = counted(len(row.unsolved), "instance")
            yield f"* {label}: {what} not solved and {fate}: {', '.join(names)}{more}"
