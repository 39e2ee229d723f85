"""What a campaign has come to, whatever its kind, and the exit code that says so."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from bugsieve.campaigns.troubles import Trouble
from bugsieve.judging.findings import RejectedRow

BUGS_FOUND = 1
OUR_FAULT = 3
NOTHING_TESTED = 5


class Outcome(enum.Enum):
    """What a campaign says of the policy."""

    BUG = "bug"
    """There are bugs, proven ones or such that are certain without a proof."""
    FINE = "fine"
    """None was found."""
    UNDECIDED = "undecided"
    """No run of the policy said anything."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What campaigns of every kind have done so far, all sessions together."""

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
    def unanswered(self) -> str | None:
        """Why nothing could be tested, if the policy gave no answer in any run; else None."""
        return None

    @property
    def would_decide(self) -> str:
        """What would tell more where nothing said anything."""
        return "more cases"

    @property
    def outcome(self) -> Outcome:
        """What it says of the policy."""
        if self.bugs or self.certain:
            return Outcome.BUG
        return Outcome.FINE if self.is_telling else Outcome.UNDECIDED

    @property
    def exit_code(self) -> int:
        """1 for bugs, proven or certain; 5 if nothing said anything; 3 if a claim is wrong."""
        if self.rejected:
            return OUR_FAULT
        codes = {Outcome.BUG: BUGS_FOUND, Outcome.FINE: 0, Outcome.UNDECIDED: NOTHING_TESTED}
        return codes[self.outcome]
