"""What a search may spend, and the check of such numbers."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import overload

from bugsieve.basis.errors import UsageError

_LARGEST = 2**63 - 1
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
        whole_number(self.expansions, "a limit on expansions", least=0)
        whole_number(self.bytes, "a limit on bytes", least=0)
        if self.seconds is not None and not _is_duration(self.seconds):
            raise UsageError(
                f"a time limit must be a number of seconds, at least 0, got {self.seconds!r}"
            )


@overload
def whole_number(value: int, what: str, *, least: int | None = None) -> int: ...
@overload
def whole_number(value: int | None, what: str, *, least: int | None = None) -> int | None: ...
def whole_number(value: int | None, what: str, *, least: int | None = None) -> int | None:
    """The number as the core takes it, with 64 bits; UsageError unless it is whole and allowed."""
    if value is None:
        return None
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{what} must be a whole number, got {value!r}") from None
    if least is not None and number < least:
        raise UsageError(f"{what} must be at least {least}, got {number}")
    return max(-_LARGEST, min(number, _LARGEST))


def _is_duration(seconds: float) -> bool:
    return isinstance(seconds, Real) and bool(seconds >= 0)  # nan is not


NO_LIMITS = Limits()
