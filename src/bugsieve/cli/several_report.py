"""What is shown of several campaigns together: of problems, of a folder, of an experiment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.wording import counted, printable
from bugsieve.cli.campaign_report import jsonable

if TYPE_CHECKING:
    from bugsieve.campaigns.several import JointSummary
    from bugsieve.campaigns.summary import Summary

_MOST_NAMES = 12


def joint_lines(summary: JointSummary, noun: str, missing: Sequence[str] = ()) -> list[str]:
    """The most important fact first: bugs, what was left open, what fails from the start, which
    parts are missing; then a line on each campaign."""
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
    lines += missing
    width = max(map(len, names))
    for name in sorted({*names}):
        lines.append(f"  {name:{width}}  {_about(name, summary)}")
    return lines


def joint_figure_lines(summary: JointSummary) -> tuple[list[str], list[str]]:
    """What a measurement over all problems has come to, for the first lines and for the last."""
    from bugsieve.campaigns.cost.wording import UNIMPROVED
    from bugsieve.campaigns.measured import figure_lines, measured_lines

    figures = summary.measured
    if figures is None:
        return [], []
    return measured_lines(summary, figures), figure_lines(summary, figures, UNIMPROVED)


def joint_json(directory: Path, summary: JointSummary) -> str:
    """The same for programs: the summary, and causes and bugs of each campaign by its folder."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.results.causes import cause_rows

    causes: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name in summary.parts:
        kind = kind_in(directory / name)
        with kind.records(directory / name) as records:
            causes[name] = cause_rows(records)
            found[name] = kind.wording.found(records).json()
    report = {"folder": str(directory), **jsonable(asdict(summary))}
    report |= {"causes": causes, "found": found}
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
