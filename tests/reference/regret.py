"""The decision to blame by its definition, from the goal distances of all states."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf


def regrets(costs: Sequence[float], distances: Sequence[float]) -> list[float]:
    """The regret of each step: its cost, and by how much it takes the goal farther away.

    `distances` are those of the states before and after the steps. In a dead end nothing is lost
    any more.
    """
    return [
        0.0 if before == inf else cost + after - before
        for cost, (before, after) in zip(costs, pairwise(distances), strict=True)
    ]


def culprit(
    costs: Sequence[float], distances: Sequence[float], loop_start: int | None
) -> int | None:
    """The first step of the cycle with a regret, else the first of the run; None without any."""
    lost = [step for step, regret in enumerate(regrets(costs, distances)) if regret > 0]
    in_cycle = [step for step in lost if loop_start is not None and step >= loop_start]
    return next(iter(in_cycle or lost), None)
