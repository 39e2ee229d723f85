"""The states around the policy's run and known plans, and the cheapest ways to the goal there.

Plan neighbourhood graph search (Nakhost and Müller 2010) for all states of a run at once: a
shortcut that is found for one of them counts for all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.tasks.grounded.task import StateArray, Task

Ids = NDArray[np.int64]

_FAR = np.int64(1) << 61
# A step counts a little by itself, so that ways never go round in circles of no cost.
_SCALE = np.int64(1) << 20


class Neighbourhood:
    """A growing set of states and transitions of a task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.transitions = 0
        self._registry = _native.StateRegistry(task.native)
        self._edges: list[tuple[Ids, Ids, Ids]] = []
        self._sources, self._targets, self._operators = (np.empty(0, np.int64) for _ in range(3))
        self._expanded = np.zeros(0, dtype=np.bool_)
        self._far = np.empty(0, dtype=np.int64)
        self._steps = np.empty(0, np.int64)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """None, or why costs of ways cannot be computed here."""
        dearest = int(task.operator_costs.max(initial=0))
        return None if dearest < 1 << 20 else "operators are too dear for 64 bits"

    def add_path(self, states: StateArray, operators: tuple[int, ...]) -> Ids:
        """Put the states of a path in, with the transitions between them."""
        ids = self._insert(states)
        self._add_edges(ids[:-1], ids[1:], np.array(operators, dtype=np.int64))
        return ids

    def spread(self, centre: Ids, limit: int) -> int:
        """Expand so many states at most, those around the centre first; how many it were."""
        layer, left = np.unique(centre), limit
        seen = np.zeros(len(self._registry), dtype=np.bool_)
        seen[layer] = True
        while left > 0 and len(layer):
            fresh = layer[~self._expanded[layer]][:left]
            left -= len(fresh)
            targets = np.unique(np.concatenate([self._known_after(layer), self._expand(fresh)]))
            seen = np.append(seen, np.zeros(len(self._registry) - len(seen), dtype=np.bool_))
            layer = targets[~seen[targets]]
            seen[layer] = True
        return limit - left

    def _expand(self, ids: Ids) -> Ids:
        if not len(ids):
            return ids
        after, operators, offsets = self.task.all_successors(self._registry.states(ids))
        targets = self._insert(after)
        self._expanded[ids] = True
        self._add_edges(np.repeat(ids, np.diff(offsets)), targets, operators.astype(np.int64))
        return targets

    def _insert(self, states: StateArray) -> Ids:
        known = len(self._registry)
        ids = self._registry.insert(np.ascontiguousarray(states))
        new = len(self._registry) - known
        if new:
            fresh = np.arange(known, known + new)
            is_goal = self.task.is_goal(self._registry.states(fresh))
            self._far = np.append(self._far, np.where(is_goal, np.int64(0), _FAR))
            # Runs end at goals, so states behind them are not needed.
            self._expanded = np.append(self._expanded, is_goal)
        return ids

    def _add_edges(self, sources: Ids, targets: Ids, operators: Ids) -> None:
        self._edges.append((sources, targets, operators))
        self.transitions += len(sources)

    def _known_after(self, ids: Ids) -> Ids:
        """Targets of the transitions that were sorted before."""
        first, last = (np.searchsorted(self._sources, ids, side) for side in ("left", "right"))
        counts = last - first
        places = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        targets: Ids = self._targets[places]
        return targets

    def settle(self) -> None:
        """Work out how far the goal is from all states within the transitions known."""
        self._sort()
        if not len(self._sources):
            return
        starts = np.flatnonzero(np.diff(self._sources, prepend=-1))
        sources = self._sources[starts]
        while True:  # it ends: distances are whole and fall
            nearest = np.minimum.reduceat(self._steps + self._far[self._targets], starts)
            better = nearest < self._far[sources]
            if not better.any():
                return
            self._far[sources[better]] = nearest[better]

    def _sort(self) -> None:
        columns = [(self._sources, self._targets, self._operators), *self._edges]
        sources, targets, operators = map(np.concatenate, zip(*columns, strict=True))
        order = np.argsort(sources, kind="stable")
        self._sources, self._targets = sources[order], targets[order]
        self._operators, self._edges = operators[order], []
        self._steps = self.task.operator_costs.astype(np.int64)[self._operators] * _SCALE + 1

    def costs(self, ids: Ids) -> list[float]:
        """The costs of the cheapest known ways to the goal; infinity without one."""
        far = self._far[ids]
        costs: list[float] = np.where(far >= _FAR, np.inf, far // _SCALE).tolist()
        return costs

    def on_ways(self, ids: Ids) -> Ids:
        """All states on the cheapest known ways from these."""
        after, layer = self._after(), ids
        found = np.zeros(len(after), dtype=np.bool_)
        while len(layer):
            found[layer] = True
            layer = after[layer]
            layer = layer[layer >= 0]
            layer = layer[~found[layer]]
        return np.flatnonzero(found)

    def way(self, start: int) -> tuple[int, ...]:
        """The operators of the cheapest known way to the goal, which must exist."""
        here, operators = start, []
        while self._far[here]:
            first, last = (
                int(np.searchsorted(self._sources, here, side)) for side in ("left", "right")
            )
            sums = self._steps[first:last] + self._far[self._targets[first:last]]
            place = first + int(sums.argmin())
            operators.append(int(self._operators[place]))
            here = int(self._targets[place])
        return tuple(operators)

    def _after(self) -> Ids:
        """The next state on the way from each; -1 at goals and where there is no way."""
        after = np.full(len(self._registry), -1, dtype=np.int64)
        sums = self._steps + self._far[self._targets]
        on_way = (sums == self._far[self._sources]) & (sums < _FAR)
        # The first of several: later entries are overwritten by earlier ones.
        places = np.flatnonzero(on_way)[::-1]
        after[self._sources[places]] = self._targets[places]
        return after
