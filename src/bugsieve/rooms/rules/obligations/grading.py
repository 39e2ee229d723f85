"""Grades: the verdict of the scale for an answer to "is there a violation?"."""

from __future__ import annotations

from bugsieve.rooms.rules.obligations.answers import Verdict
from bugsieve.rooms.rules.scale import (
    BOUNDED,
    HOLDS,
    NEVER,
    NOT_JUDGED,
    SAFETY,
    UNDECIDED,
    VIOLATED,
    Grade,
)


def graded(verdict: Verdict | None, *, is_forbidden: bool, bound: int | None = None) -> Grade:
    """The grade of a rule by the answer to its violation; None where that was not judged."""
    match verdict:
        case None:
            return NOT_JUDGED
        case "failed":
            return VIOLATED
        case "safety part holds":
            return SAFETY
        case "passed" if bound is not None:
            return BOUNDED
        case "passed" | "infeasible":
            return NEVER if is_forbidden else HOLDS
        case _:
            return UNDECIDED
