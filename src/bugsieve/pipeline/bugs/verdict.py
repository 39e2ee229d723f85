"""The verdict of an oracle on one state."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Outcome(enum.Enum):
    """The four answers of an oracle."""

    PASS = "pass"
    """Proven: no run from the state is better than the policy's."""
    BUG = "bug"
    """Proven by a better run."""
    IMPLIED = "implied"
    """A better run must exist, but none was produced within the budget; counted separately."""
    INCONCLUSIVE = "inconclusive"
    """The oracle cannot tell."""


@dataclass(frozen=True)
class Verdict:
    """An outcome with its evidence."""

    outcome: Outcome
    reason: str = ""
    """Half a sentence: why it is a pass, implied or inconclusive, or how the bug was found."""
    plan: tuple[int, ...] | None = None
    """For a bug, the better run: operators that lead from the state to the goal."""
    value: float | None = None
    """The value of that run under the objective."""
    gap: float = 0.0
    """A lower bound on the gap; infinite where the policy fails and cost counts."""
    exact: bool = False
    """True if the value is optimal, hence the gap exact."""
    expanded: int = field(default=0, compare=False)
    """States expanded by searches for it, as far as the oracle counts them."""

    @property
    def is_bug(self) -> bool:
        """Return true if there is a proof that the policy could have done better."""
        return self.outcome is Outcome.BUG


def inconclusive(reason: str) -> Verdict:
    """The oracle cannot tell, and why."""
    return Verdict(Outcome.INCONCLUSIVE, reason)


def passed(reason: str) -> Verdict:
    """The verdict that no run is better, and how that is known."""
    return Verdict(Outcome.PASS, reason)


def implied(reason: str, *, gap: float) -> Verdict:
    """There must be a better run, and why."""
    return Verdict(Outcome.IMPLIED, reason, gap=gap)
