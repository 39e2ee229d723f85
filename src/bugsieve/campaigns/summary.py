"""What a campaign has come to, whatever its kind, and the exit code that says so."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bugsieve.campaigns.troubles import Trouble
from bugsieve.judging.findings import RejectedRow

BUGS_FOUND = 1
OUR_FAULT = 3
NOTHING_TESTED = 5
LEFT_OPEN = 6


class Outcome(enum.Enum):
    """What a campaign says of the policy."""

    BUG = "bug"
    """There are bugs, proven ones or such that are certain without a proof."""
    FINE = "fine"
    """None was found, and nothing was left open."""
    UNDECIDED = "undecided"
    """No run of the policy said anything, or it fails and nobody knows whether it had to."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What campaigns of every kind have done so far, all sessions together."""

    open_noun: ClassVar[str] = "failing run"
    """What a case is that nobody could decide."""

    reason: str | None
    """Why it has finished; None if there is more to do."""
    seconds: float
    walks: int
    steps: int
    bugs: int
    bugs_by_kind: Mapping[str, int]
    rejected: tuple[RejectedRow, ...]
    """Claims that the checker did not believe: each is a fault in Bugsieve."""
    troubles: Mapping[str, Trouble]
    """What went wrong because the policy gave no usable answer, by kind."""

    @property
    def certain(self) -> int:
        """Bugs that must be there, but for which nobody has a proof."""
        return 0

    @property
    def is_telling(self) -> bool:
        """Whether anything was found out about the policy."""
        return True

    @property
    def undecided(self) -> int:
        """Cases in which the policy fails and nobody knows whether it had to."""
        return 0

    @property
    def unanswered(self) -> str | None:
        """Why nothing could be tested, if the policy gave no answer in any run; else None."""
        return None

    @property
    def would_decide(self) -> str:
        """What would tell more where something was left open."""
        return "more cases"

    @property
    def outcome(self) -> Outcome:
        """What it says of the policy."""
        if self.bugs or self.certain:
            return Outcome.BUG
        is_fine = self.is_telling and not self.undecided
        return Outcome.FINE if is_fine else Outcome.UNDECIDED

    @property
    def exit_code(self) -> int:
        """What a command returns that ran the campaign.

        1 for bugs, proven or certain; 6 if there are none but failing cases were left open, 5 if
        nothing said anything; 3 if a claim is wrong.
        """
        if self.rejected:
            return OUR_FAULT
        if self.outcome is Outcome.UNDECIDED:
            return LEFT_OPEN if self.is_telling else NOTHING_TESTED
        return BUGS_FOUND if self.outcome is Outcome.BUG else 0
