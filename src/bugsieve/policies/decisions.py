"""The answers of a policy for a batch of states, and the endings of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, unique

import numpy as np

from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray


@unique
class Ending(IntEnum):
    """The ending of a policy run; small integers, so that a whole batch of endings is an array."""

    SOLVED = 1
    LOOP = 2
    NO_ACTION = 3
    ILLEGAL_ACTION = 4
    STEP_LIMIT = 5
    POLICY_CRASH = 6
    POLICY_HANG = 7

    @property
    def label(self) -> str:
        """The ending in words, as printed and as written to JSON: `"policy crash"`."""
        return self.name.lower().replace("_", " ")

    def __str__(self) -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return format(self.label, spec)


@dataclass(frozen=True)
class Failure:
    """The reason why a policy gave no usable action: it crashed, hung or broke the rules."""

    ending: Ending
    detail: str
    excused: bool = False
    """True if no decision is to blame: it never got ready, or our memory limit stopped it."""
    action: int = field(default=NO_ACTION, compare=False)
    """The action that is not applicable; NO_ACTION where it was not even the number of one."""
    trace: str = field(default="", compare=False, repr=False)
    """The traceback and the last words of a crash, where they are known."""


@dataclass(frozen=True)
class Decisions:
    """One action per state (or NO_ACTION), and a failure for each row that has no answer."""

    actions: ActionArray
    failures: Mapping[int, Failure] = field(default_factory=dict)

    @staticmethod
    def of(rows: Iterable[int | Failure]) -> Decisions:
        """The decisions that are listed row by row."""
        listed = list(rows)
        failures = {n: row for n, row in enumerate(listed) if isinstance(row, Failure)}
        actions = [NO_ACTION if isinstance(row, Failure) else row for row in listed]
        return Decisions(np.array(actions, dtype=np.int32), failures)

    def rows(self, rows: Iterable[int]) -> Decisions:
        """Some of the decisions, in the given order."""
        chosen = list(rows)
        failures = {n: self.failures[row] for n, row in enumerate(chosen) if row in self.failures}
        return Decisions(self.actions[chosen], failures)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Decisions that a policy has given, each with its state."""

    states: StateArray
    decisions: Decisions
