"""Several campaigns in words: the most important fact first, then a line on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.basis.wording import counted, printable
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.measured import UNIMPROVED, figure_lines, measured_lines
from bugsieve.campaigns.several import JointSummary, place_of
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.wording import bugs_line
from bugsieve.policies.decisions import Ending

_MOST_NAMES = 12


@dataclass(frozen=True)
class JointNote:
    """Something that is so of some of the campaigns."""

    words: str
    names: Sequence[str] = ()
    whole: int = 0
    """How many there are of which it could be so."""

    @property
    def short(self) -> str:
        """Of how many it is so."""
        return f"{self.words}: {len(self.names)} of {self.whole}" if self.names else self.words

    @property
    def line(self) -> str:
        """Of which it is so, too."""
        rest = len(self.names) - _MOST_NAMES
        more = f" and {rest} more" if rest > 0 else ""
        listed = f": {', '.join(self.names[:_MOST_NAMES])}{more}" if self.names else ""
        return f"{self.short}{listed}"


def joint_lines(summary: JointSummary, noun: str, missing: Sequence[str] = ()) -> list[str]:
    """The most important fact first: bugs, what was left open, what fails from the start, which
    parts are missing; then a line on each campaign."""
    rows = joint_rows(summary)
    width = max(map(len, rows))
    return [
        joint_heading(summary, noun),
        *(note.line for note in joint_notes(summary)),
        *missing,
        *(f"  {name:{width}}  {about}" for name, about in rows.items()),
    ]


def joint_heading(summary: JointSummary, noun: str) -> str:
    """How many campaigns, and how many bugs."""
    return f"{counted(len(_names(summary)), noun)}, {_found(summary)}"


def joint_notes(summary: JointSummary) -> Iterator[JointNote]:
    """What people must know before they look at single campaigns."""
    parts, failed, waiting = summary.parts, summary.failed, summary.not_begun
    whole = len(_names(summary))
    if faulty := [n for n, part in parts.items() if part.bugs and part.mistake is None]:
        yield JointNote("with bugs", faulty, whole)
    if summary.undecided:
        yield JointNote(f"{counted(summary.undecided, 'failing run')} undecided")
    if unsolved := [name for name, part in parts.items() if _fails_at_once(part)]:
        yield JointNote("not solved from the initial state", unsolved, len(parts))
    if failed:
        yield JointNote("could not be tested", [*failed], whole)
    if waiting:
        yield JointNote("not begun", waiting, whole)


def joint_rows(summary: JointSummary) -> dict[str, str]:
    """What has come of each campaign, by their names in order."""
    return {name: _about(name, summary) for name in sorted(_names(summary))}


def _names(summary: JointSummary) -> set[str]:
    return {*summary.parts, *summary.failed, *summary.not_begun}


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
