"""Lists all start states of a model, where they are few."""

from __future__ import annotations

import numpy as np

from bugsieve.base.errors import BudgetError, InputError
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.starts.listing import list_solutions
from bugsieve.rooms.jani.starts.parts import TooManyStartsError
from bugsieve.rooms.jani.starts.planning import MOST_CELLS, NoStartError, declared_ranges, narrowed


def all_starts(model: JaniModel, most: int) -> Valuations:
    """Every start state once, in ascending order; BudgetError where they are too many to list."""
    states = model.start_states
    if states is None:
        try:
            states = _solutions(model)
        except NoStartError:
            states = np.empty((0, model.num_variables))
    # Adding 0.0 turns -0.0 into 0.0, so that equal states are equal rows.
    states = np.unique(states + 0.0, axis=0)
    if not len(states):
        raise InputError(f"{model.name}: no state satisfies the start condition")
    if len(states) > most:
        raise BudgetError(f"there are more than {most} start states")
    return states


def _solutions(model: JaniModel) -> Valuations:
    ranges, kept = narrowed(model.graph, model.conditions.start, declared_ranges(model))
    free = [k for k, values in ranges.items() if not values.is_fixed]
    if any(ranges[k].is_real for k in free):
        raise BudgetError("start states with real numbers cannot be listed")
    template = np.array([float(values.lower) for values in ranges.values()])
    try:
        listed = list_solutions(free, ranges, kept, MOST_CELLS) if free else None
    except TooManyStartsError:
        raise BudgetError("the start states are too many to list") from None
    states = np.tile(template, (1 if listed is None else len(listed.table), 1))
    if listed is not None:
        states[:, free] = listed.table
    # Bounds are computed in other ways than the core tests them: it has the last word.
    return states[model.is_start(states)]
