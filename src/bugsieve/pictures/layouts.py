"""Where places are drawn: coordinates in steps of one place, the same for all states of a task."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Spot = tuple[float, float]
"""Column and row, which need not be whole numbers."""
Edge = tuple[str, str]

MOST_ON_MAP = 60
"""Places of a map; the layout needs all distances between them."""
STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_ROUNDS = 150


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
    """A plane in which distances are nearly those in the graph, with steps of at least one.

    By majorisation of the stress from a circle on, so the same graph has the same map.
    """
    if len(names) < 3:
        return in_rows(names, 2)
    wanted = _distances(names, edges)
    turns = 2 * np.pi * np.arange(len(names)) / len(names)
    spots = np.stack([np.cos(turns), np.sin(turns)], axis=1) * wanted.max() / 2
    for _ in range(_ROUNDS):
        spots = _majorised(spots, wanted)
    return _spaced(dict(zip(names, map(tuple, _upright(spots).tolist()), strict=True)))


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


def _spaced(spots: Mapping[str, Spot]) -> dict[str, Spot]:
    """Stretched until no two are less than a step apart, in width or in height."""
    table = np.array(list(spots.values()))
    gaps = np.abs(table[:, None] - table[None]).max(axis=2)
    gaps[np.diag_indices(len(table))] = np.inf
    scale = 1.0 / max(float(gaps.min()), 0.05)
    stretched = {name: (x * scale, y * scale) for name, (x, y) in spots.items()}
    # Rounded, as the last digits depend on the machine.
    return {name: (round(x, 2), round(y, 2)) for name, (x, y) in from_zero(stretched).items()}
