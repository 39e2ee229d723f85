"""Counts the questions to a policy, and keeps to a budget of them."""

from __future__ import annotations

from bugsieve.base.stopping import Stopped


class CallsSpent(Stopped):
    """The next questions would be more than the budget has left; none of them was asked."""


class CallCounter:
    """The questions that a source of runs has asked its policy."""

    def __init__(self) -> None:
        self.made = 0
        self.again = 0
        """Questions beside these, which compare answers; the budget counts them, too."""
        self.most: int | None = None
        """The budget, all questions together; None for no limit."""

    @property
    def left(self) -> int | None:
        """The part of the budget that is left; None for no limit."""
        return None if self.most is None else max(0, self.most - self.made - self.again)

    def claim(self, calls: int) -> None:
        """Raise CallsSpent if so many questions more are too many."""
        if self.left is not None and calls > self.left:
            raise CallsSpent

    def add(self, calls: int) -> None:
        """Count questions that were answered."""
        self.made += calls
