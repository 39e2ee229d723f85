"""The content of a page, before it is written as HTML; every text may be a stranger's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bugsieve.campaigns.exhibits import Exhibit, Panel
from bugsieve.campaigns.verdict import CampaignResult


@dataclass(frozen=True)
class BugLine:
    """A bug in the table of all bugs."""

    id: str
    kind: str
    about: str
    steps: int
    seconds: float
    finders: tuple[str, ...]
    cause: str
    """The id of the line that it belongs to; empty if it has no cause."""


@dataclass(frozen=True, eq=False)
class CampaignPart:
    """One campaign."""

    folder: str
    """As it was typed, with the folder below it where there are several."""
    name: str
    """The folder below; empty where there is only one."""
    kind: str
    heading: str
    lines: Sequence[str]
    """The verdict, what was tested, the counts: what `status` says."""
    bugs: Sequence[BugLine]
    bugs_left_out: int
    panels: Sequence[Panel]
    options: Mapping[str, str]
    provenance: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class ShownBug:
    """A bug that is shown, and where it is."""

    campaign: CampaignPart
    bug: str
    about: str
    exhibit: Exhibit | None = None
    """None where it is not among the first."""


@dataclass(frozen=True, eq=False)
class CausePart:
    """A cause of bugs, or a bug where bugs have no causes."""

    count: int
    words: str
    id: str
    """Of the cause or the pattern."""
    example: ShownBug
    also: Sequence[CausePart] = ()
    """The causes that are shown with it."""


@dataclass(frozen=True, eq=False)
class Chapter:
    """The content of one folder."""

    folder: str
    verdict: str
    more: Sequence[str]
    """Lines that follow the verdict."""
    tested: str
    outcome: CampaignResult | None
    """None where there is none, as of a training."""
    is_finished: bool
    campaigns: Sequence[CampaignPart]
    causes: Sequence[CausePart]
    printed: str = ""
    """The text printed by a policy that gave no answer."""
    bugs: int = 0
    each: Mapping[str, str] = field(default_factory=dict)
    """Of several campaigns: what has come of each, by their names."""
    missing: Sequence[str] = ()
    """Lines on parts of an experiment that are not there."""


class ShownCause(NamedTuple):
    """A cause on the page."""

    number: int
    anchor: str
    chapter: Chapter
    cause: CausePart


@dataclass(frozen=True, eq=False)
class Contents:
    """All of it."""

    chapters: Sequence[Chapter]
    full: bool
    with_output: bool
    picture: str | None = None
    follows: bool = False
    """True if the file is written again and again."""

    def causes(self) -> Iterator[ShownCause]:
        """All causes, numbered through all folders."""
        number = 0
        for place, chapter in enumerate(self.chapters, 1):
            for within, cause in enumerate(chapter.causes, 1):
                number += 1
                yield ShownCause(number, f"cause-{place}-{within}", chapter, cause)

    @property
    def is_finished(self) -> bool:
        """Return true if nothing will change any more."""
        return all(chapter.is_finished for chapter in self.chapters)
