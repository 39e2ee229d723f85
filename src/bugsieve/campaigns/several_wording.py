"""Several campaigns in words: the most important fact first, then a line on each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bugsieve.basis.wording import counted, printable
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.measured import UNIMPROVED, figure_lines, measured_lines
from bugsieve.campaigns.several import JointSummary, place_of
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.wording import bugs_line
from bugsieve.policies.decisions import Ending

_MOST_NAMES = 12


def joint_lines(summary: JointSummary, noun: str, missing: Sequence[str] = ()) -> list[str]:
    """The most important fact first: bugs, what was left open, what fails from the start, which
    parts are missing; then a line on each campaign."""
    parts, failed, waiting = summary.parts, summary.failed, summary.not_begun
    names = [*parts, *failed, *waiting]
    lines = [f"{counted(len({*names}), noun)}, {_found(summary)}"]
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
    figures = summary.measured
    if figures is None:
        return [], []
    return measured_lines(summary, figures), figure_lines(summary, figures, UNIMPROVED)


class AboutAll:
    """What is wrong with bugs that are named by their campaigns and ids."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def about(self, name: str) -> str:
        """What is wrong with one of them, in a line."""
        folder, bug = place_of(self._directory, name)
        kind = kind_in(folder)
        with kind.records(folder) as records:
            return kind.wording.found(records).about(bug)


def _about(name: str, summary: JointSummary) -> str:
    if name in summary.failed:
        return f"could not be tested: {printable(summary.failed[name])}"
    if name not in summary.parts:
        return "not begun"
    part = summary.parts[name]
    words = [summary.told.get(name) or _unjudged(part) or bugs_line(part)]
    if part.unanswered is not None:
        words = [f"nothing could be tested: {part.unanswered}"]
    elif part.undecided:
        words.append(f"{part.undecided} undecided")
    if (judged := getattr(part, "judged", None)) is not None:
        words.append(f"{counted(judged, 'state')} judged")
    return f"{', '.join(words)} ({part.reason or 'not finished'})"


def _found(summary: JointSummary) -> str:
    """How many bugs, where any campaign looks for them."""
    looks_for_none = summary.told and summary.told.keys() == summary.parts.keys()
    return "bugs were not looked for" if looks_for_none else bugs_line(summary)


def _unjudged(part: Summary) -> str:
    """What is said of a campaign that only makes a pool."""
    return "" if getattr(part, "outcomes", True) else "no oracle was asked"


def _fails_at_once(part: Summary) -> bool:
    """Whether the policy does not solve the initial state."""
    initial = getattr(part, "initial", None)
    return initial is not None and initial.ending != Ending.SOLVED.label


def _listed(names: Sequence[str], whole: int) -> str:
    rest = len(names) - _MOST_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    return f"{len(names)} of {whole}: {', '.join(names[:_MOST_NAMES])}{more}"
