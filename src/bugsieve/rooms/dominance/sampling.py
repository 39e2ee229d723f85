"""The number of state pairs that a dominance function compares, on a random sample of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import Draws
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.tasks.grounded.task import StateArray, Task

_WALKS, _STEPS = 100, 100
_SOURCES, _TARGETS = 1000, 10
"""10 000 pairs; each source is compared with several targets."""


@dataclass(frozen=True)
class ComparedPairs:
    """Random pairs (s, t) of different states, and of how many D(s, t) is finite."""

    pairs: int
    finite: int
    seed: int

    @property
    def share(self) -> float | None:
        """The share of comparable pairs; None if all states met are the same."""
        return self.finite / self.pairs if self.pairs else None


def compare_random_pairs(function: DominanceFunction, *, seed: int = 0) -> ComparedPairs:
    """Compare 10 000 pairs of different states that random walks from the initial state meet."""
    stream = Stream(seed, "dominance")
    states = _states_met(function.task, _draws(stream, _WALKS))
    draws, rows = _draws(stream, _SOURCES), np.arange(_SOURCES)
    limits = np.full(_SOURCES, len(states))
    chosen = np.stack([draws.below(rows, number, limits) for number in range(_TARGETS + 1)])
    pairs = finite = 0
    for source, *targets in states[chosen.T]:
        check_stop()
        differ = np.any(np.stack(targets) != source, axis=1)
        values = function.between(source[None], targets)[0]
        pairs += int(differ.sum())
        finite += int(np.isfinite(values[differ]).sum())
    return ComparedPairs(pairs, finite, seed)


def _draws(stream: Stream, rows: int) -> Draws:
    return Draws(stream.word(), stream.word(), np.arange(rows))


def _states_met(task: Task, draws: Draws) -> StateArray:
    """The states of walks that take every applicable operator with the same probability."""
    states = np.repeat(task.initial_state[None], _WALKS, axis=0)
    met = [states]
    for step in range(_STEPS):
        check_stop()
        operators, offsets = task.applicable(states)
        counts: NDArray[np.int64] = np.diff(offsets)
        moving = np.flatnonzero(counts)
        chosen = offsets[moving] + draws.below(moving, step, counts[moving])
        states = states.copy()
        states[moving] = task.successors(states[moving], operators[chosen])
        met.append(states)
    return np.concatenate(met)
