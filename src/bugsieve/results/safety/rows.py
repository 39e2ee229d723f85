"""The records of a safety campaign as they are stored, one class per kind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.bugs.safety.bug import FAULT, SafetyBug
from bugsieve.policies.models.runs import UnsafeRun


@dataclass(frozen=True)
class SafetyHeader:
    """What a safety campaign is about; written once."""

    options: str
    """The options as TOML."""
    name: str
    """Of the model."""
    document: str = field(repr=False)
    """The model with its property and constants, as JSON."""
    actions: tuple[str, ...]
    """Names of the model's actions, by number."""
    policy: str
    policy_is_object: bool
    """Whether it was given as a Python object, which a spec cannot make again."""
    oracles: tuple[str, ...]
    """The first one finds the faults that become bugs."""
    policy_fingerprint: str = ""
    """`ModelPolicy.fingerprint` when the campaign was made."""

    def document_json(self) -> dict[str, Any]:
        """The model as JSON data."""
        document: dict[str, Any] = json.loads(self.document)
        return document


@dataclass(frozen=True)
class WalkRow:
    """How a walk of the fuzzer ended."""

    number: int
    outcome: str
    """A value of `WalkOutcome`."""
    is_stopped: bool
    """Whether it ended because the policy had no applicable action."""
    steps: int
    seconds: float = 0.0
    """Its share of the time that walks took which were made together."""


@dataclass(frozen=True, eq=False)
class UnsafeRunRow:
    """The unsafe run that a walk found; `same_as` is an earlier walk that found the same one."""

    walk: int
    run: UnsafeRun
    digest: bytes
    same_as: int | None = None


@dataclass(frozen=True, eq=False)
class RunVerdictRow:
    """What one oracle said of the states of a run, and how long it took."""

    oracle: str
    safety: NDArray[np.int8]
    """A code of `Safety` per state."""
    faults: tuple[int, ...]
    """Positions of the decisions that leave safety."""
    open_faults: tuple[int, ...]
    """Positions where a limit came before it was known whether the decision is a fault."""
    reached: str | None
    """The first such limit."""
    expanded: int
    """States whose outcomes it asked for."""
    seconds: float = 0.0


@dataclass(frozen=True)
class AloneRow:
    """What an oracle without any memory said of one state of a run, for measurements."""

    position: int
    oracle: str
    safety: int
    """A code of `Safety`."""
    reached: str | None
    """The limit that came before an answer."""
    expanded: int
    seconds: float = 0.0


@dataclass(frozen=True)
class SafetyBugRow:
    """A bug; the checker has accepted its certificate."""

    walk: int
    """The first walk whose run has it."""
    position: int
    """Of the bug's state in that run."""
    bug: SafetyBug
    seconds: float = 0.0
    """Running time of the campaign when it was found."""

    @property
    def id(self) -> str:
        """The name of the bug."""
        return self.bug.id

    @property
    def safe_action(self) -> int:
        """What avoids the danger in the bug's state."""
        state = self.bug.state
        return next(action for row, action in self.bug.alternative if row == state)

    @property
    def steps(self) -> int:
        """How far the danger is in the policy's run from the bug's state."""
        return len(self.bug.certificate["run"]["actions"])


def commonest_first(rows: Iterable[SafetyBugRow], runs: Mapping[str, int]) -> list[SafetyBugRow]:
    """Faults before other bugs, those in most runs first; of equal ones those next to danger.

    `runs` has the number of unsafe runs by id.
    """
    return sorted(rows, key=lambda row: (row.bug.kind != FAULT, -runs[row.id], row.steps))


@dataclass(frozen=True)
class Sighting:
    """A bug occurs in a run, be it new or not."""

    position: int
    bug: str
    """Its id."""


@dataclass(frozen=True)
class UnprovenRow:
    """A claim of an oracle whose proof is too large to be kept."""

    walk: int
    position: int
    oracle: str
    kind: str
    reason: str


@dataclass(frozen=True)
class RejectedClaimRow:
    """A claim of an oracle whose certificate the checker did not accept: a fault of ours."""

    walk: int
    position: int
    oracle: str
    reason: str
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Finding:
    """Everything that was found out about one unsafe run; nothing new if it was met before."""

    row: UnsafeRunRow
    verdicts: tuple[RunVerdictRow, ...] = ()
    alone: tuple[AloneRow, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    bugs: tuple[SafetyBugRow, ...] = ()
    """Those that no run before had."""
    unproven: tuple[UnprovenRow, ...] = ()
    rejected: tuple[RejectedClaimRow, ...] = ()
    proof_seconds: float = 0.0
    """What writing and checking the certificates took."""


@dataclass(frozen=True)
class SafetyProgress:
    """How far a safety campaign has come; its counters continue when it is resumed."""

    walks: int = 0
    """Walks below this number are stored, with all that was found out about their runs."""
    steps: int = 0
    seconds: float = 0.0
    """Running time, without the pauses."""
    fuzz_seconds: float = 0.0
    """The part of it that the walks took."""
    news_seconds: float = 0.0
    """Running time when the last bug was found, or else when the campaign began."""
    news_walk: int = 0
    """The number of walks at that moment."""
    troubles: str = "{}"
    """What the policy did wrong, as JSON: how often, and the first case, by its kind."""
    finished: str | None = None
    """Why the campaign has ended; None while there is more to do."""


@dataclass(frozen=True)
class SafetyTimelineRow:
    """A moment of a safety campaign."""

    seconds: float
    event: str
    """"start", "resume", "round", "bug" or "end"."""
    walks: int
    runs: int
    bugs: int
    detail: str = ""


@dataclass(frozen=True, eq=False)
class SafetyAddition:
    """What one transaction adds: all of it is stored, or nothing."""

    progress: SafetyProgress
    walks: Sequence[WalkRow] = ()
    findings: Sequence[Finding] = ()
    events: Sequence[SafetyTimelineRow] = ()


def run_digest(run: UnsafeRun) -> bytes:
    """The same for equal runs only, for all that matters."""
    states = np.ascontiguousarray(run.states, dtype="<u8")
    actions = np.ascontiguousarray(run.actions, dtype="<i4")
    return hashlib.sha256(states.tobytes() + actions.tobytes()).digest()
