"""What a report shows of a campaign beside its counts: runs of bugs, tables, trees.

Each kind of campaigns fills these from what its store keeps and what follows from that: the policy
is not asked. A kind that fills nothing has a page all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, eq=False)
class Track:
    """A run, state by state."""

    title: str
    """Whose it is."""
    actions: Sequence[str]
    """One fewer than there are states; each leads to the next one."""
    subject: Any = None
    """The task or model of the states; None where nobody can draw them."""
    states: Any = None
    """A row for each."""
    notes: Sequence[str] = ()
    """What is known of each state, beside what changes there; empty for nothing."""
    ending: str = ""
    """How it ends."""
    marked: int | None = None
    """The state whose decision is looked at."""
    mark: str = ""
    """What is said of that decision, in a few words."""
    loop_start: int | None = None
    """Where it goes on after the last state, if it goes round for ever."""

    def __len__(self) -> int:
        return len(self.actions) + 1


@dataclass(frozen=True, eq=False)
class Exhibit:
    """What is known of a bug."""

    sentences: Sequence[str] = ()
    """What is wrong and how sure that is, what is open, what proves it."""
    tracks: Sequence[Track] = ()
    """The policy's run first, then a better one."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Commands that take the folder and the id, and what they do."""
    printed: str = ""
    """What the policy has printed."""
    about: str = ""
    """What is wrong in one line, if more is known of it than the store says."""


@dataclass(frozen=True)
class TablePanel:
    """A table with a heading."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    text: str = ""
    """A sentence below the heading."""


@dataclass(frozen=True)
class TreePanel:
    """Things that came from each other, with a share from 0 to 1 each."""

    title: str
    parents: Sequence[int | None]
    """Earlier ones, by their places."""
    texts: Sequence[str]
    shares: Sequence[float]
    text: str = ""


Panel = TablePanel | TreePanel


class Exhibits(Protocol):
    """What there is to show of a campaign, while its records are open."""

    def exhibit(self, bug: str) -> Exhibit:
        """What is known of the bug of this id; InputError if its certificate does not hold."""
        ...

    def panels(self, summary: Any) -> Sequence[Panel]:
        """Tables and trees about the whole campaign."""
        ...


class NoExhibits:
    """What a kind shows that says nothing else."""

    def __init__(self, records: Any) -> None:
        self.records = records

    def exhibit(self, bug: str) -> Exhibit:
        """Nothing."""
        return Exhibit()

    def panels(self, summary: Any) -> Sequence[Panel]:
        """None."""
        return ()
