"""Bugs by their causes, in an order for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bugsieve.faults.causes.cause import COSTLY, Cause
from bugsieve.faults.causes.words import in_words
from bugsieve.policies.decisions import Ending


class Member(NamedTuple):
    """A bug with its cause."""

    id: str
    steps: int
    """How long the policy's run is."""
    cause: Cause


@dataclass(frozen=True)
class Group:
    """All bugs of one cause."""

    cause: Cause
    """With the traits that all bugs share."""
    count: int
    example: str
    """The id of the smallest bug: the one of the shortest run, of equal ones the first id."""
    also: tuple[Group, ...] = ()
    """What is shown with it: detours by a step that occurs in the loop."""

    def __iter__(self) -> Iterator[Group]:
        """The group itself, and those that are shown with it."""
        return iter((self, *self.also))

    def __str__(self) -> str:
        """As in "172 × loop of drop and pick-up: drops a package that is not at its goal"."""
        return f"{self.count} × {self.words}"

    @property
    def words(self) -> str:
        """What is wrong."""
        return in_words(self.cause)

    @property
    def total(self) -> int:
        """How many bugs are shown here."""
        return sum(group.count for group in self)


def grouped(members: Iterable[Member]) -> list[Group]:
    """The groups, the largest first, with those that are shown together in one."""
    found: dict[Cause, list[Member]] = {}
    for member in members:
        found.setdefault(member.cause, []).append(member)
    return _together([_group(rows) for rows in found.values()])


def _group(members: Sequence[Member]) -> Group:
    example = min(members, key=lambda member: (member.steps, member.id))
    shared = set.intersection(*(set(member.cause.traits) for member in members))
    traits = tuple(trait for trait in example.cause.traits if trait in shared)
    return Group(replace(example.cause, traits=traits), len(members), example.id)


def _together(groups: Sequence[Group]) -> list[Group]:
    loops = _ordered(group for group in groups if group.cause.ending == Ending.LOOP.label)
    under: dict[str, list[Group]] = {}
    shown = []
    for group in groups:
        host = next((loop for loop in loops if _belongs(group, loop)), None)
        if host is None:
            shown.append(group)
        else:
            under.setdefault(host.cause.id, []).append(group)
    return _ordered(
        replace(group, also=tuple(_ordered(under.get(group.cause.id, ())))) for group in shown
    )


def _belongs(group: Group, loop: Group) -> bool:
    steps = group.cause.steps
    return group.cause.ending == COSTLY and bool(steps) and steps[0] in loop.cause.steps


def _ordered(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.total, group.cause.id))
