"""Limits of what a search may spend."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from bugsieve.base.arguments import whole_number_or_none
from bugsieve.base.errors import UsageError

SECONDS_OF_AGES = 10**12
"""Longer than any search; whole numbers without end do not fit a float."""


@dataclass(frozen=True)
class Limits:
    """What a search may spend; None means no limit, 0 that nothing is left to spend.

    - `expansions`: states whose successors are generated.
    - `seconds`: time on the clock, counted from the start of the search.
    - `bytes`: memory of the states that it remembers.
    """

    expansions: int | None = None
    seconds: float | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        whole_number_or_none(self.expansions, "a limit on expansions", least=0)
        whole_number_or_none(self.bytes, "a limit on bytes", least=0)
        if self.seconds is not None and not _is_duration(self.seconds):
            raise UsageError(
                f"a time limit must be a number of seconds, at least 0, got {self.seconds!r}"
            )


def _is_duration(seconds: float) -> bool:
    return isinstance(seconds, Real) and bool(seconds >= 0)  # nan is not


NO_LIMITS = Limits()
