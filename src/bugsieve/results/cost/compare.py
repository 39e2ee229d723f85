"""What two campaigns on the same task have found, together and each alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bugsieve.basis.errors import InputError
from bugsieve.faults.causes.groups import Group
from bugsieve.faults.causes.words import in_words
from bugsieve.judging.findings import CostBugRow
from bugsieve.results.cost.records import CostRecords


@dataclass(frozen=True)
class Shares:
    """How many of some things are in both campaigns, and in one only."""

    both: int
    only_first: int
    only_second: int


@dataclass(frozen=True)
class Recall:
    """How many of the known bug states an oracle was asked about, and found to be bugs."""

    found: int
    known: int

    @property
    def rate(self) -> float | None:
        """The part that it found; None if there was nothing to find."""
        return self.found / self.known if self.known else None


@dataclass(frozen=True)
class CauseShares:
    """How many bugs each campaign has of a cause, with the smallest of each."""

    id: str
    words: str
    first: int
    second: int
    examples: tuple[str | None, str | None]
    """None where there are no such bugs."""


@dataclass(frozen=True)
class Comparison:
    """Two campaigns side by side."""

    same_policy: bool
    same_objective: bool
    pool: Shares
    """Pool states."""
    bugs: Shares
    """Bug states."""
    kinds: Mapping[str, Shares]
    """Bug states by kind; one that is in both counts by its kind in the first."""
    causes: tuple[CauseShares, ...]
    """Those of most bugs first."""
    both: tuple[tuple[CostBugRow, CostBugRow], ...]
    only_first: tuple[CostBugRow, ...]
    only_second: tuple[CostBugRow, ...]
    recall: tuple[Mapping[str, Recall], Mapping[str, Recall]]
    """By oracle, for each campaign. Known are the bugs of both together if they test the same
    policy for the same objective, else those of the campaign itself."""


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
            {one.cause.id: one for group in records.causes() for one in group},
        )

    def recall(self, known: Iterable[bytes]) -> dict[str, Recall]:
        numbers = {self.states[key] for key in known if key in self.states}
        return {
            oracle: Recall(len(numbers & found), len(numbers))
            for oracle, found in self.finds.items()
        }


def compare(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> Comparison:
    """Compare two campaigns; InputError unless they are on the same task."""
    with CostRecords(first) as one, CostRecords(second) as two:
        if one.header.subject.sha256 != two.header.subject.sha256:
            raise InputError(
                f"{first} and {second}: are campaigns on different tasks "
                f"({one.header.subject.name} and {two.header.subject.name})"
            )
        same_policy = _policy(one) == _policy(two)
        same_objective = one.header.objective == two.header.objective
        campaigns = _Campaign.read(one), _Campaign.read(two)
        return _compared(*campaigns, same_policy, same_objective)


def _policy(records: CostRecords) -> str:
    """What the policy was: its spec alone does not say which seed or file it had."""
    return records.header.policy_fingerprint or records.header.policy


def _compared(
    one: _Campaign, two: _Campaign, same_policy: bool, same_objective: bool
) -> Comparison:
    both = [key for key in one.bugs if key in two.bugs]
    only_first = [key for key in one.bugs if key not in two.bugs]
    only_second = [key for key in two.bugs if key not in one.bugs]
    all_known = {**one.bugs, **two.bugs}
    shared = same_policy and same_objective
    return Comparison(
        same_policy,
        same_objective,
        _shares(one.pool, two.pool),
        Shares(len(both), len(only_first), len(only_second)),
        _kinds(one, two),
        tuple(sorted(_causes(one, two), key=lambda row: (-row.first - row.second, row.id))),
        tuple((one.bugs[key], two.bugs[key]) for key in both),
        tuple(one.bugs[key] for key in only_first),
        tuple(two.bugs[key] for key in only_second),
        (
            one.recall(all_known if shared else one.bugs),
            two.recall(all_known if shared else two.bugs),
        ),
    )


def _kinds(one: _Campaign, two: _Campaign) -> dict[str, Shares]:
    kinds: dict[bytes, str] = {}
    for campaign in (two, one):
        kinds.update((key, row.bug.kind) for key, row in campaign.bugs.items())
    return {
        kind: _shares(
            frozenset(key for key in one.bugs if kinds[key] == kind),
            frozenset(key for key in two.bugs if kinds[key] == kind),
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
