"""Rectangular grids of cells, whole or with random holes, for the domains played on a board."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bugsieve.base.seeds import Stream

Cell = tuple[int, int]
"""(row, column), both from 0; rows grow downwards."""

STEPS: dict[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def rectangle(rows: int, columns: int) -> list[Cell]:
    """All cells, row by row."""
    return [(row, column) for row in range(rows) for column in range(columns)]


def step(cell: Cell, direction: str, *, length: int = 1) -> Cell:
    """The cell that lies `length` steps away, inside the grid or not."""
    down, right = STEPS[direction]
    return cell[0] + length * down, cell[1] + length * right


def neighbours(cell: Cell, among: Collection[Cell]) -> Iterator[tuple[str, Cell]]:
    """(direction, cell) for the adjacent cells that are `among` the given ones."""
    for direction in STEPS:
        other = step(cell, direction)
        if other in among:
            yield direction, other


def reachable(start: Cell, free: Collection[Cell]) -> set[Cell]:
    """The free cells that can be walked to from `start`, which counts as free."""
    seen, open_cells = {start}, [start]
    while open_cells:
        for _, cell in neighbours(open_cells.pop(), free):
            if cell not in seen:
                seen.add(cell)
                open_cells.append(cell)
    return seen


def thinned(cells: list[Cell], missing: int, rng: Stream) -> list[Cell]:
    """The cells without `missing` random ones; a connected grid stays connected.

    Only leaves of a random spanning tree are taken away, and the rest of a tree is a tree.
    """
    parent = _spanning_tree(cells, rng)
    children = dict.fromkeys(cells, 0)
    for above in parent.values():
        children[above] += 1
    leaves = [cell for cell in cells if cell in parent and not children[cell]]
    removed = set()
    for _ in range(missing):
        index = rng.integer(0, len(leaves) - 1)
        leaves[index], leaves[-1] = leaves[-1], leaves[index]
        leaf = leaves.pop()
        removed.add(leaf)
        above = parent[leaf]
        children[above] -= 1
        if not children[above] and above in parent:
            leaves.append(above)
    return [cell for cell in cells if cell not in removed]


def _spanning_tree(cells: list[Cell], rng: Stream) -> dict[Cell, Cell]:
    """Each cell's parent in a random depth-first tree; the root has none."""
    among = set(cells)
    stack = [rng.choice(cells)]
    seen = set(stack)
    parent: dict[Cell, Cell] = {}
    while stack:
        open_ends = [cell for _, cell in neighbours(stack[-1], among) if cell not in seen]
        if not open_ends:
            stack.pop()
            continue
        chosen = rng.choice(open_ends)
        parent[chosen] = stack[-1]
        seen.add(chosen)
        stack.append(chosen)
    return parent
