"""Several campaigns in words: the verdict first, then a line on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.wording import counted, printable
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.measured import UNIMPROVED, figure_lines, measured_lines
from bugsieve.campaigns.several.several import JointSummary, place_of
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.campaigns.wording import bug_lines
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


def joint_rest(summary: JointSummary, missing: Sequence[str] = ()) -> list[str]:
    """What was left open, what fails from the start, which parts are missing; then a line on each
    campaign."""
    rows = joint_rows(summary)
    width = max(map(len, rows))
    return [
        *(note.line for note in joint_notes(summary)),
        *missing,
        *(f"  {name:{width}}  {about}" for name, about in rows.items()),
    ]


def joint_first_lines(summary: JointSummary) -> list[str]:
    """The verdict, then the figures of a measurement, then how many bugs of which kinds."""
    return [
        summary.verdict.sentence,
        *joint_figure_lines(summary)[0],
        *(f"{counted(summary.planned, summary.noun)}, {one}" for one in bug_lines(summary)),
    ]


def joint_notes(summary: JointSummary) -> Iterator[JointNote]:
    """What people must know before they look at single campaigns."""
    parts, failed, waiting = summary.parts, summary.failed, summary.not_begun
    whole = summary.planned
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
    words = summary.told.get(name) or part.verdict.sentence
    if part.undecided and part.outcome is not CampaignResult.UNDECIDED:
        words += f", {part.undecided} undecided"
    return f"{words} ({part.reason or 'not finished'})"


def _fails_at_once(part: Summary) -> bool:
    """Whether the policy does not solve the initial state."""
    initial = getattr(part, "initial", None)
    return initial is not None and initial.ending != Ending.SOLVED.label
