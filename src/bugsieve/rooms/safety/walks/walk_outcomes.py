"""Ends of walks through a model; stores know the names, and need nothing else of walks."""

from __future__ import annotations

from enum import Enum


class WalkOutcome(Enum):
    """The end of a walk; in the order of the numbers that the core has for them."""

    UNSAFE = "unsafe"
    EXHAUSTED = "exhausted"
    """At the goal, or the lookahead has seen all that the policy can reach from there."""
    LOOP = "loop"
    """The walk is back in a state, without a random choice since: it would go on forever."""
    STEP_LIMIT = "step limit"
    DEAD_END = "dead end"
    """No action is applicable: nothing more happens, so danger is not reached."""
    NO_ACTION = "no action"
    """The policy gave none, there or in a state that the lookahead saw when it ended."""
    ILLEGAL_ACTION = "illegal action"
    """It chose one that is not applicable, there or in a state that the lookahead saw."""

    @property
    def is_failure(self) -> bool:
        """Return true if the policy let the run end where it had to act."""
        return self in (WalkOutcome.NO_ACTION, WalkOutcome.ILLEGAL_ACTION)
