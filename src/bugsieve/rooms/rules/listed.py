"""The names that `bugsieve list` shows of flight rules."""

from __future__ import annotations

from bugsieve.rooms.rules.ltl.causes import CRITERIA
from bugsieve.rooms.rules.ltl.patterns import PATTERNS


def criteria() -> dict[str, str]:
    """The criteria that count as a cause."""
    return {str(name): text for name, text in CRITERIA.items()}


def patterns() -> dict[str, str]:
    """The patterns that rules files may name in place of a formula."""
    return {name: pattern.meaning for name, pattern in PATTERNS.items()}
