"""Asks again whether what a campaign has found is still so, whatever its kind.

Kinds of campaigns of policies have most in common: `PolicyReplay`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.campaigns.greens import GreenReplay, GreenStatus
from bugsieve.campaigns.named_bugs import named_bugs
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.pipeline.bugs.replay import ReplayResult, ReplayStatus
from bugsieve.pipeline.judging.findings import BugRow

BUG_IS_THERE = 1
NOT_REPLAYABLE = 5


@dataclass(frozen=True)
class ReplayWish:
    """What is to be asked again."""

    folder: Path
    bugs: tuple[str, ...] = ()
    """Ids, or their first characters; empty for all."""
    policy: str | None = None
    """Another policy than the campaign's."""
    domain: Path | None = None
    """Another domain than the campaign's."""


@dataclass(frozen=True)
class Replayed:
    """What has become of one thing that was found."""

    line: str
    report: dict[str, Any]
    """The same for programs."""
    check: Check
    """The same for build servers."""


class Replay(Protocol):
    """Asks about one thing after the other; then it knows what came of all."""

    def replayed(self) -> Iterator[Replayed]:
        """Ask about everything, in order."""
        ...

    def count_lines(self) -> list[str]:
        """How many of each status there were, for people."""
        ...

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        ...


class PolicyReplay(ABC):
    """Asks a policy about its bugs, or about all states of the proof that it has none."""

    records: ClassVar[type[CampaignRecords[Any]]]

    def __init__(self, wish: ReplayWish) -> None:
        if wish.domain is not None:
            raise UsageError("--domain is for tests of rules; another policy is named by --policy")
        self.wish = wish
        self._statuses: Counter[ReplayStatus] = Counter()
        self._green: GreenReplay | None = None

    @abstractmethod
    def open(self, header: CampaignHeader) -> AbstractContextManager[Any]:
        """The policy on what it was tested on."""

    @abstractmethod
    def replay_bugs(
        self, tested: Any, rows: list[BugRow[Any]]
    ) -> Iterator[tuple[BugRow[Any], ReplayResult]]:
        """Ask about these bugs."""

    @abstractmethod
    def stored_green(self) -> Any | None:
        """The certificate of a campaign without bugs, checked anew; None if there is none."""

    @abstractmethod
    def replay_green(self, tested: Any, green: Any) -> GreenReplay:
        """Ask about every state of a certificate."""

    def replayed(self) -> Iterator[Replayed]:
        """Ask about the certificate, if there is one and no bug is named, or else about bugs."""
        green = None if self.wish.bugs else self.stored_green()
        if green is not None:
            yield self._replayed_green(green)
            return
        with self.records(self.wish.folder) as records:
            rows, header = named_bugs(records, self.wish.bugs), records.header
        with self.open(header) as tested:
            for row, result in self.replay_bugs(tested, rows):
                self._statuses[result.status] += 1
                yield _replayed_bug(row, result, str(self.wish.folder))

    def count_lines(self) -> list[str]:
        """How many bugs there were of each status, in the order of their first ones."""
        total = self._statuses.total()
        if total <= 1:
            return []
        parts = (f"{count} {status.value.lower()}" for status, count in self._statuses.items())
        return [f"{total} bugs: {', '.join(parts)}"]

    @property
    def exit_code(self) -> int:
        """Whether a bug is still there, or the proof lost."""
        if self._green is not None:
            return 0 if self._green.status is GreenStatus.PROOF_HOLDS else BUG_IS_THERE
        there = {ReplayStatus.STILL_FAILS, ReplayStatus.IMPROVED, ReplayStatus.FLAKY}
        if there & self._statuses.keys():
            return BUG_IS_THERE
        return NOT_REPLAYABLE if ReplayStatus.CANNOT_REPLAY in self._statuses else 0

    def _replayed_green(self, green: Any) -> Replayed:
        with self.records(self.wish.folder) as records:
            header = records.header
        with self.open(header) as tested:
            found = self._green = self.replay_green(tested, green)
        report = {
            "status": found.status.value.lower(),
            "sentence": found.sentence,
            "asked": found.asked,
            "changed": found.changed,
        }
        line = f"{found.status.value}: {found.sentence}"
        return Replayed(line, report, found.check(self.wish.folder))


def _replayed_bug(row: BugRow[Any], result: ReplayResult, group: str) -> Replayed:
    report = {
        "id": row.id,
        "kind": row.bug.kind,
        "status": result.status.value.lower(),
        "sentence": result.sentence,
        "differs_at": result.differs_at,
    }
    line = f"{row.id}  {result.status.value}: {result.sentence}"
    return Replayed(line, report, _check(row.id, group, result))


def _check(bug: str, group: str, result: ReplayResult) -> Check:
    """Return what build servers are told: all but FIXED is not a pass."""
    outcome: CheckOutcome = "failure"
    if result.status in (ReplayStatus.FIXED, ReplayStatus.CANNOT_REPLAY):
        outcome = "passed" if result.status is ReplayStatus.FIXED else "undecided"
    return Check(bug, group, outcome, f"{result.status.value}: {result.sentence}")
