"""Common parts of the biases on the policy's trace: they follow it and keep each start's score.

A trace is the policy's run from a successor, cut after a horizon. It is taken as it is, whether or
not it reaches the goal.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets, Weights
from bugsieve.pipeline.biases.scores import weights_of
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.run_table import Ids, RunTable
from bugsieve.tasks.grounded.task import StateArray

DEFAULT_HORIZON = 50
UNKNOWN = np.iinfo(np.int64).min + 1
"""A score that was not computed yet; no true score comes near it."""


@dataclass(frozen=True, eq=False)
class Traces:
    """Traces as rows: cell j is the state after j steps; cells after the last state repeat it."""

    ids: Ids
    lengths: NDArray[np.int64]
    """Steps of each trace."""
    costs: NDArray[np.int64]
    """The costs of the steps to each cell."""

    @cached_property
    def steps(self) -> NDArray[np.bool_]:
        """True for each cell but the first if a step of the trace leads there."""
        leads: NDArray[np.bool_] = np.arange(self.ids.shape[1] - 1) < self.lengths[:, None]
        return leads


def follow(graph: PolicyGraph, starts: Ids, lengths: NDArray[np.int64]) -> Traces:
    """The traces of these lengths from states whose runs the graph has followed."""
    width = int(lengths.max(initial=0)) + 1
    met = np.empty((len(starts), width), dtype=np.int64)
    here = starts
    for step in range(width):  # beyond the end of a trace, in every graph
        met[:, step] = here
        here = graph.successors_at(here)
    # Cells behind the end of a trace repeat its last state, so that later steps need no mask for
    # them.
    cells = np.minimum(np.arange(width), lengths[:, None])
    ids = np.take_along_axis(met, cells, axis=1)
    is_step = np.arange(width - 1) < lengths[:, None]
    costs = np.zeros(ids.shape, dtype=np.int64)
    costs[:, 1:][is_step] = graph.step_costs_at(ids[:, :-1][is_step])
    return Traces(ids, lengths, np.cumsum(costs, axis=1))


class TraceBias(Bias):
    """Scores a successor by the trace that starts there; each state is scored once."""

    def __init__(self, bench: Bench, *, horizon: int = DEFAULT_HORIZON) -> None:
        super().__init__(bench)
        self.horizon = horizon
        self._scores: Weights = np.empty(0, dtype=np.int64)

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """The reason why the runs do not form a way through a policy graph."""
        return bench.objection_to_graph

    @abstractmethod
    def scores(self, traces: Traces) -> Weights:
        """One score per trace; NEVER and ENDLESS stand for the infinities."""

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Scores of the traces as weights."""
        return BiasResult(weights_of(self._scores_of(self.bench.runs(successors)), offsets))

    def _scores_of(self, runs: RunTable) -> Weights:
        self._scores = grown(self._scores, len(self.bench.graph), UNKNOWN)
        # Scored once: what a trace is depends on its start alone, however many walks come by.
        new = np.flatnonzero(self._scores[runs.ids] == UNKNOWN)
        if len(new):
            starts, first = np.unique(runs.ids[new], return_index=True)
            lengths = np.minimum(runs.steps[new[first]], self.horizon)
            self._scores[starts] = self.scores(follow(self.bench.graph, starts, lengths))
        return self._scores[runs.ids]


def grown(column: Weights, size: int, blank: int) -> Weights:
    """The array with at least `size` rows, new ones filled with `blank`; doubling saves copies."""
    missing = size - len(column)
    if missing <= 0:
        return column
    filler = np.full((max(missing, len(column)), *column.shape[1:]), blank, dtype=column.dtype)
    return np.concatenate([column, filler])
