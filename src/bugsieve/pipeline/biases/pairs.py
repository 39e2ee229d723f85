"""The common part of detour and loopiness: the best pair of states on a trace.

The score of a trace s_0 … s_m is the maximum over i < j of cost(s_i … s_j) - h between s_i and
s_j. Each state s of the policy graph has one row: entry k - 1 is the maximum over those pairs that
begin at s and end within k steps. Rows are computed once and serve every trace through s.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.bias import Weights
from bugsieve.pipeline.biases.rows import Rows
from bugsieve.pipeline.biases.scores import NEVER
from bugsieve.pipeline.biases.traces import DEFAULT_HORIZON, TraceBias, Traces, follow
from bugsieve.policies.run_table import Ids
from bugsieve.tasks.search import PathDistances

_CELLS_AT_ONCE = 1 << 23
"""Values of target states handed to the native core at a time: 16 MiB."""


class PairBias(TraceBias):
    """Base of the biases that look for the best pair of states on the trace."""

    def __init__(self, bench: Bench, *, horizon: int = DEFAULT_HORIZON) -> None:
        super().__init__(bench, horizon=horizon)
        self._paths = PathDistances(bench.task)
        self._rows = Rows(horizon)

    @abstractmethod
    def distances(self, traces: Traces) -> NDArray[np.int32]:
        """h between the first state of each trace and each later one, for `traces.steps`."""

    def scores(self, traces: Traces) -> Weights:
        """The best pair of each trace: the best entry of its states' rows."""
        # max over i < j ≤ m is the max over i of the row of s_i at length m - i, so pairs found
        # for one trace serve every trace through s_i.
        best: Weights = np.full(traces.steps.shape, NEVER)
        ids = traces.ids[:, :-1][traces.steps]
        left = (traces.lengths[:, None] - np.arange(best.shape[1]))[traces.steps]  # m - i
        self._fill(ids, left)
        best[traces.steps] = self._rows.entries(ids, left)
        highest: Weights = best.max(axis=1, initial=NEVER)
        return highest

    def _fill(self, ids: Ids, lengths: NDArray[np.int64]) -> None:
        """Have rows of at least these lengths for these states, which may repeat."""
        graph = self.bench.graph
        states, needs = _longest(ids, lengths)
        lacking = self._rows.lacking(states, needs)
        new, needs = states[lacking], needs[lacking]
        # The whole row at once, as far as the policy's run is known to go.
        needs = np.minimum(np.maximum(needs, graph.steps_at(new)), self.horizon)
        most = max(1, _CELLS_AT_ONCE // max(1, self.horizon * self.bench.task.num_variables))
        for start in range(0, len(new), most):
            part = slice(start, start + most)
            self._rows.put(new[part], needs[part], self._best_pairs(new[part], needs[part]))

    def _best_pairs(self, starts: Ids, lengths: NDArray[np.int64]) -> Weights:
        """The rows of these states, not yet as wide as the horizon perhaps."""
        traces = follow(self.bench.graph, starts, lengths)
        distances = self.distances(traces)
        gains = traces.costs[:, 1:][traces.steps] - distances
        found = np.full(traces.steps.shape, NEVER)
        found[traces.steps] = np.where(distances == DEAD_END, NEVER, gains)
        # Entry k - 1 is the best pair within k steps, hence the running maximum.
        highest: Weights = np.maximum.accumulate(found, axis=1)
        return highest


def _longest(ids: Ids, lengths: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
    """The distinct ids, each with the greatest of its lengths."""
    order = np.lexsort((lengths, ids))
    ids = ids[order]
    last = np.append(ids[1:] != ids[:-1], True) if len(ids) else np.zeros(0, dtype=bool)
    return ids[last], lengths[order][last]
