"""Common parts of oracles that compare states by a dominance function."""

from __future__ import annotations

from functools import cached_property

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Verdict, implied
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import greedy

TRANSITIONS = "transitions="
"""Before the limit on the size of merged factors, 0 for one factor per variable."""

_MOST_TRANSITIONS = 10**15


class DominatingOracle(Oracle):
    """Base of oracles with a dominance function."""

    options = DominanceOptions()

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """Objectives that not every plan serves, and tasks without a dominance function."""
        objective = bench.objective
        if not objective.takes_any_plan or objective.alternatives().task is not bench.task:
            return (
                "it compares plans for the goal alone, which the objective "
                f"{objective.spec} is not"
            )
        return DominanceFunction.objection(bench.task)

    @property
    def prepared_seconds(self) -> float:
        """The time that the dominance function has taken, if it was computed before."""
        return DominanceFunction.seconds_on_disk(self.bench.task, self.options)

    @cached_property
    def function(self) -> DominanceFunction:
        """Made with the first state, so that its time is part of the oracle's."""
        return DominanceFunction.of(self.bench.task, self.options)


def number_in(text: str, most: int) -> int | None:
    """The whole number from 0 to `most` that the text stands for; None for other texts."""
    digits = text.lstrip("0") or text[:1]
    if not (text.isascii() and text.isdecimal()) or len(digits) > len(str(most)):
        return None
    return int(digits) if int(digits) <= most else None


def variants_of(text: str, *, allowed: str) -> tuple[bool, DominanceOptions]:
    """The words that may follow a number in a spec: one word, and the size of merged factors."""
    is_allowed, options = False, DominanceOptions()
    for part in text.split(":") if text else ():
        most = number_in(part.removeprefix(TRANSITIONS), _MOST_TRANSITIONS)
        if part == allowed:
            is_allowed = True
        elif part.startswith(TRANSITIONS) and most is not None:
            options = DominanceOptions(max_transitions=most)
        else:
            raise UsageError(
                f"after the number comes {allowed!r} or {TRANSITIONS + 'T'!r} with T up to "
                f"{_MOST_TRANSITIONS}, got {part[:40]!r}"
            )
    return is_allowed, options


def proven(
    oracle: Oracle,
    state: StateArray,
    value: float,
    bound: int,
    plan: tuple[int, ...] | None,
    reason: str,
) -> Verdict:
    """The verdict on a state from which a plan of cost `bound` must exist, less than the policy's.

    `plan` is what replaying its reasons has given. Where that is nothing, or too dear, a search
    up to the bound takes its place; if that ends without a plan, the bug is implied only.
    """
    if plan is not None:
        verdict = oracle.confirm(state, value, plan, reason)
        if verdict.is_bug:
            return verdict
    found = greedy(oracle.bench.task, state, limits=oracle.limits, cost_bound=bound + 1)
    if found.plan is not None:
        return oracle.confirm(
            state, value, found.plan, f"{reason}; found by a search up to that cost"
        )
    objective = oracle.bench.objective
    other = float(bound) if objective.costs_count else objective.best
    return implied(reason, gap=objective.gap(value, other))
