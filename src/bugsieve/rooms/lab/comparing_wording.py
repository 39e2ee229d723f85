"""Comparisons in words, as `bugsieve compare` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted

if TYPE_CHECKING:
    from bugsieve.pipeline.judging.findings import CostBugRow
    from bugsieve.rooms.lab.comparing import Comparison, Crossed, Recall

_SHOWN = 10


def comparison_text(found: Comparison) -> str:
    """A table of what they share, then causes, and what each oracle finds."""
    first, second = found.folders
    rows = [("test states", found.pool), ("judged", found.judged)]
    rows += [("bugs where both judged", found.bugs)]
    rows += [(f"  {kind}", shares) for kind, shares in found.kinds.items()]
    width = max(len(name) for name, _ in rows)
    columns = ("both", f"only {first}", f"only {second}")
    lines = [f"{'':{width}}  " + "  ".join(columns)]
    for name, shares in rows:
        counts = zip(astuple(shares), columns, strict=True)
        cells = (f"{count:>{len(column)}}" for count, column in counts)
        lines.append(f"{name:{width}}  " + "  ".join(cells))
    lines += _elsewhere(found)
    if not found.same_policy:
        lines.append("the campaigns test different policies")
    if not found.same_objective:
        lines.append("the campaigns have different objectives")
    lines += _cause_lines(found)
    lines.append("")
    for folder, recall in zip(found.folders, found.recall, strict=True):
        lines += [f"{folder}: {oracle} finds {_rate(r)}" for oracle, r in recall.items()]
    made = found.crossed or (None, None)
    for folder, bugs, more in zip(
        found.folders, (found.only_first, found.only_second), made, strict=True
    ):
        if bugs:
            lines.append(f"only {folder}: {_ids(bugs, more)}")
    return "\n".join(lines)


def _cause_lines(found: Comparison) -> list[str]:
    """The causes of most bugs, with one bug to look at."""
    lines = ["", "causes"] if found.causes else []
    for cause in found.causes[:_SHOWN]:
        folder, bug = next(
            (folder, bug)
            for folder, bug in zip(found.folders, cause.examples, strict=True)
            if bug is not None
        )
        lines.append(f"  {cause.first} and {cause.second} × {cause.words}")
        lines.append(f"    look closer: {command_line('explain', folder, bug)}")
    more = len(found.causes) - _SHOWN
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def _ids(bugs: Sequence[CostBugRow], more: Crossed | None) -> str:
    """Names of bugs that are stored, and how many others there are."""
    new = set() if more is None else {row.id for row in more.bugs.values()}
    stored = [row.id for row in bugs if row.id not in new]
    parts = [", ".join(stored[:_SHOWN])] if stored else []
    if len(stored) > _SHOWN:
        parts.append(f"{len(stored) - _SHOWN} more")
    if len(stored) < len(bugs):
        parts.append(f"{len(bugs) - len(stored)} found for this comparison and not stored")
    return " and ".join(parts)


def _elsewhere(found: Comparison) -> list[str]:
    """Lines beside the table: bugs where only one has judged, and what --cross has added."""
    folders = found.folders
    if found.crossed is not None:
        return [
            f"{folder}: judged {counted(more.states, 'state')} of the other for this comparison, "
            f"{counted(len(more.bugs), 'bug')}, {len(more.undecided)} undecided"
            for folder, more in zip(folders, found.crossed, strict=True)
        ]
    pairs = zip(folders, reversed(folders), found.untested, strict=True)
    return [
        f"not counted: {counted(len(rows), 'bug')} of {folder} in states that {other} has not "
        "judged (--cross judges them)"
        for folder, other, rows in pairs
        if rows
    ]


def _rate(recall: Recall) -> str:
    share = "" if recall.rate is None else f" ({100 * recall.rate:.1f} %)"
    return f"{recall.found} of {recall.known} bugs{share}"
