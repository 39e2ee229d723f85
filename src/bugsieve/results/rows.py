"""The records of a campaign as they are stored, one class per kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bugsieve.bugs.cost.bug import Bug
from bugsieve.bugs.cost.verdict import Verdict
from bugsieve.fuzzing.pool import PoolEntry
from bugsieve.results.saved_task import SavedTask
from bugsieve.tasks.fdr.task import StateArray


@dataclass(frozen=True)
class OracleRow:
    """An oracle the campaign was asked to use."""

    spec: str
    objection: str | None = None
    """Why it cannot judge on this task; it is then left out."""


@dataclass(frozen=True)
class CampaignHeader:
    """What a campaign is about; written once."""

    options: str
    """The options as TOML."""
    task: SavedTask
    policy: str
    policy_is_object: bool
    """Whether it was given as a Python object, which a spec cannot make again."""
    objective: str
    oracles: tuple[OracleRow, ...]

    @property
    def used_oracles(self) -> tuple[str, ...]:
        """The oracles that judge, in order."""
        return tuple(oracle.spec for oracle in self.oracles if oracle.objection is None)


@dataclass(frozen=True)
class RunRow:
    """The policy's run from a pool state."""

    ending: int
    """A code of `Ending`."""
    steps: int
    cost: int
    value: float
    """Under the objective; NaN where the run does not determine it."""
    detail: str = ""
    """Why the policy gave no usable action, if that ended the run."""


@dataclass(frozen=True)
class VerdictRow:
    """What one oracle said, and how long it took."""

    oracle: str
    verdict: Verdict
    seconds: float = 0.0


@dataclass(frozen=True)
class BugRow:
    """A bug of the pool; the checker has accepted its certificate."""

    number: int
    """Of the state in the pool."""
    bug: Bug
    """With the best of the certificates: the one with the largest gap."""
    finders: tuple[str, ...]
    """All oracles that found the state to be a bug, in the order of the campaign."""
    seconds: float = 0.0
    """Running time of the campaign when it was stored."""

    @property
    def id(self) -> str:
        """The name of the bug."""
        return self.bug.id


def worst_first(rows: Iterable[BugRow]) -> list[BugRow]:
    """Largest gaps first; of equal ones those with the shorter run, which are easier to read."""
    return sorted(
        rows, key=lambda row: (-row.bug.gap, len(row.bug.certificate["run"]["operators"]))
    )


@dataclass(frozen=True)
class RejectedRow:
    """A claim of an oracle whose certificate the checker did not accept: a fault of ours."""

    number: int
    oracle: str
    reason: str
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)
    """None where the claim did not even allow to write one."""


@dataclass(frozen=True)
class Judgement:
    """Everything that was found out about one pool state."""

    number: int
    run: RunRow
    verdicts: tuple[VerdictRow, ...]
    bug: BugRow | None = None
    rejected: tuple[RejectedRow, ...] = ()


@dataclass(frozen=True)
class Progress:
    """How far a campaign has come; its counters continue when it is resumed."""

    walks: int = 0
    steps: int = 0
    rounds: int = 0
    judged: int = 0
    """Pool entries below this number have their run and verdicts."""
    policy_calls: int = 0
    seconds: float = 0.0
    """Running time, without the pauses."""
    news_seconds: float = 0.0
    """Running time when the last bug was found, or else when judging began."""
    news_round: int = 0
    """The number of rounds at that moment."""
    finished: str | None = None
    """Why the campaign has ended; None while there is more to do."""


@dataclass(frozen=True)
class TimelineRow:
    """A moment of the campaign."""

    seconds: float
    event: str
    """"start", "resume", "round", "bug" or "end"."""
    walks: int
    pool: int
    judged: int
    bugs: int
    detail: str = ""


def _no_states() -> StateArray:
    return np.empty((0, 0), dtype=np.uint16)


@dataclass(frozen=True, eq=False)
class Addition:
    """What one transaction adds: all of it is stored, or nothing."""

    progress: Progress
    entries: Sequence[PoolEntry] = ()
    states: StateArray = field(default_factory=_no_states)
    """One row per entry."""
    judgements: Sequence[Judgement] = ()
    events: Sequence[TimelineRow] = ()
