"""Examples as the network sees them, computed once and put together for mini-batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.formats.asnets.grounding import Grounding
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from bugsieve.rooms.training.asnets.network import Inputs
from bugsieve.rooms.training.asnets.structure import Numbers, Structure, ragged


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """A mini-batch with what the teacher does."""

    inputs: Inputs
    labels: Numbers
    """For each state the place of the teacher's action; -1 where the network does not know it,
    as there is nothing to learn then."""


@dataclass(eq=False)
class _Columns:
    """Facts and actions of all examples, one example after the other, and where they begin."""

    tasks: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    schemas: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    """Of the labels; -1 where unknown."""
    places: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    """Of the labels within their schemas."""
    truth: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    applicable: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def extend(self, parts: Sequence[_Columns]) -> None:
        for name in vars(self):
            joined = [getattr(self, name), *(getattr(part, name) for part in parts)]
            setattr(self, name, np.concatenate(joined))


class Encoder:
    """Makes mini-batches of one collection of training data, which may grow in between."""

    def __init__(self, groundings: Sequence[Grounding], data: TrainingData) -> None:
        self.data = data
        self._groundings = groundings
        self._structure = Structure(groundings)
        self._columns = _Columns()
        self._taken = 0
        self._fact_bases = self._action_bases = np.zeros(0, np.int64)

    def batch(self, numbers: Numbers) -> LabelledBatch:
        """The examples of these numbers."""
        self._update()
        structure, columns = self._structure, self._columns
        tasks = columns.tasks[numbers]
        layout = structure.layout(tasks)
        fact_rows = ragged(
            (self._fact_bases[numbers] + structure.fact_starts[tasks, :-1].T).ravel(),
            layout.fact_counts.ravel(),
        )
        action_rows = ragged(
            (self._action_bases[numbers] + structure.action_starts[tasks, :-1].T).ravel(),
            layout.action_counts.ravel(),
        )
        schemas = columns.schemas[numbers]
        places = layout.action_bases[schemas, np.arange(len(numbers))] + columns.places[numbers]
        return LabelledBatch(
            Inputs(layout, columns.truth[fact_rows], columns.applicable[action_rows]),
            np.where(schemas < 0, -1, places),
        )

    def _update(self) -> None:
        """Encode what was added since the last time."""
        fresh = self.data.examples[self._taken :]
        if not fresh:
            return
        self._columns.extend([self._encoded(part) for part in fresh])
        self._taken += len(fresh)
        tasks = self._columns.tasks
        facts, actions = (
            starts[:, -1][tasks]
            for starts in (self._structure.fact_starts, self._structure.action_starts)
        )
        self._fact_bases = np.cumsum(facts) - facts
        self._action_bases = np.cumsum(actions) - actions

    def _encoded(self, examples: Examples) -> _Columns:
        grounding = self._groundings[examples.task]
        known = np.full(grounding.task.num_operators, -1, dtype=np.int64)
        known[grounding.operators] = np.arange(len(grounding.operators))
        actions = known[examples.labels]
        starts = grounding.action_starts.astype(np.int64)
        schemas = np.searchsorted(starts, actions, side="right") - 1
        return _Columns(
            np.full(len(examples), examples.task, dtype=np.int64),
            np.where(actions < 0, -1, schemas),
            actions - starts[schemas],
            grounding.truth(examples.states).ravel(),
            grounding.applicable(examples.states).ravel(),
        )
