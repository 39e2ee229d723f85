"""The fuzzer: rounds of walks that fill a pool with test states (Algorithm 1, papers/000)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import postponed
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases import make_bias
from bugsieve.pipeline.pool.closed_pool import Exits
from bugsieve.pipeline.pool.draws import LENGTH, START, draws_of
from bugsieve.pipeline.pool.novelty import Filter, Loosened, make_filter
from bugsieve.pipeline.pool.options import INSERT_ONE, LOOSER, FuzzOptions
from bugsieve.pipeline.pool.pool import Pool, PoolEntry
from bugsieve.pipeline.pool.selection import Passing, Selected, selection
from bugsieve.pipeline.pool.states_along_runs import Passed, passed_states
from bugsieve.pipeline.pool.walk_counts import WalkCounts, counts_of
from bugsieve.pipeline.pool.walks import Rows, Walked, Walker
from bugsieve.tasks.grounded.task import StateArray

POOL_FULL = "pool full"
NO_WAY_OUT = "no walk can leave the pool"
NOTHING_NEW = "the walks find nothing new"


class Fuzzer:
    """Fills a pool round by round.

    A round depends only on the pool, on the number of walks before it and on how the filter was
    loosened. So a fuzzer made from the pool of an earlier one goes on as that would have. A
    default filter never ends the walks: it is loosened first.
    """

    def __init__(
        self,
        bench: Bench,
        options: FuzzOptions,
        *,
        pool: Pool | None = None,
        walks_done: int = 0,
        loosened: Loosened | None = None,
    ) -> None:
        self.bench = bench
        self.options = options
        self.pool = _initial_pool(bench) if pool is None else pool
        self.walks_done = walks_done
        self.steps_done = 0
        """Steps of the walks this fuzzer made itself."""
        self.counts = WalkCounts()
        """The counts of the states that these walks offered."""
        if not len(self.pool):
            raise UsageError("fuzzing needs at least one state to start from")
        bias = make_bias(options.used_bias, bench)
        text = options.test_states
        self._condition = None if text is None else selection(bench.task, text)
        if self._condition is not None:
            bias = Passing(bias, self._condition)
        self._walker = Walker(bench.task, bias, prune_dead_ends=options.prune_dead_ends)
        self.loosened = Loosened() if loosened is None else loosened
        self._filter = self._make_filter()
        self._exits = Exits(self.pool, self._walker, self._filter)

    @property
    def novelty(self) -> int:
        """The depth of the filter now."""
        is_chosen = self.options.novelty is not None
        return self.options.first_novelty if is_chosen else LOOSER[self.loosened.times]

    def round(self) -> list[PoolEntry]:
        """Make the next walks; returns the new entries of the pool, in order."""
        if len(self.pool) >= self.options.pool_size:
            return []
        while self._can_loosen and self._stuck() is not None:
            self._loosen()
        walks = np.arange(self.walks_done, self.walks_done + self.options.round_walks)
        draws = draws_of(self.options.seed, walks)
        rows = np.arange(len(walks))
        # All walks of a round start from the pool as it was before it, so that they can go in
        # lockstep; one walk per round that inserts all it meets is Algorithm 1 of papers/000.
        parents = draws.below(rows, START, np.full(len(walks), len(self.pool)))
        if self._leaves_at_exits:
            parents[:] = self._exits.entry
        lengths = 1 + draws.below(rows, LENGTH, np.full(len(walks), self.options.walk_length))
        walked = self._walker.walk(self.pool.states(parents), lengths, draws)
        if self.options.insert == INSERT_ONE:
            walked = walked.with_one_each(draws)
        roots = range(len(self.pool) if self.options.along_runs and not self.walks_done else 0)
        after_roots = self._passed(self.pool.states(roots))
        after_offers = self._passed_after(walked.offers.states)
        known = self.pool.contains(walked.offers.states)
        novel = self._filter.admit(walked.offers.states)
        stuck = int((np.diff(walked.offsets) < lengths).sum())
        with postponed():  # a round counts as a whole or not at all
            self.walks_done += len(walks)
            self.steps_done += walked.steps
            self.counts += counts_of(walked.offers.states, known, novel, stuck)
            before = len(self.pool)
            for root, passed in zip(roots, after_roots, strict=True):
                self._insert_passed(root, passed, int(walks[0]))
            self._insert(walked, np.flatnonzero(novel), walks, parents, after_offers)
            return [self.pool.entry(number) for number in range(before, len(self.pool))]

    @property
    def finished(self) -> str | None:
        """The reason why further rounds are not worth it: they find nothing, now or for long."""
        if len(self.pool) >= self.options.pool_size:
            return POOL_FULL
        return None if self._can_loosen else self._stuck()

    def _stuck(self) -> str | None:
        """The reason why walks find nothing new with the filter as it is; None if they may."""
        if self.options.along_runs and not self.walks_done:
            return None  # the first round adds what the runs from the roots pass
        newest = self.pool.entry(len(self.pool) - 1).walk
        in_vain = self._in_vain
        is_fresh = newest is None and not self.loosened.times
        if not is_fresh and in_vain < self.options.round_walks:
            return None  # the last round found something: the question can wait
        if in_vain >= self._patience:
            return NOTHING_NEW
        return None if self._exits.exist() else NO_WAY_OUT

    @property
    def _in_vain(self) -> int:
        """Walks in a row that have found nothing new, with the filter as it is."""
        newest = self.pool.entry(len(self.pool) - 1).walk
        return self.walks_done - max(0 if newest is None else newest + 1, self.loosened.walks)

    @property
    def _patience(self) -> int:
        """The walks in vain that are enough; twice as many where the rest leave at exits."""
        return self.options.patience * (2 if self._is_loose else 1)

    @property
    def _is_loose(self) -> bool:
        """Return true if the filter is the default one and is off by now."""
        return self.options.novelty is None and not self._can_loosen

    @property
    def _leaves_at_exits(self) -> bool:
        """Return true if walks start where the pool can be left, after long without leaving it."""
        return self._is_loose and self._in_vain >= self.options.patience and self._exits.exist()

    @property
    def _can_loosen(self) -> bool:
        return self.options.novelty is None and self.loosened.times + 1 < len(LOOSER)

    def _loosen(self) -> None:
        """Take the next depth of the filter; what the pool can be left by is asked anew."""
        with postponed():
            self.loosened = Loosened(self.loosened.times + 1, self.walks_done)
            self._filter = self._make_filter()
            self._exits = Exits(self.pool, self._walker, self._filter)

    def _make_filter(self) -> Filter:
        made = make_filter(self.pool, self.novelty)
        return made if self._condition is None else Selected(made, self._condition)

    def _insert(
        self,
        walked: Walked,
        novel: Rows,
        walks: Rows,
        parents: Rows,
        after: Mapping[int, Passed],
    ) -> None:
        """Insert the novel ones of the offers; once the pool is full the filter is not asked."""
        offers = walked.offers
        for offer in novel.tolist():
            if len(self.pool) >= self.options.pool_size:
                break
            row = offers.rows[offer]
            walk = int(walks[row])
            entry = self.pool.add(
                offers.states[offer],
                parent=int(parents[row]),
                actions=walked.path(offer),
                walk=walk,
            )
            if entry is not None and offer in after:
                self._insert_passed(entry.number, after[offer], walk)

    def _insert_passed(self, start: int, passed: Passed, walk: int) -> None:
        """Insert what the run from an entry passes; the filter has to know of these, too."""
        before = len(self.pool)
        for state, actions in passed.last_first():
            if len(self.pool) >= self.options.pool_size:
                break
            self.pool.add(state, parent=start, actions=actions, walk=walk)
        self._filter.admit(self.pool.states(range(before, len(self.pool))))

    def _passed_after(self, offers: StateArray) -> dict[int, Passed]:
        """States passed by the runs from offers, by offer, of all that may enter the pool."""
        if not self.options.along_runs:
            return {}
        entering = np.flatnonzero(self._filter.would_admit(offers))
        return dict(zip(entering.tolist(), self._passed(offers[entering]), strict=True))

    def _passed(self, starts: StateArray) -> list[Passed]:
        """States passed by the runs from these states."""
        if not len(starts):
            return []
        prune = self.options.prune_dead_ends
        found = passed_states(self.bench, starts, prune_dead_ends=prune)
        condition = self._condition
        return found if condition is None else [p.where(condition.holds(p.states)) for p in found]


def _initial_pool(bench: Bench) -> Pool:
    pool = Pool(bench.task)
    pool.add(bench.task.initial_state)
    return pool
