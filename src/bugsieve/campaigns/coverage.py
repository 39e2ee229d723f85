"""How much of what can be reached a campaign has tested: what its verdict may say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of what can be reached was tested."""

    reachable: int | None = None
    """States that were counted; None where they were not."""
    is_counted: bool = False
    """Every reachable state was counted; else there are more than `reachable`."""
    with_plan: int | None = None
    """Of a whole state space: the states from which a plan exists."""
    is_whole: bool = False
    """Every reachable state that the options select is a test state and was judged."""
    is_proven: bool = False
    """A certificate of "no bugs" was accepted by the checker."""
