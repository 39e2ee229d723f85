"""Bugs by what causes them, in an order for people: the lines that are listed.

Bugs of one pattern are one line. Those without one are grouped by their causes: the decision's
schema and how runs end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bugsieve.explanation.causes.pattern import Pattern
from bugsieve.explanation.causes.words import in_words
from bugsieve.pipeline.bugs.cause import COSTLY, DEAD_END, Cause
from bugsieve.policies.decisions import Ending

_OF_DECISIONS = (Ending.LOOP.label, COSTLY, DEAD_END)


class BugInGroup(NamedTuple):
    """A bug with its cause."""

    id: str
    steps: int
    """The length of the policy's run."""
    cause: Cause
    pattern: Pattern | None = None

    @property
    def line(self) -> str:
        """The id of the line that the bug belongs to."""
        return self.cause.id if self.pattern is None else self.pattern.id


@dataclass(frozen=True)
class Group:
    """All bugs of one line: those of one pattern, or else of one cause."""

    cause: Cause
    """That of the example, with the traits that all bugs share."""
    count: int
    example: str
    """The id of the smallest bug: the one of the shortest run, of equal ones the first id."""
    also: tuple[Group, ...] = ()
    """The groups shown with it: detours by a step that occurs in the loop."""
    pattern: Pattern | None = None
    cause_ids: tuple[str, ...] = ()
    """Of all its bugs, sorted: those of one pattern may end in different ways."""

    def __iter__(self) -> Iterator[Group]:
        """The group itself, and those that are shown with it."""
        return iter((self, *self.also))

    def __str__(self) -> str:
        """The group in words, as in "172 × unstack where (solid b2)"."""
        return f"{self.count} × {self.words}"

    @property
    def id(self) -> str:
        """The name of the line."""
        return self.cause.id if self.pattern is None else self.pattern.id

    @property
    def words(self) -> str:
        """The pattern, or else the cause."""
        return in_words(self.cause) if self.pattern is None else str(self.pattern)

    @property
    def is_by_schema(self) -> bool:
        """Return true if a decision is to blame, but no pattern of it is known."""
        return self.pattern is None and self.cause.ending in _OF_DECISIONS

    @property
    def total(self) -> int:
        """The number of bugs that are shown here."""
        return sum(group.count for group in self)


def grouped(members: Iterable[BugInGroup]) -> list[Group]:
    """The groups, the largest first, with those that are shown together in one."""
    found: dict[Pattern | Cause, list[BugInGroup]] = {}
    for member in members:
        found.setdefault(member.pattern or member.cause, []).append(member)
    return _together([_group(rows) for rows in found.values()])


def count_lines(groups: Iterable[Group]) -> int:
    """The number of causes listed, with those that are shown with another."""
    return sum(1 for group in groups for _ in group)


def _group(members: Sequence[BugInGroup]) -> Group:
    example = min(members, key=lambda member: (member.steps, member.id))
    shared = set.intersection(*(set(member.cause.traits) for member in members))
    traits = tuple(trait for trait in example.cause.traits if trait in shared)
    causes = {member.cause for member in members}
    return Group(
        replace(example.cause, traits=traits),
        len(members),
        example.id,
        pattern=example.pattern,
        cause_ids=tuple(sorted(cause.id for cause in causes)),
    )


def _together(groups: Sequence[Group]) -> list[Group]:
    alone = [group for group in groups if group.pattern is None]
    loops = _ordered(group for group in alone if group.cause.ending == Ending.LOOP.label)
    under: dict[str, list[Group]] = {}
    shown = []
    for group in groups:
        host = next((loop for loop in loops if _belongs(group, loop)), None)
        if host is None:
            shown.append(group)
        else:
            under.setdefault(host.id, []).append(group)
    return _ordered(
        replace(group, also=tuple(_ordered(under.get(group.id, ())))) for group in shown
    )


def _belongs(group: Group, loop: Group) -> bool:
    steps = group.cause.steps if group.pattern is None else ()
    return group.cause.ending == COSTLY and bool(steps) and steps[0] in loop.cause.steps


def _ordered(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.total, group.id))
