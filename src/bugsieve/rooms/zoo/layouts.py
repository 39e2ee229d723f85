"""Coordinates of drawn places, in steps of one place, the same for all states of a task."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from math import hypot
from statistics import median

import numpy as np
from numpy.typing import NDArray

Spot = tuple[float, float]
"""Column and row, which need not be whole numbers."""
Edge = tuple[str, str]

MOST_ON_MAP = 60
"""Places of a map; the layout needs all distances between them."""
STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_ROUNDS = 150
_NEAR = 1.1
"""The usual distance of neighbours, in cells."""


def in_rows(names: Sequence[str], columns: int) -> dict[str, Spot]:
    """From left to right and from top to bottom."""
    return {name: (k % columns, k // columns) for k, name in enumerate(names)}


def by_directions(edges: Iterable[tuple[str, str, str]]) -> dict[str, Spot] | None:
    """Coordinates that agree with edges (here, there, direction); None if there are none."""
    ways: dict[str, list[tuple[str, int, int]]] = {}
    for here, there, direction in edges:
        if direction not in STEPS:
            return None
        x, y = STEPS[direction]
        ways.setdefault(here, []).append((there, x, y))
        ways.setdefault(there, []).append((here, -x, -y))
    found: dict[str, Spot] = {}
    for name in ways:
        if name not in found:
            found[name] = (max((x for x, _ in found.values()), default=-2) + 2, 0)
            _spread(name, ways, found)
    is_right = all(
        found[there] == (found[here][0] + x, found[here][1] + y)
        for here, steps in ways.items()
        for there, x, y in steps
    )
    return from_zero(found) if is_right and len(set(found.values())) == len(found) else None


def _spread(
    first: str, ways: Mapping[str, Sequence[tuple[str, int, int]]], found: dict[str, Spot]
) -> None:
    waiting = deque([first])
    while waiting:
        here = waiting.popleft()
        for there, x, y in ways[here]:
            if there not in found:
                found[there] = (found[here][0] + x, found[here][1] + y)
                waiting.append(there)


def by_numbers(names: Collection[str], edges: Iterable[Edge]) -> dict[str, Spot] | None:
    """Coordinates by the last two numbers in the names, if neighbours are neighbours there."""
    found: dict[str, Spot] = {}
    for name in names:
        numbers = re.findall(r"[0-9]{1,4}", name[-100:])
        if len(numbers) < 2:
            return None
        found[name] = (int(numbers[-1]), int(numbers[-2]))
    is_grid = all(
        abs(found[one][0] - found[two][0]) + abs(found[one][1] - found[two][1]) == 1
        for one, two in edges
    )
    return from_zero(found) if is_grid and len(set(found.values())) == len(found) else None


def from_zero(spots: Mapping[str, Spot]) -> dict[str, Spot]:
    """The same, moved so that the first column and row are 0."""
    left, top = (min(spot[axis] for spot in spots.values()) for axis in (0, 1))
    return {name: (x - left, y - top) for name, (x, y) in spots.items()}


def on_map(names: Sequence[str], edges: Iterable[Edge]) -> dict[str, Spot]:
    """A plane in which distances are nearly those in the graph, then the cells nearest to that.

    By majorisation of the stress from a circle on, so the same graph has the same map.
    """
    if len(names) < 3:
        return in_rows(names, 2)
    ways = list(edges)
    wanted = _distances(names, ways)
    turns = 2 * np.pi * np.arange(len(names)) / len(names)
    spots = np.stack([np.cos(turns), np.sin(turns)], axis=1) * wanted.max() / 2
    for _ in range(_ROUNDS):
        spots = _majorised(spots, wanted)
    return _in_cells(dict(zip(names, map(tuple, _upright(spots).tolist()), strict=True)), ways)


def _distances(names: Sequence[str], edges: Iterable[Edge]) -> NDArray[np.float64]:
    """Lengths of shortest ways, both ways; parts without one are a little apart."""
    place = {name: k for k, name in enumerate(names)}
    far = float(len(names))
    lengths = np.full((len(names), len(names)), far)
    np.fill_diagonal(lengths, 0.0)
    for one, two in edges:
        lengths[place[one], place[two]] = lengths[place[two], place[one]] = 1.0
    for middle in range(len(names)):
        lengths = np.minimum(lengths, lengths[:, middle, None] + lengths[None, middle, :])
    np.fill_diagonal(lengths, 0.0)
    near = lengths[lengths < far]
    return np.where(lengths < far, lengths, near.max() + 1)


def _majorised(spots: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """One step: the minimum of a quadratic function that touches the stress from above."""
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    ratio = np.divide(wanted, apart, out=np.zeros_like(wanted), where=apart > 1e-9)
    pull = np.diag(ratio.sum(axis=1)) - ratio
    moved: NDArray[np.float64] = pull @ spots / len(spots)
    return moved


def _upright(spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turned so that it is widest from left to right, with the first place at the left."""
    x, y = (spots - spots.mean(axis=0)).T
    turn = 0.5 * np.arctan2(2 * (x * y).sum(), (x * x - y * y).sum())
    wide = x * np.cos(turn) + y * np.sin(turn)
    high = y * np.cos(turn) - x * np.sin(turn)
    return np.stack([_signed(wide), _signed(high)], axis=1)


def _signed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values if values[0] < 0 else -values


def _in_cells(spots: Mapping[str, Spot], edges: Iterable[Edge]) -> dict[str, Spot]:
    """Each in a cell of its own near its spot, neighbours mostly in cells side by side."""
    lengths = [
        hypot(spots[one][0] - spots[two][0], spots[one][1] - spots[two][1])
        for one, two in edges
        if one != two
    ]
    scale = _NEAR / (median(lengths) if lengths else 1.0)
    # Rounded, as the last digits depend on the machine.
    scaled = {name: (round(x * scale, 3), round(y * scale, 3)) for name, (x, y) in spots.items()}
    taken: dict[tuple[int, int], str] = {}
    for name in sorted(scaled, key=lambda one: (hypot(*scaled[one]), one)):
        taken[_free_cell(scaled[name], taken)] = name
    columns, rows = (sorted({cell[axis] for cell in taken}) for axis in (0, 1))
    # Empty columns and rows are left out.
    return {name: (columns.index(x), rows.index(y)) for (x, y), name in taken.items()}


def _free_cell(spot: Spot, taken: Collection[tuple[int, int]]) -> tuple[int, int]:
    """The nearest one that is not taken."""
    column, row = round(spot[0]), round(spot[1])
    reach = 1
    while True:
        cells = product(
            range(column - reach, column + reach + 1), range(row - reach, row + reach + 1)
        )
        free = [cell for cell in cells if cell not in taken]
        if free:
            return min(free, key=lambda cell: (hypot(cell[0] - spot[0], cell[1] - spot[1]), cell))
        reach += 1
