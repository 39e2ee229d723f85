"""Upper bounds on the probability of reaching the goal, proven with whole numbers.

Floats give a solution of the equations v(s) = sum of p(a) v(s after a), with 1 in goals and in
states of which nothing is known, and 0 in traps. It is rounded to whole numbers of `SCALE`-ths and
raised until v(s) >= sum of p(a) v(s after a) holds exactly: numbers that satisfy this are not less
than the least solution, which is the probability. The checker needs nothing but these numbers.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.stopping import check_stop
from bugsieve.policies.distributions import Weights
from bugsieve.rooms.stochastic.graph import Choice
from bugsieve.rooms.stochastic.part import ReachablePart

SCALE = 10**12
"""Bounds are multiples of its inverse: as decimals they are floats that print as they are."""

_RAISES = (0, 1, 4, 64, 4096, 1 << 20)
"""By how many SCALE-ths per expected step a solution is raised until it is a bound; floats miss
by far less than the last."""

Matrix = NDArray[np.float64]


def upper_bounds(part: ReachablePart) -> dict[int, int]:
    """For states of the part a bound on the probability from there, in SCALE-ths.

    Others, among them goals and those of which nothing is known, count as SCALE. Traps have 0.
    """
    inner = [s for s in part.asked if s not in part.traps and s not in part.open]
    chances, steps = _solved(part, inner)
    exact = {state: exact_weights(part.graph.choice(state).weights) for state in inner}
    for raised in _RAISES:
        values = _rounded(chances, steps, raised)
        bounds = dict.fromkeys(part.traps, 0)
        bounds.update(zip(inner, values, strict=True))
        if all(_holds(part.graph.choice(s), exact[s], s, bounds) for s in inner):
            return {state: value for state, value in bounds.items() if value < SCALE}
    return dict.fromkeys(part.traps, 0)


def exact_weights(weights: Weights) -> tuple[int, ...]:
    """Whole numbers in the proportion of the weights, taken as the decimals that they print as."""
    fractions = [Fraction(repr(weight)) for _, weight in weights]
    common = lcm(*(fraction.denominator for fraction in fractions))
    return tuple(int(fraction * common) for fraction in fractions)


def _rounded(chances: Matrix, steps: Matrix, raised: int) -> list[int]:
    if not raised:  # to the nearest: where a solution has few digits, that is the solution
        chances = np.nan_to_num(np.rint(chances * SCALE), nan=SCALE)
        return [int(value) for value in np.minimum(chances, SCALE).tolist()]
    more = np.nan_to_num(np.ceil(chances * SCALE + raised * (1 + steps)), nan=SCALE)
    return [int(value) for value in np.minimum(more, SCALE).tolist()]


def _holds(choice: Choice, exact: tuple[int, ...], state: int, bounds: dict[int, int]) -> bool:
    """Return true if the bound of a state is not less than what its successors give it."""
    after = sum(
        weight * bounds.get(successor, SCALE)
        for weight, successor in zip(exact, choice.successors, strict=True)
    )
    return after <= bounds[state] * sum(exact)


def _solved(part: ReachablePart, inner: list[int]) -> tuple[Matrix, Matrix]:
    """The probabilities of the inner states, and how many steps runs stay among them.

    States are eliminated from the last to the first. Nothing is subtracted: what a state keeps
    for itself is told from what it gives away, so that errors stay small however long runs are.
    """
    count = len(inner)
    table = _table(part, inner)
    for last in range(count - 1, -1, -1):
        check_stop()
        row = table[last]
        away = row[:last].sum() + row[count] + row[count + 1]
        if away == 0.0:  # too small for floats: anything may happen
            row[count] = away = 1.0
        row[:last] /= away
        row[count:] /= away
        row[last] = 0.0
        before = np.flatnonzero(table[:last, last])
        share = table[before, last][:, None]
        table[before, :last] += share * row[:last]
        table[before, count:] += share * row[count:]
    chances, steps = np.zeros(count), np.zeros(count)
    for state in range(count):
        row = table[state, :state]
        chances[state] = (row * chances[:state]).sum() + table[state, count]
        steps[state] = (row * steps[:state]).sum() + table[state, count + 2]
    return chances, steps


def _table(part: ReachablePart, inner: list[int]) -> Matrix:
    """A row per inner state: to which of them its actions lead, to the goal, to traps, and 1."""
    count = len(inner)
    places = {state: place for place, state in enumerate(inner)}
    table = np.zeros((count, count + 3))
    for row, state in enumerate(inner):
        choice = part.graph.choice(state)
        for chance, after in zip(choice.chances, choice.successors, strict=True):
            table[row, places.get(after, count + (after in part.traps))] += chance
        table[row, count + 2] = 1.0
    return table
