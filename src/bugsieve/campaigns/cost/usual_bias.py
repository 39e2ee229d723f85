"""Chooses the bias of a campaign that names none, by how long an answer of the policy takes."""

from __future__ import annotations

import math
import time

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases import DEFAULT_BIAS
from bugsieve.tasks.grounded.task import StateArray

SLOW = 0.01
"""Seconds for one answer from which on questions, not states, are what a campaign pays with."""
FRUGAL_BIAS = "uniform"
"""The one with the most bugs per question: its walks ask none (docs/testing.md has the figures).
"""
_ANSWERS = 4


def seconds_per_answer(bench: Bench, state: StateArray) -> float:
    """Return the least time of the first answers on the policy's run from the state.

    The least one, since the first may include the start of the policy. The bench remembers the
    answers, so that the campaign does not ask for them again; 0 if there was nothing to ask.
    """
    least = math.inf
    for step_limit in range(1, _ANSWERS + 1):
        before, start = bench.decisions_taken, time.perf_counter()
        bench.runs(state, step_limit=step_limit)
        asked = bench.decisions_taken - before
        if not asked:
            break
        least = min(least, (time.perf_counter() - start) / asked)
    return least if math.isfinite(least) else 0.0


def usual_bias(seconds: float) -> str:
    """Return the bias of a campaign that names none, by the seconds of one answer."""
    return FRUGAL_BIAS if seconds >= SLOW else DEFAULT_BIAS
