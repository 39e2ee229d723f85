"""What a running campaign tells its listeners; progress displays and logs are made from these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bugsieve.pipeline.judging.findings import BugRow, RejectedRow, UnstableRow


@dataclass(frozen=True)
class Started:
    """The campaign begins, or goes on after a pause."""

    subject: str
    """The name of the task or model."""
    policy: str
    seed: int
    oracles: tuple[str, ...]
    workers: int
    resumed: bool
    walks: int
    cases: int
    """Pool states or unsafe runs that are there already."""
    bugs: int


@dataclass(frozen=True)
class OracleSkipped:
    """An oracle cannot judge here and is left out."""

    oracle: str
    reason: str


@dataclass(frozen=True)
class Noted:
    """What one should know of the policy or an oracle, after its name; told once."""

    note: str


@dataclass(frozen=True)
class RoundDone:
    """More was found and is stored."""

    kind: str
    """Of the campaign."""
    walks: int
    rounds: int
    cases: int
    """Pool states, or unsafe runs."""
    limit: int
    """How many states the pool may have, or how many walks are made at most."""
    judged: int
    """Pool states that were judged, or different unsafe runs."""
    bugs: Mapping[str, int]
    """By kind."""
    seconds: float
    """Running time, all sessions together."""
    per_second: float
    """Judged pool states, or walks, in this session."""
    policy_calls: int
    last_bug_seconds: float | None
    """Running time when the last bug was found; None if there is none yet."""
    noun: str = "pool"
    """What people are told that the cases are."""


@dataclass(frozen=True)
class BugFound:
    """A new bug; its certificate has been checked and is stored."""

    row: BugRow[Any]


@dataclass(frozen=True)
class BugImproved:
    """A known bug has a better certificate, which has been checked and is stored."""

    row: BugRow[Any]


@dataclass(frozen=True)
class ClaimRejected:
    """An oracle claimed a bug that the checker does not believe: a fault in Bugsieve."""

    row: RejectedRow


@dataclass(frozen=True)
class AnswersDiffer:
    """The policy gave two answers in one state on the run of what would have been a bug."""

    row: UnstableRow


@dataclass(frozen=True)
class Finished:
    """The campaign stops; `reason` says why."""

    reason: str


Event = (
    Started
    | OracleSkipped
    | Noted
    | RoundDone
    | BugFound
    | BugImproved
    | ClaimRejected
    | AnswersDiffer
    | Finished
)
Listener = Callable[[Event], None]
