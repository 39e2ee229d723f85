"""`detour`: prefers states whose trace pays more between two states than it seems to need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.biases.pairs import PairBias
from bugsieve.pipeline.biases.traces import Traces


class Detour(PairBias):
    """Prefers states whose policy run seems to contain detours.

    max over i < j of cost(s_i … s_j) - h^FF(s_i → s_j); pairs of infinite h do not count.
    """

    usage = "detour"

    def distances(self, traces: Traces) -> NDArray[np.int32]:
        """Distances from each trace's first state to later ones: one exploration per trace."""
        graph = self.bench.graph
        offsets = np.concatenate([[0], np.cumsum(traces.lengths)])
        targets = graph.states(traces.ids[:, 1:][traces.steps])
        return self._paths.hff(graph.states(traces.ids[:, 0]), targets, offsets)
