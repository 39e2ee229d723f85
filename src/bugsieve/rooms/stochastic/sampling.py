"""Samples where a limit leaves the probability open: runs, and an interval that they give."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.stochastic.graph import ChanceGraph

RUNS = 100
STEPS = 500
"""In each of them; a run that has not ended by then may go either way."""
CONFIDENCE = 0.99
_BISECTIONS = 50


@dataclass(frozen=True)
class Sampled:
    """The ends of sampled runs."""

    reached: int
    unknown: int
    """Runs that were cut, or ended by a failure that says nothing."""
    runs: int = RUNS

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson's interval; runs of unknown end count against it on both sides."""
        tail = (1 - CONFIDENCE) / 2
        high = self.reached + self.unknown
        return _least(self.reached, self.runs, tail), 1 - _least(self.runs - high, self.runs, tail)

    @property
    def in_words(self) -> str:
        """The result, in half a sentence."""
        low, high = self.interval
        return (
            f"{self.reached} of {self.runs} sampled runs reach the goal, which means {low:.2f} to "
            f"{high:.2f} ({CONFIDENCE:.0%} confidence)"
        )


def sample(graph: ChanceGraph, start: int, seed: int) -> Sampled:
    """Runs from a state, in lockstep; each draws from a stream of its own."""
    name = graph.states(np.array([start]))[0].tobytes().hex()
    live = [(start, Stream(seed, "chances", name, number)) for number in range(RUNS)]
    reached = unknown = 0
    for _ in range(STEPS):
        check_stop()
        graph.ask(state for state, _ in live if not graph.is_goal(state))
        going = []
        for state, stream in live:
            if graph.is_goal(state):
                reached += 1
            elif (choice := graph.choice(state)).ending is None:
                totals = list(accumulate(choice.chances))
                place = bisect_right(totals, stream.random() * totals[-1], hi=len(totals) - 1)
                going.append((choice.successors[place], stream))
            else:
                unknown += choice.is_excused
        live = going
    arrived = sum(graph.is_goal(state) for state, _ in live)
    return Sampled(reached + arrived, unknown + len(live) - arrived)


def _least(successes: int, runs: int, tail: float) -> float:
    """The least probability at which so many successes or more have the probability `tail`."""
    if successes == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        is_low = _at_least(successes, runs, middle) < tail
        low, high = (middle, high) if is_low else (low, middle)
    return low


def _at_least(successes: int, runs: int, p: float) -> float:
    """The probability of so many successes or more, if that of one is p."""
    counts = range(successes, runs + 1)
    return math.fsum(math.comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in counts)
