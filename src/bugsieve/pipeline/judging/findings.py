"""Findings of one visit; campaigns store them whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from bugsieve.base.wording import counted
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.cause import UNNAMED, Cause
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.judging.cases import Visit

MOST_CHANGES_KEPT = 20
"""The number of answers kept that differ when the policy is asked again."""


@dataclass(frozen=True)
class OracleRow:
    """An oracle the campaign was asked to use."""

    spec: str
    objection: str | None = None
    """The reason why it cannot judge here; it is then left out."""
    level: int = 0
    """The level of effort from which on it judges."""


class AnyBug(Protocol):
    """A bug of any kind."""

    @property
    def id(self) -> str:
        """The name of the bug."""
        ...

    @property
    def kind(self) -> str:
        """The name of its kind."""
        ...

    @property
    def gap(self) -> float:
        """The margin by which the run in its proof beats the policy's; may be infinite."""
        ...

    @property
    def steps(self) -> int:
        """The length of the policy's run in its proof."""
        ...

    @property
    def oracle(self) -> str:
        """The spec of the oracle whose proof it is."""
        ...

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The certificate that proves it."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON data."""
        ...


BugT = TypeVar("BugT", bound=AnyBug)


@dataclass(frozen=True)
class BugRow(Generic[BugT]):
    """A bug; the checker has accepted its certificate."""

    case: int
    bug: BugT
    """With the best of the certificates: the one with the largest gap."""
    finders: tuple[str, ...]
    """All oracles that found the case to be a bug, in the order of the campaign."""
    found: int = 0
    """The visit at which it was proven."""
    changed: int = 0
    """The visit at which its certificate was last improved, or else proven."""
    seconds: float = 0.0
    """Running time of the campaign when it was found."""
    cause: Cause = UNNAMED
    is_brief: bool = False
    """True if the store keeps the runs of its certificate alone: the task gives the rest."""

    @property
    def id(self) -> str:
        """The name of the bug."""
        return self.bug.id


CostBugRow = BugRow[Bug]


@dataclass(frozen=True)
class RejectedRow:
    """A claim of an oracle whose certificate the checker did not accept: a fault of ours."""

    case: int
    oracle: str
    reason: str
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)
    """None where the claim did not even allow to write one."""
    position: int = 0
    """Of the state it is about, where the case is a run."""


@dataclass(frozen=True)
class UnprovenRow:
    """A claim of an oracle whose proof is too large or cannot be checked, so it is not a bug."""

    case: int
    oracle: str
    kind: str
    reason: str
    position: int = 0


@dataclass(frozen=True)
class UnstableRow:
    """Two answers of the policy in one state on the run of what would have been a bug."""

    case: int
    position: int
    """Of the state, on the run or behind it in the proof."""
    state: str
    """As JSON: the facts that can change, or the values of variables by name."""
    first: str
    """The answer that the run has, in words."""
    second: str
    """The answer when it was asked again."""
    claim: str = ""
    """The id of what would have been the bug."""
    cause: str = ""
    """Of an answer under another hash seed, the option for which the bug stays a bug."""


@dataclass(frozen=True)
class DeterminismCheck:
    """The result of asking again about runs without a bug."""

    cases: int
    """The number of judged cases, of which the sample was drawn."""
    states: int
    """The states in which the policy was asked again, or from which it made a plan again."""
    wanted: int
    calls: int
    differing: int
    """The states in which some answer was another one."""
    rows: tuple[UnstableRow, ...] = ()
    """The first of them, with both answers."""
    cut: str = ""
    """The option that kept the policy from being asked in all states that were wanted."""
    alike: int = 0
    """The further states in which the policy fails for the same reason as in a few runs.

    Only where each of these failed at its first decision, and it fails so in all states that it
    was asked about.
    """

    @property
    def is_complete(self) -> bool:
        """Return true if the policy was asked in all states that were wanted, and stood by it."""
        return not self.differing and self.states >= self.wanted

    @property
    def sentence(self) -> str:
        """Say in how many states the policy gave two answers."""
        asked = counted(self.states, "state")
        return (
            f"unstable: the policy gave different answers in {self.differing} of {asked} when "
            "asked again"
        )

    def settles(self, cases: int) -> bool:
        """Return true if there is no need to ask again where so many cases are judged."""
        return self.cases == cases and (self.is_complete or self.differing > 0)

    @property
    def is_missing(self) -> bool:
        """Return true if the policy could not be asked again in any state."""
        return not self.states and self.wanted > 0 and not self.differing

    def joined(self, before: DeterminismCheck | None) -> DeterminismCheck:
        """This one with the differences that an earlier session has found: they stay."""
        if before is None or not before.differing:
            return self
        return replace(
            self,
            states=self.states + before.states,
            wanted=self.wanted + before.wanted,
            differing=self.differing + before.differing,
            rows=(*before.rows, *self.rows)[:MOST_CHANGES_KEPT],
        )


@dataclass(frozen=True)
class BoundRow:
    """An earlier case must be a bug with at least this gap, though no better run is known."""

    case: int
    oracle: str
    gap: float
    reason: str


@dataclass(frozen=True)
class Sighting:
    """A bug occurs in the run of a case, be it new or not."""

    position: int
    bug: str
    """Its id."""


@dataclass(frozen=True)
class Lesson:
    """A text that a learning oracle wants to get again when the campaign is resumed."""

    oracle: str
    content: bytes
    of_task: bytes = b""
    """The part that does not depend on the policy."""


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
    """The reason why the policy gave no usable action, if that ended the run."""
    whole: Mapping[str, Any] | None = field(default=None, repr=False)
    """The run as certificates have it; kept where an oracle learns from runs."""
    trace: str = field(default="", repr=False)
    """The traceback and the last words of a crash that ended it."""
    action: int | None = None
    """The policy's action in the state, where the run comes from a policy graph and takes it."""


@dataclass(frozen=True)
class VerdictRow:
    """The verdict of one oracle on a state, and the time it took."""

    oracle: str
    verdict: Verdict
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Finding:
    """Everything that was found out at one visit."""

    visit: Visit
    run: Any = None
    """The part on the case itself, by the kind of campaigns: for cost testing a `RunRow`."""
    verdicts: tuple[Any, ...] = ()
    """One per oracle, each with its spec as `oracle`."""
    bugs: tuple[BugRow[Any], ...] = ()
    """New ones, those of earlier cases first."""
    improved: tuple[BugRow[Any], ...] = ()
    """Known bugs whose certificates have become better, or that one more oracle has found."""
    bounds: tuple[BoundRow, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    unproven: tuple[UnprovenRow, ...] = ()
    rejected: tuple[RejectedRow, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    unstable: tuple[UnstableRow, ...] = ()

    def at(self, number: int) -> Finding:
        """The same as found at the visit of this number: judges do not know how many came before.

        For findings of judges without memory, whose bugs are all new.
        """
        bugs = tuple(replace(row, found=number, changed=number) for row in self.bugs)
        return replace(self, visit=replace(self.visit, number=number), bugs=bugs)

    def about(self, visit: Visit) -> Finding:
        """The same of another case that is equal, at a visit to it.

        For findings of judges without memory, which are about their own case alone.
        """
        parts = {
            name: tuple(replace(row, case=visit.case) for row in getattr(self, name))
            for name in ("bugs", "unproven", "rejected", "unstable")
        }
        return replace(self, visit=visit, **parts)

    def with_sightings(self, known: Collection[str]) -> Finding:
        """The same, with sightings in place of bugs that are known already, by their ids."""
        again = [row for row in self.bugs if row.id in known]
        return replace(
            self,
            bugs=tuple(row for row in self.bugs if row.id not in known),
            sightings=(*self.sightings, *(Sighting(0, row.id) for row in again)),
        )

    def with_causes(self, cause_of: Callable[[Mapping[str, Any]], Cause]) -> Finding:
        """The same with the causes of all bugs, by their certificates."""
        bugs, improved = (
            tuple(replace(row, cause=cause_of(row.bug.certificate)) for row in rows)
            for rows in (self.bugs, self.improved)
        )
        return replace(self, bugs=bugs, improved=improved)
