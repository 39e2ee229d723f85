"""Filters of offered states that are new enough for the pool (Algorithm 1, lines 13-17)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.tasks.grounded.task import StateArray

_STATES_AT_ONCE = 1024


@dataclass(frozen=True)
class Loosened:
    """The number of times a filter was loosened, and the number of walks before the last time."""

    times: int = 0
    walks: int = 0


class Filter(ABC):
    """Decides, in order, which states enter the pool."""

    @abstractmethod
    def admit(self, states: StateArray) -> NDArray[np.bool_]:
        """True for each state that may enter, judged as if those that may before it had entered.

        The filter remembers the admitted ones; a state may come twice, but is new only once.
        """

    @abstractmethod
    def would_admit(self, states: StateArray) -> NDArray[np.bool_]:
        """True for each state that would be admitted now, on its own."""


class NewStates(Filter):
    """Every state that is not in the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def admit(self, states: StateArray) -> NDArray[np.bool_]:
        """True for each state not in the pool; of equal ones, the pool itself takes the first."""
        return ~self._pool.contains(states)

    would_admit = admit


class NovelStates(Filter):
    """States with a tuple of at most `depth` facts that no state of the pool has.

    `depth` is D in Algorithm 1. A state of the pool has no such tuple, so none enters twice.
    """

    def __init__(self, pool: Pool, depth: int) -> None:
        self.depth = depth
        self._pool = pool
        self._known: _native.NoveltyStore | None = None
        self._store()

    def admit(self, states: StateArray) -> NDArray[np.bool_]:
        """True for states of novelty 1 to `depth`; a filter that is stopped has learnt nothing."""
        store, self._known = self._store(), None
        novel: NDArray[np.bool_] = store.insert(states) <= self.depth
        self._known = store
        return novel

    def would_admit(self, states: StateArray) -> NDArray[np.bool_]:
        """The same without remembering them."""
        novel: NDArray[np.bool_] = self._store().novelty(states) <= self.depth
        return novel

    def _store(self) -> _native.NoveltyStore:
        """Tuples of facts that the pool has seen, learnt again after a stop and on resuming."""
        if self._known is None:
            store = _native.NoveltyStore(self._pool.task.native, self.depth)
            for start in range(0, len(self._pool), _STATES_AT_ONCE):
                stop = min(start + _STATES_AT_ONCE, len(self._pool))
                store.insert(self._pool.states(range(start, stop)))
            self._known = store
        return self._known


def make_filter(pool: Pool, depth: int) -> Filter:
    """The filter for a depth of novelty; 0 switches it off."""
    return NovelStates(pool, depth) if depth else NewStates(pool)
