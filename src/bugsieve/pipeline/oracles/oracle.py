"""The common part of all oracles: they judge batches of suspects within limits."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive, passed
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits


class Oracle(ABC):
    """Says of each suspect whether it is a bug; bound to one bench.

    A verdict depends on the suspect and the limits alone, never on the rest of the batch, and a
    larger limit never loses a bug.
    """

    usage: ClassVar[str]
    """The form of its specs."""

    @property
    def prepared_seconds(self) -> float:
        """The seconds it once took to compute what it reads from disk, for comparisons."""
        return 0.0

    @property
    def learns(self) -> bool:
        """Return true if it has a memory: see `bugsieve.pipeline.oracles.learning`."""
        return False

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.bench = bench
        self.spec = spec
        self.limits = limits

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """None, or why this oracle cannot judge on this bench."""
        return None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError where no bench could make `name:argument` right."""
        if argument is not None:
            raise UsageError("it takes no argument")

    @abstractmethod
    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""

    def close(self) -> None:  # noqa: B027 - most oracles hold nothing that must be let go
        """Let go of processes and files."""

    def settled(self, suspects: Suspects, row: int) -> Verdict | None:
        """The verdict that needs no oracle: the policy's value is unknown or cannot be beaten."""
        value = float(suspects.values[row])
        if math.isnan(value):
            ending = Ending(int(suspects.runs.endings[row])).label
            return inconclusive(f"the value of the policy's run is unknown ({ending})")
        if not self.bench.objective.is_bug(value, self.bench.objective.best):
            return passed("no run can be better than the policy's")
        return None

    def confirm(
        self,
        state: StateArray,
        policy_value: float,
        plan: tuple[int, ...],
        reason: str,
        *,
        exact: bool = False,
    ) -> Verdict:
        """A bug if following the plan is better than the policy, inconclusive otherwise."""
        objective = self.bench.objective
        value = objective.plan_value(state, plan)
        if not objective.is_bug(policy_value, value):
            return inconclusive("no better run found")
        gap = objective.gap(policy_value, value)
        return Verdict(Outcome.BUG, reason, plan, value, gap, exact or objective.is_final(value))
