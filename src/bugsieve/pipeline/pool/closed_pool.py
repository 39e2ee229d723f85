"""Proves that no walk can leave the pool, so that fuzzing a small state space ends by itself."""

from __future__ import annotations

import numpy as np

from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.pool.novelty import Filter
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.pipeline.pool.walks import Walker
from bugsieve.tasks.grounded.task import StateArray


class Exits:
    """The ways out of a pool that only grows.

    The next step depends on the state of a walk alone, so it is enough to look one step ahead of
    each entry. Entries are looked at in order. The first one with an exit is the only one asked
    until its exits are shut: what cannot enter the pool now never can.
    """

    def __init__(self, pool: Pool, walker: Walker, accepts: Filter) -> None:
        self._pool = pool
        self._walker = walker
        self._filter = accepts
        self._entry = 0
        self._ahead: tuple[StateArray, StateArray] | None = None

    @property
    def entry(self) -> int:
        """The first entry with an exit, where `exist` has just said that there is one."""
        return self._entry

    def exist(self) -> bool:
        """Return true if some walk may leave the pool, or offer a state that may enter it."""
        while self._entry < len(self._pool):
            check_stop()
            if self._ahead is None:
                self._ahead = self._look_ahead(self._entry)
            reached, offered = self._ahead
            # A state outside the pool is an exit even where the filter would keep it out: a walk
            # may go on from there.
            if not self._pool.contains(reached).all() or self._filter.would_admit(offered).any():
                return True
            self._entry, self._ahead = self._entry + 1, None
        return False

    def _look_ahead(self, entry: int) -> tuple[StateArray, StateArray]:
        """The states that one step from the entry may reach, and those it offers to the pool."""
        live = self._walker.successors(self._pool.states([entry]))
        result = self._walker.bias.weights(live.states, live.offsets)
        nothing = np.zeros(len(live.states), dtype=bool)
        offered = nothing if result.insert is None else result.insert
        return live.states[result.weights > 0], live.states[offered]
