"""Walks through the state space, many at a time and step by step together (lines 5-12)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import Draws, LiveSuccessors, Walks
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.biases import Bias
from bugsieve.pipeline.pool.draws import FIRST_STEP, INSERT
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

Rows = NDArray[np.int64]

_CELLS_AT_ONCE = 1 << 23
"""Values of successor states held at a time: 16 MiB."""


class Successors(NamedTuple):
    """Those of state i are the rows from offsets[i] to offsets[i + 1], by ascending operator."""

    states: StateArray
    operators: ActionArray
    offsets: NDArray[np.int64]


class Offers(NamedTuple):
    """States offered to the pool, as columns.

    In the order of walks; those of a walk by its steps, then by operators, its end last.
    """

    rows: Rows
    """The walk of each, as its number within the batch."""
    steps: NDArray[np.int64]
    """The number of actions of that walk that lead there."""
    operators: ActionArray
    """The last of these actions."""
    states: StateArray


@dataclass(frozen=True, eq=False)
class Walked:
    """A batch of walks: their actions, flat with offsets, and the states they offer."""

    actions: ActionArray
    offsets: NDArray[np.int64]
    offers: Offers

    @property
    def steps(self) -> int:
        """Steps of all walks together."""
        return len(self.actions)

    def path(self, offer: int) -> tuple[int, ...]:
        """The actions that lead from the start of the walk to an offered state."""
        start = self.offsets[self.offers.rows[offer]]
        before = self.actions[start : start + self.offers.steps[offer] - 1]
        return (*before.tolist(), int(self.offers.operators[offer]))

    def with_one_each(self, draws: Draws) -> Walked:
        """The same walks, of which each offers its end and one of the states beside it, drawn.

        A state that a walk meets several times is as many times as likely.
        """
        moved = np.diff(self.offsets) > 0  # only these offer an end, as their last
        counts = np.bincount(self.offers.rows, minlength=len(moved))
        stops = np.cumsum(counts)
        others = counts - moved
        choosing = np.flatnonzero(others)
        drawn = (stops - counts)[choosing] + draws.below(choosing, INSERT, others[choosing])
        kept = np.sort(np.concatenate([drawn, stops[moved] - 1]))
        return replace(self, offers=Offers(*(column[kept] for column in self.offers)))


class Walker:
    """Makes steps under a bias, away from dead ends if `prune_dead_ends`."""

    def __init__(self, task: Task, bias: Bias, *, prune_dead_ends: bool = True) -> None:
        self.bias = bias
        self._live = LiveSuccessors(task.native, prune_dead_ends=prune_dead_ends)
        self._max_successors = max(1, _CELLS_AT_ONCE // max(1, task.num_variables))

    def successors(self, state: StateArray) -> Successors:
        """The live successors (line 7) of one state, a batch of one row."""
        return Successors(*self._live.of(state, self._max_successors))

    def walk(self, starts: StateArray, lengths: NDArray[np.int64], draws: Draws) -> Walked:
        """Walks from the starts, of at most the given lengths."""
        walks = Walks(self._live, draws, FIRST_STEP, starts, lengths)
        while True:
            check_stop()
            live = Successors(*walks.expand(self._max_successors))
            if len(live.offsets) == 1:
                break
            result = self.bias.weights(live.states, live.offsets)
            walks.move(result.weights, result.insert)
        return Walked(*walks.actions(), Offers(*walks.offers()))
