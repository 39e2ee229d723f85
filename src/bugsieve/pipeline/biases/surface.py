"""`surface`: prefers states from which the goal distance does not fall smoothly on the trace."""

from __future__ import annotations

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.bias import Weights
from bugsieve.pipeline.biases.scores import ENDLESS, NEVER
from bugsieve.pipeline.biases.traces import DEFAULT_HORIZON, UNKNOWN, TraceBias, Traces, grown
from bugsieve.policies.run_table import Ids


class Surface(TraceBias):
    """Prefers states from which the goal distance does not fall smoothly.

    max over i < j of cost(s_i … s_j) - (h(s_i) - h(s_j)), where h is h^FF to the goal.

    How much more was paid between two states than the distance fell. If a later state looks
    unsolvable, the score is infinite.
    """

    usage = "surface"

    def __init__(self, bench: Bench, *, horizon: int = DEFAULT_HORIZON) -> None:
        super().__init__(bench, horizon=horizon)
        self._heuristic = bench.task.heuristic("hff")
        self._distances: Weights = np.empty(0, dtype=np.int64)

    def scores(self, traces: Traces) -> Weights:
        """The greatest rise of cost so far plus distance to go."""
        distances = self._goal_distances(traces.ids)
        # cost(s_i … s_j) - h(s_i) + h(s_j) is a difference of two entries of this sum. So the best
        # i for each j is the least entry before it.
        total = traces.costs + distances
        rises = total[:, 1:] - np.minimum.accumulate(total, axis=1)[:, :-1]
        best: Weights = np.where(traces.steps, rises, NEVER).max(axis=1, initial=NEVER)
        lost = (distances[:, 1:] == DEAD_END) & traces.steps
        best[lost.any(axis=1)] = ENDLESS
        return best

    def _goal_distances(self, ids: Ids) -> Weights:
        graph = self.bench.graph
        self._distances = grown(self._distances, len(graph), UNKNOWN)
        new = np.unique(ids[self._distances[ids] == UNKNOWN])
        if len(new):
            self._distances[new] = self._heuristic.evaluate(graph.states(new))
        return self._distances[ids]
