"""What holds for the values of every dominance function, on all pairs of states at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from tests.unit.dominance.naive import NaiveDominance, State, part

Table = NDArray[np.float64]


def table_of(naive: NaiveDominance, states: Sequence[State]) -> Table:
    """`naive.value` of all pairs."""
    total = np.zeros((len(states), len(states)))
    for factor, values in naive.summed():
        parts = [part(state, factor) for state in states]
        distinct = sorted(set(parts))
        table = np.array([[values.get((x, y), -inf) for y in distinct] for x in distinct])
        places = [distinct.index(x) for x in parts]
        total += table[np.ix_(places, places)]
    total[_same(states)] = 0
    return total


def _same(states: Sequence[State]) -> NDArray[np.bool_]:
    rows = np.array(states)
    return np.asarray((rows[:, None] == rows[None]).all(axis=2))


def assert_sound(values: Table, states: Sequence[State], h: Mapping[State, float]) -> None:
    """D(s, t) <= h*(s) - h*(t) for all s with a plan and all t, and D(s, s) = 0 for all s."""
    assert not np.isnan(values).any() and not (values == inf).any()
    assert (values[_same(states)] == 0).all()
    distances = np.array([h[state] for state in states])
    solvable = distances < inf
    too_high = values[solvable] > distances[solvable, None] - distances
    if too_high.any():
        row, target = np.argwhere(too_high)[0]
        source = np.flatnonzero(solvable)[row]
        raise AssertionError(
            f"D{states[source], states[target]} is {values[source, target]}, but the distances "
            f"are {distances[source]} and {distances[target]}"
        )
