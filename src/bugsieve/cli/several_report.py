"""What is shown of several campaigns together: of problems, of a folder, of an experiment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.wording import counted, printable
from bugsieve.cli.campaign_report import jsonable, next_lines

if TYPE_CHECKING:
    from bugsieve.campaigns.several import JointSummary
    from bugsieve.campaigns.summary import Summary

_MOST_NAMES = 12


def joint_lines(summary: JointSummary, noun: str) -> list[str]:
    """The most important fact first: bugs, what was left open, what fails from the start; then a
    line on each campaign."""
    from bugsieve.campaigns.wording import bugs_line

    parts, failed, waiting = summary.parts, summary.failed, summary.not_begun
    names = [*parts, *failed, *waiting]
    lines = [f"{counted(len({*names}), noun)}, {bugs_line(summary)}"]
    if faulty := [n for n, part in parts.items() if part.bugs and part.mistake is None]:
        lines.append(f"with bugs: {_listed(faulty, len({*names}))}")
    if summary.undecided:
        lines.append(f"{counted(summary.undecided, 'failing run')} undecided")
    if unsolved := [name for name, part in parts.items() if _fails_at_once(part)]:
        lines.append(f"not solved from the initial state: {_listed(unsolved, len(parts))}")
    if failed:
        lines.append(f"could not be tested: {_listed([*failed], len({*names}))}")
    if waiting:
        lines.append(f"not begun: {_listed(waiting, len({*names}))}")
    width = max(map(len, names))
    for name in sorted({*names}):
        lines.append(f"  {name:{width}}  {_about(name, summary)}")
    return lines


def worst_lines(directory: Path, summary: JointSummary, most: int) -> list[str]:
    """The worst bugs of all campaigns of cost testing, and what to do with the first."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.results.cost.records import CostRecords

    rows = []
    for name, part in summary.parts.items():
        folder = directory / name
        if part.bugs and part.mistake is None and kind_in(folder).records is CostRecords:
            with CostRecords(folder) as records:
                rows += [(name, row) for row in records.named(records.ranked()[:most])]
    rows.sort(key=lambda pair: (-pair[1].bug.gap, pair[1].bug.steps))
    if not rows:
        return []
    table = [(name, row.id, row.bug.kind, row.bug.in_words) for name, row in rows[:most]]
    widths = [max(len(line[column]) for line in table) for column in range(3)]
    lines = [
        f"  {name:{widths[0]}}  {bug:{widths[1]}}  {kind:{widths[2]}}  {words}"
        for name, bug, kind, words in table
    ]
    if summary.bugs > len(table):
        lines.append(f"  … and {summary.bugs - len(table)} more")
    name, first = rows[0]
    return ["", *lines, "", *next_lines(directory / name, first.id)]


def joint_json(directory: Path, summary: JointSummary) -> str:
    """The same for programs: the summary, and the bugs of each campaign by its folder."""
    from bugsieve.campaigns.kind import kind_in

    found: dict[str, Any] = {}
    for name in summary.parts:
        kind = kind_in(directory / name)
        with kind.records(directory / name) as records:
            found[name] = kind.wording.found(records).json()
    report = {"folder": str(directory), **jsonable(asdict(summary)), "found": found}
    return json.dumps(report, indent=2, allow_nan=False)


def _about(name: str, summary: JointSummary) -> str:
    from bugsieve.campaigns.wording import bugs_line

    if name in summary.failed:
        return f"could not be tested: {printable(summary.failed[name])}"
    if name not in summary.parts:
        return "not begun"
    part = summary.parts[name]
    words = [_unjudged(part) or bugs_line(part)]
    if part.unanswered is not None:
        words = [f"nothing could be tested: {part.unanswered}"]
    elif part.undecided:
        words.append(f"{part.undecided} undecided")
    if (judged := getattr(part, "judged", None)) is not None:
        words.append(f"{counted(judged, 'state')} judged")
    return f"{', '.join(words)} ({part.reason or 'not finished'})"


def _unjudged(part: Summary) -> str:
    """What is said of a campaign that only makes a pool."""
    return "" if getattr(part, "outcomes", True) else "no oracle was asked"


def _fails_at_once(part: Summary) -> bool:
    """Whether the policy does not solve the initial state."""
    from bugsieve.policies.decisions import Ending

    initial = getattr(part, "initial", None)
    return initial is not None and initial.ending != Ending.SOLVED.label


def _listed(names: Sequence[str], whole: int) -> str:
    rest = len(names) - _MOST_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    return f"{len(names)} of {whole}: {', '.join(names[:_MOST_NAMES])}{more}"
