"""Which endings of a run settle its value: failures do, unless they say nothing of decisions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray
from tests.unit.policies.line import at, line_task

CRASH, HANG = Ending.POLICY_CRASH, Ending.POLICY_HANG
FAILURES = {0: Failure(CRASH, "a"), 1: Failure(CRASH, "b", excused=True), 2: Failure(HANG, "c")}


class FailingPolicy:
    """Fails in each of the first three states in its own way."""

    spec = "failing"

    def decide(self, states: StateArray) -> Decisions:
        return Decisions.of(FAILURES.get(int(state[0]), NO_ACTION) for state in states)

    def choose(self, states: StateArray) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return self.decide(states).actions


@pytest.mark.parametrize(
    ("objective", "failed"),
    [("quantitative", math.inf), ("qualitative", 0.0), ("avoid:(at p4)", 1.0)],
)
def test_excused_crashes_and_hangs_leave_the_value_open(objective: str, failed: float) -> None:
    task = line_task(6)
    bench = Bench(task, FailingPolicy(), make_objective(objective, task))
    values = bench.suspects(at(0, 1, 2, 3)).values
    np.testing.assert_array_equal(values, [failed, math.nan, math.nan, failed])
