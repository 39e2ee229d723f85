"""What oracles may spend on a case: usually, and at each level above, where it was left open."""

from __future__ import annotations

from bugsieve.tasks.search_limits import Limits

DEFAULT_LIMITS = Limits(expansions=20_000, bytes=1 << 30)
"""Per state. Expansions, not seconds: verdicts must not depend on the load of the machine."""

MOST_EXPANSIONS = 10**12
MOST_LEVELS = 12
"""From one expansion to the most."""

_FACTOR = 10


def level_limits(expansions: int | None, most: int) -> tuple[int, ...]:
    """Expansions at level 1, 2, …: ten times more each, the last `most`; none if that is less."""
    limits: list[int] = []
    last = most if expansions is None else max(expansions, 1)
    while last < most:
        last = min(last * _FACTOR, most)
        limits.append(last)
    return tuple(limits)
