"""Oracles that learn: what they say of a case depends on the cases before it.

A learning oracle is told of every case in the order of the campaign, one after the other. Of the
policy it knows only what the runs of its cases have shown it, in that order: never what a policy
graph happens to hold, since that depends on batches, workers and resuming. So its answers are the
same however the work around it is cut up.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.errors import InternalError
from bugsieve.pipeline.bench import Origin, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.tasks.grounded.task import StateArray


@dataclass(frozen=True, eq=False)
class KnownCase:
    """A case with the policy's run from it, as far as the campaign knows both."""

    number: int
    state: StateArray
    value: float
    """The policy's, under the objective; NaN where its run does not determine one."""
    run: Mapping[str, Any]
    """As certificates have it: operators, ending, cost and so on."""
    origin: Origin | None = None


@dataclass(frozen=True)
class Revision:
    """A verdict of a visit on an earlier case: a bug, or (implied) a better bound."""

    case: int
    verdict: Verdict


@dataclass(frozen=True)
class Learnt:
    """The verdict of a learning oracle on a case, and its revisions of earlier ones."""

    verdict: Verdict
    revisions: tuple[Revision, ...] = ()
    lesson: bytes = field(default=b"", repr=False)
    """The lesson that it wants to get again when the campaign is resumed; may be empty."""
    of_task: bytes = field(default=b"", repr=False)
    """The lesson on the task, valid for every policy, for tests of other policies."""


@dataclass(frozen=True)
class Heard:
    """The conclusions of a learning oracle from another one's verdict."""

    lesson: bytes = field(default=b"", repr=False)
    """The lesson that it wants to get again when the campaign is resumed; may be empty."""
    revisions: tuple[Revision, ...] = ()
    """The new verdicts on earlier cases."""


class LearningOracle(Oracle):
    """Base of oracles with a memory."""

    @property
    def learns(self) -> bool:
        """Return true: it has a memory."""
        return True

    @property
    def note(self) -> str | None:
        """The note on it for users, although no verdict says so."""
        return None

    @abstractmethod
    def learn(self, case: KnownCase) -> Learnt:
        """Judge the next case of the campaign and remember what it shows."""

    @abstractmethod
    def recall(self, lessons: Iterable[tuple[KnownCase, bytes]]) -> None:
        """Make the memory again from all cases so far, in order, each with its lessons.

        A lesson is what `learn` or `hear` gave; a case has one of `learn`, and some of `hear`.
        """

    def recall_task(self, parts: Iterable[bytes]) -> None:
        """Take over what was learnt of the task in tests of other policies, before any case."""

    def hear(self, case: KnownCase, verdict: Verdict) -> Heard:
        """Take note of what another oracle says of the case it has just learnt.

        Only combined oracles tell: those that are listed side by side never know of each other.
        """
        return Heard()

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """Learning oracles are told of one case after the other instead."""
        raise InternalError(f"oracle {self.spec} learns: it cannot judge states by themselves")
