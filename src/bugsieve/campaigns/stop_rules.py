"""When campaigns stop before all their work is done, and the checks of such numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

from bugsieve.basis.arguments import check_fields
from bugsieve.basis.errors import UsageError


@dataclass(frozen=True)
class StopRules:
    """When a campaign ends before all its work is done; None means never."""

    max_time: float | None = None
    """Seconds of running time, all sessions together."""
    max_bugs: int | None = None
    """The first so many bugs, in the order of the test states or walks."""
    until_stale: float | None = None
    """Seconds without a new bug."""
    stale_rounds: int | None = None
    """Rounds without a new bug; unlike seconds, the same on every machine."""

    def __post_init__(self) -> None:
        require_number(self.max_time, "max_time")
        require_count(self.max_bugs, "max_bugs")
        require_number(self.until_stale, "until_stale")
        require_count(self.stale_rounds, "stale_rounds")
        check_fields(self)


def require_count(value: int | None, name: str) -> None:
    """UsageError unless it is None or a whole number of at least 1."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and not (is_whole and value >= 1):
        raise UsageError(f"{name} must be a whole number of at least 1, got {value!r}")


def require_number(value: float | None, name: str) -> None:
    """UsageError unless it is None or a number of seconds above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (is_number and value > 0 and not math.isnan(value)):
        raise UsageError(f"{name} must be a number of seconds above 0, got {value!r}")


def require_utf8(text: str) -> None:
    """Options are kept in text files, which cannot hold a name that is no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{text}: the name is no valid UTF-8, rename the file") from None
