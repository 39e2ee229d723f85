"""Start states, uniformly at random from those that a model allows (line 1 of Algorithm 1).

Reals are uniform over the region that the start condition describes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import BudgetError, InputError, UnsupportedError
from bugsieve.base.seeds import Stream
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.model.types import EXACT
from bugsieve.rooms.jani.starts.condition import Range
from bugsieve.rooms.jani.starts.parts import ListedPart, Rows, Source, StartPart
from bugsieve.rooms.jani.starts.planning import NoStartError, declared_ranges, plan_parts

_MOST_ATTEMPTS = 1000
_PORTION = 4096  # states at a time, to bound the memory
_ADVICE = "list start states instead (operator 'states-values')"


class StartSampler:
    """Draws start states; row k of a sample depends on the seed and numbers[k] alone."""

    def __init__(self, model: JaniModel, seed: int) -> None:
        self._model = model
        self._stream = Stream(seed, "start states")
        self._template = np.zeros(model.num_variables)
        self._parts: list[StartPart] = []
        listed = model.start_states
        if listed is not None:
            table = np.unique(listed, axis=0)  # a state that is listed twice counts once
            self._parts.append(ListedPart(range(model.num_variables), table))
        else:
            self._plan()

    def sample(self, numbers: Sequence[int] | NDArray[np.int64]) -> Valuations:
        """One start state for each number."""
        wanted = np.ascontiguousarray(numbers, dtype=np.int64)
        portions = [wanted[k : k + _PORTION] for k in range(0, len(wanted), _PORTION)]
        empty = np.empty((0, self._model.num_variables))
        return np.concatenate([empty, *map(self._sample, portions)])

    def _sample(self, wanted: Rows) -> Valuations:
        sources = [Source(self._stream.substream(k), wanted) for k in range(len(self._parts))]
        states = np.tile(self._template, (len(wanted), 1))
        waiting = np.arange(len(wanted))
        # Rows that were refused are drawn again, alone, under the number of the next attempt: a
        # row does not depend on how the others fared.
        for attempt in range(_MOST_ATTEMPTS):
            self._draw(states, sources, waiting, attempt)
            # Bounds are computed in other ways than the core tests them: it has the last word.
            waiting = waiting[~self._model.is_start(states[waiting])]
            if not len(waiting):
                return states
        raise BudgetError(
            f"{self._model.name}: no start state was found, none of {_MOST_ATTEMPTS} states that "
            f"were drawn satisfied the start condition: {_ADVICE}"
        )

    def _draw(
        self, states: Valuations, sources: Sequence[Source], rows: Rows, attempt: int
    ) -> None:
        for part, source in zip(self._parts, sources, strict=True):
            try:
                drawn = part.draw(source, rows, attempt)
            except BudgetError as error:
                raise BudgetError(f"{self._model.name}: {error}") from None
            states[np.ix_(rows, np.array(part.variables))] = drawn

    def _plan(self) -> None:
        model = self._model
        declared = declared_ranges(model)
        try:
            ranges, self._parts = plan_parts(model.graph, model.conditions.start, declared)
        except NoStartError:
            raise InputError(f"{model.name}: no state satisfies the start condition") from None
        for k, values in ranges.items():
            self._require_bounds(k, values)
            self._template[k] = values.lower

    def _require_bounds(self, index: int, values: Range) -> None:
        variable = self._model.variables[index]
        if variable.type.is_bounded or values.is_fixed:
            return
        if values.upper - values.lower >= (float("inf") if values.is_real else EXACT):
            raise UnsupportedError(
                f"{self._model.name}: the start condition does not bound {variable.name!r}, so "
                f"that no start state can be drawn: {_ADVICE}"
            )
