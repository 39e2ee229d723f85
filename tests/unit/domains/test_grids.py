"""Grids: neighbours, walking, and holes that keep the rest connected."""

from __future__ import annotations

import pytest

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.grids import neighbours, reachable, rectangle, step, thinned


def test_neighbours_stay_among_the_cells() -> None:
    cells = set(rectangle(2, 3))
    assert dict(neighbours((0, 0), cells)) == {"down": (1, 0), "right": (0, 1)}
    assert dict(neighbours((1, 1), cells)) == {"up": (0, 1), "left": (1, 0), "right": (1, 2)}


def test_steps() -> None:
    assert step((3, 3), "up", length=2) == (1, 3)
    assert step((3, 3), "right") == (3, 4)


def test_walls_stop_a_walk() -> None:
    free = set(rectangle(3, 3)) - {(0, 1), (1, 1), (2, 1)}
    assert reachable((0, 0), free) == {(0, 0), (1, 0), (2, 0)}


@pytest.mark.parametrize("seed", range(20))
def test_holes_keep_the_grid_connected(seed: int) -> None:
    grid = rectangle(5, 6)
    missing = seed % 30
    cells = thinned(grid, missing, Stream(seed))
    assert len(cells) == 30 - missing
    assert cells == [cell for cell in grid if cell in set(cells)]
    assert reachable(cells[0], set(cells)) == set(cells)


def test_every_cell_can_become_a_hole() -> None:
    grid = rectangle(3, 3)
    holes = {cell for n in range(200) for cell in set(grid) - set(thinned(grid, 1, Stream(n)))}
    assert holes == set(grid)
