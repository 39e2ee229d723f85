"""What a running campaign tells its listeners; progress displays and logs are made from these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bugsieve.results.rows import BugRow, RejectedRow
    from bugsieve.results.safety.rows import RejectedClaimRow, SafetyBugRow


@dataclass(frozen=True)
class Started:
    """The campaign begins, or goes on after a pause."""

    task: str
    policy: str
    seed: int
    oracles: tuple[str, ...]
    workers: int
    resumed: bool
    pool: int
    bugs: int


@dataclass(frozen=True)
class OracleSkipped:
    """An oracle cannot judge on this task and is left out."""

    oracle: str
    reason: str


@dataclass(frozen=True)
class RoundDone:
    """More was found and is stored."""

    pool: int
    """States in the pool."""
    pool_size: int
    """States it may have at most."""
    judged: int
    walks: int
    rounds: int
    bugs: Mapping[str, int]
    """By kind."""
    seconds: float
    """Running time, all sessions together."""
    states_per_second: float
    """New and judged pool states in this session."""
    policy_calls: int
    last_bug_seconds: float | None
    """Running time when the last bug was found; None if there is none yet."""


@dataclass(frozen=True)
class BugFound:
    """A new bug; its certificate has been checked and is stored."""

    row: BugRow


@dataclass(frozen=True)
class CertificateRejected:
    """An oracle claimed a bug that the checker does not believe: a fault in Bugsieve."""

    row: RejectedRow


@dataclass(frozen=True)
class Finished:
    """The campaign stops; `reason` says why."""

    reason: str


@dataclass(frozen=True)
class SafetyStarted:
    """A safety campaign begins, or goes on after a pause."""

    model: str
    policy: str
    seed: int
    oracles: tuple[str, ...]
    resumed: bool
    walks: int
    bugs: int


@dataclass(frozen=True)
class SafetyRoundDone:
    """A safety campaign has made more walks; what they found is stored."""

    walks: int
    walk_limit: int
    """Walks it may make at most."""
    runs: int
    """Unsafe runs."""
    different_runs: int
    bugs: Mapping[str, int]
    """By kind."""
    seconds: float
    """Running time, all sessions together."""
    walks_per_second: float
    """In this session."""
    last_bug_seconds: float | None
    """Running time when the last bug was found; None if there is none yet."""


@dataclass(frozen=True)
class SafetyBugFound:
    """A new safety bug; its certificate has been checked and is stored."""

    row: SafetyBugRow


@dataclass(frozen=True)
class ClaimRejected:
    """A safety oracle claimed a bug that the checker does not believe: a fault in Bugsieve."""

    row: RejectedClaimRow


Event = (
    Started
    | OracleSkipped
    | RoundDone
    | BugFound
    | CertificateRejected
    | Finished
    | SafetyStarted
    | SafetyRoundDone
    | SafetyBugFound
    | ClaimRejected
)
Listener = Callable[[Event], None]
