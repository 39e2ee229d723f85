"""Asks a policy of which a limit on bugs left only a few runs, all of which failed at once.

Was it never connected as it should be? Three runs tell; where there are fewer, other states are
asked about, so that the verdict does not depend on the limit.
"""

from __future__ import annotations

import numpy as np

from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.policy_failures import FEWEST_RUNS, MISTAKES, is_one_reason
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.determinism import JudgedRuns
from bugsieve.pipeline.judging.findings import DeterminismCheck
from bugsieve.tasks.grounded.task import StateArray, Task

_MOST_STATES = 8


def fails_alike(bench: Bench, summary: CostSummary, judged: JudgedRuns) -> DeterminismCheck | None:
    """Count other states in which the policy fails as in the few runs; None if that is known."""
    is_known = summary.begun or summary.decided >= FEWEST_RUNS or len(summary.troubles) != 1
    if is_known or not set(summary.troubles) <= set(MISTAKES):
        return None
    ((ending, trouble),) = summary.troubles.items()
    calls = bench.decisions_taken
    table = bench.runs(_states_beside(bench.task, judged.states), step_limit=1)
    failures = [table.failure(row) for row in range(len(table))]
    found = [one for one in failures if one is not None and one.ending.label == ending]
    is_alike = len(found) == len(failures) and is_one_reason(
        [trouble.reason, *(one.detail for one in found)]
    )
    return DeterminismCheck(
        cases=len(judged),
        states=0,
        wanted=0,
        calls=bench.decisions_taken - calls,
        differing=0,
        alike=len(found) if is_alike else 0,
    )


def _states_beside(task: Task, states: StateArray) -> StateArray:
    """Some states that actions lead to from the given ones, without these and without goals."""
    known = {state.tobytes() for state in states}
    waiting, found = list(states), []
    for state in waiting:
        operators, _ = task.applicable(state[None])
        after = task.successors(np.repeat(state[None], len(operators), axis=0), operators)
        for other, is_goal in zip(after, task.is_goal(after).tolist(), strict=True):
            if other.tobytes() not in known:
                known.add(other.tobytes())
                waiting.append(other)
                found += [] if is_goal else [other]
        if len(found) >= _MOST_STATES:
            break
    return np.array(found[:_MOST_STATES], dtype=np.uint16).reshape(-1, states.shape[1])
