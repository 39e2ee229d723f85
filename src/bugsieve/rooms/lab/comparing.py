"""The findings of two campaigns on the same task, together and each alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.explanation.causes.groups import Group
from bugsieve.explanation.causes.words import in_words
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.rooms.lab.comparing_wording import comparison_text
from bugsieve.tasks.grounded.task import StateArray

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Shares:
    """The number of some things in both campaigns, and in one only."""

    both: int
    only_first: int
    only_second: int


@dataclass(frozen=True)
class Recall:
    """The number of known bug states that an oracle was asked about, and found to be bugs."""

    found: int
    known: int

    @property
    def rate(self) -> float | None:
        """The part that it found; None if there was nothing to find."""
        return self.found / self.known if self.known else None


@dataclass(frozen=True)
class CauseShares:
    """The number of bugs with a cause in each campaign, with the smallest of each."""

    id: str
    words: str
    first: int
    second: int
    examples: tuple[str | None, str | None]
    """None where there are no such bugs."""


@dataclass(frozen=True)
class Crossed:
    """The results of a campaign on states that only the other one had judged."""

    states: int
    bugs: Mapping[bytes, CostBugRow]
    """By state."""
    undecided: frozenset[bytes]
    """Of failing runs, the states where it is unknown if they had to fail."""


Cross = Callable[[AnyPath, CostRecords, StateArray], Crossed]
"""Judges states with the policy and the oracles of a campaign."""


@dataclass(frozen=True)
class Comparison:
    """Two campaigns side by side; bugs are compared in states that both have judged."""

    same_policy: bool
    same_objective: bool
    pool: Shares
    """Pool states."""
    judged: Shares
    """Judged states, those included that were judged for the comparison."""
    bugs: Shares
    """Bug states among those that both have judged."""
    kinds: Mapping[str, Shares]
    """The same by kind; a bug that is in both counts by its kind in the first."""
    causes: tuple[CauseShares, ...]
    """Of all their bugs, those of most bugs first."""
    both: tuple[tuple[CostBugRow, CostBugRow], ...]
    only_first: tuple[CostBugRow, ...]
    only_second: tuple[CostBugRow, ...]
    untested: tuple[tuple[CostBugRow, ...], tuple[CostBugRow, ...]]
    """Bugs of each in states that the other one has not judged: nothing is known of it there."""
    crossed: tuple[Crossed, Crossed] | None
    """The results of each on the other's states, if it was asked to."""
    recall: tuple[Mapping[str, Recall], Mapping[str, Recall]]
    """By oracle, for each campaign. Known are the bugs of both together if they test the same
    policy for the same objective, else those of the campaign itself."""
    folders: tuple[str, str] = ("the first", "the second")
    """The names that people give the two."""

    def __str__(self) -> str:
        """As `bugsieve compare` prints it."""
        return comparison_text(self)


@dataclass(frozen=True)
class _Campaign:
    states: dict[bytes, int]
    """Pool states that have been judged, with their numbers."""
    pool: frozenset[bytes]
    bugs: dict[bytes, CostBugRow]
    finds: dict[str, frozenset[int]]
    """By oracle, the numbers of the states it found to be bugs."""
    causes: dict[str, Group]
    """By id."""

    @classmethod
    def read(cls, records: CostRecords) -> _Campaign:
        keys = [state.tobytes() for state in records.pool().states]
        rows = records.bugs()
        finds = {
            oracle: frozenset(row.case for row in rows if oracle in row.finders)
            for oracle in records.header.used_oracles
        }
        judged = records.judged()
        return cls(
            {key: number for number, key in enumerate(keys[:judged])},
            frozenset(keys),
            {keys[row.case]: row for row in rows},
            finds,
            {one.cause.id: one for one in records.groups_by_cause()},
        )

    @property
    def judged(self) -> frozenset[bytes]:
        """States that were judged; of a visit that was cut, those with bugs."""
        return frozenset(self.states) | self.bugs.keys()

    def crossed(self, more: Crossed, states: frozenset[bytes]) -> _Campaign:
        """The campaign with states that it has judged for the comparison, and their bugs."""
        numbers = {**dict.fromkeys(states, -1), **self.states}
        return replace(self, states=numbers, bugs={**self.bugs, **more.bugs})

    def recall(self, known: Iterable[bytes]) -> dict[str, Recall]:
        numbers = {self.states[key] for key in known if key in self.states}
        return {
            oracle: Recall(len(numbers & found), len(numbers))
            for oracle, found in self.finds.items()
        }


def compare(first: AnyPath, second: AnyPath, *, cross: Cross | None = None) -> Comparison:
    """Compare two campaigns; InputError unless they are on the same task.

    With `cross` each of them judges the states that only the other one has judged.
    """
    with CostRecords(first) as one, CostRecords(second) as two:
        if one.header.subject.sha256 != two.header.subject.sha256:
            raise InputError(
                f"{first} and {second}: are campaigns on different tasks "
                f"({one.header.subject.title} and {two.header.subject.title})"
            )
        same_policy = _policy(one) == _policy(two)
        same_objective = one.header.objective == two.header.objective
        own, other = _Campaign.read(one), _Campaign.read(two)
        recall = _recalls(own, other, shared=same_policy and same_objective)
        crossed = None
        if cross is not None:
            missing = other.judged - own.judged, own.judged - other.judged
            places = zip((first, second), (one, two), missing, strict=True)
            some, more = (
                cross(path, records, _states(keys)) if keys else Crossed(0, {}, frozenset())
                for path, records, keys in places
            )
            crossed = some, more
            own, other = own.crossed(some, missing[0]), other.crossed(more, missing[1])
        found = _compared(own, other, same_policy, same_objective, recall, crossed)
        return replace(found, folders=(os.fspath(first), os.fspath(second)))


def _policy(records: CostRecords) -> str:
    """The policy's fingerprint: its spec alone does not say which seed or file it had."""
    return records.header.policy_fingerprint or records.header.policy


def _states(keys: frozenset[bytes]) -> StateArray:
    """States by their contents, in an order that depends on these alone."""
    return np.stack([np.frombuffer(key, dtype=np.uint16) for key in sorted(keys)])


def _recalls(
    one: _Campaign, two: _Campaign, *, shared: bool
) -> tuple[Mapping[str, Recall], Mapping[str, Recall]]:
    known = {**one.bugs, **two.bugs}
    return one.recall(known if shared else one.bugs), two.recall(known if shared else two.bugs)


def _compared(
    one: _Campaign,
    two: _Campaign,
    same_policy: bool,
    same_objective: bool,
    recall: tuple[Mapping[str, Recall], Mapping[str, Recall]],
    crossed: tuple[Crossed, Crossed] | None,
) -> Comparison:
    joint = one.judged & two.judged
    first = {key: row for key, row in one.bugs.items() if key in joint}
    second = {key: row for key, row in two.bugs.items() if key in joint}
    return Comparison(
        same_policy,
        same_objective,
        _shares(one.pool, two.pool),
        _shares(one.judged, two.judged),
        _shares(frozenset(first), frozenset(second)),
        _kinds(first, second),
        tuple(sorted(_causes(one, two), key=lambda row: (-row.first - row.second, row.id))),
        tuple((row, second[key]) for key, row in first.items() if key in second),
        tuple(row for key, row in first.items() if key not in second),
        tuple(row for key, row in second.items() if key not in first),
        (
            tuple(row for key, row in one.bugs.items() if key not in joint),
            tuple(row for key, row in two.bugs.items() if key not in joint),
        ),
        crossed,
        recall,
    )


def _kinds(
    first: Mapping[bytes, CostBugRow], second: Mapping[bytes, CostBugRow]
) -> dict[str, Shares]:
    kinds = {key: row.bug.kind for key, row in {**second, **first}.items()}
    return {
        kind: _shares(
            frozenset(key for key in first if kinds[key] == kind),
            frozenset(key for key in second if kinds[key] == kind),
        )
        for kind in sorted(set(kinds.values()))
    }


def _causes(one: _Campaign, two: _Campaign) -> Iterator[CauseShares]:
    for name, group in {**two.causes, **one.causes}.items():
        found = [campaign.causes.get(name) for campaign in (one, two)]
        first, second = (0 if part is None else part.count for part in found)
        one_bug, other_bug = (None if part is None else part.example for part in found)
        yield CauseShares(name, in_words(group.cause), first, second, (one_bug, other_bug))


def _shares(one: frozenset[bytes], two: frozenset[bytes]) -> Shares:
    return Shares(len(one & two), len(one - two), len(two - one))
