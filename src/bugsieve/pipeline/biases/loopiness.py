"""`loopiness`: prefers states whose trace comes close to looping back on itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.biases.pairs import PairBias
from bugsieve.pipeline.biases.traces import Traces


class Loopiness(PairBias):
    """Prefers states whose policy run comes close to looping back on itself.

    max over i < j of cost(s_i … s_j) - h^FF(s_j → s_i); pairs of infinite h do not count.
    """

    usage = "loopiness"

    def distances(self, traces: Traces) -> NDArray[np.int32]:
        """Distances from the later states of each trace back to its first.

        Runs merge, so many traces end alike: pairs are ordered by the later state, and each of
        these is explored once for all traces that go through it.
        """
        graph = self.bench.graph
        later = traces.ids[:, 1:][traces.steps]
        order = np.argsort(later, kind="stable")
        sources, counts = np.unique(later, return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        targets = graph.states(np.repeat(traces.ids[:, 0], traces.lengths)[order])
        distances = np.empty(len(later), dtype=np.int32)
        distances[order] = self._paths.hff(graph.states(sources), targets, offsets)
        return distances
