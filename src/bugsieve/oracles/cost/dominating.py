"""What oracles share that compare states by a dominance function."""

from __future__ import annotations

from bugsieve.basis.errors import UsageError
from bugsieve.benches.bench import Bench
from bugsieve.bugs.cost.verdict import Verdict, implied
from bugsieve.dominance import DominanceFunction, DominanceOptions
from bugsieve.oracles.oracle import Oracle
from bugsieve.search import greedy
from bugsieve.tasks.fdr.task import StateArray

TRANSITIONS = "transitions="
"""Before the limit on the size of merged factors, 0 for one factor per variable."""


def variants_of(text: str, *, allowed: str) -> tuple[bool, DominanceOptions]:
    """What may follow a number in a spec: one word, and the size of merged factors."""
    is_allowed, options = False, DominanceOptions()
    for part in text.split(":") if text else ():
        number = part.removeprefix(TRANSITIONS)
        if part == allowed:
            is_allowed = True
        elif part.startswith(TRANSITIONS) and number.isascii() and number.isdecimal():
            options = DominanceOptions(max_transitions=int(number[:18]))
        else:
            raise UsageError(
                f"after the number comes {allowed!r} or {TRANSITIONS + 'N'!r}, got {part[:40]!r}"
            )
    return is_allowed, options


def objection_to_dominance(bench: Bench) -> str | None:
    """Why dominance functions say nothing about bugs on this bench; None if they do."""
    objective = bench.objective
    if not objective.takes_any_plan or objective.alternatives().task is not bench.task:
        return f"it compares plans for the goal alone, which the objective {objective.spec} is not"
    return DominanceFunction.objection(bench.task)


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
        return oracle.confirm(state, value, found.plan, f"{reason}, and was found")
    objective = oracle.bench.objective
    other = float(bound) if objective.costs_count else objective.best
    return implied(reason, gap=objective.gap(value, other))
