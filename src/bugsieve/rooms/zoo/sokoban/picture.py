"""`sokoban`: stones that a player pushes to their places."""

from __future__ import annotations

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, TaskScene, Words
from bugsieve.pictures.shapes import Drawing, Rectangle, Shape
from bugsieve.rooms.zoo.grid import MOST_CELLS, Grid, directed_grid

_MOVES = ("move-dir", "move_dir", "movedir")


class SokobanPicture(TaskPicture):
    """A grid with a player and stones, and the places where stones belong."""

    usage = "sokoban"

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """The missing facts: things at cells, and moves from cell to cell in a direction."""
        if ("at", 2) not in words.arities or ("clear", 1) not in words.arities:
            return "there are no facts (at THING CELL) and (clear CELL)"
        if _grid(words) is None:
            return f"(move-dir CELL CELL DIRECTION) is no grid of at most {MOST_CELLS} cells"
        return None

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Draw pushed things as squares and pushing ones as circles: only these move alone."""
        grid = _grid(scene.words)
        assert grid is not None
        shapes: list[Shape] = grid.cells({})
        shapes += [_target(grid, cell) for (cell,) in scene.of("is-goal") if cell in grid.spots]
        stones = _stones(scene.words)
        for thing, cell in scene.of("at"):
            facts: list[Atom] = [("at", thing, cell), ("at-goal", thing)]
            role = scene.role(*facts)
            role = "" if role == "open goal" else role
            drawn = grid.square_thing if thing in stones else grid.round_thing
            shapes += drawn(thing, cell, role)
        return Drawing(*grid.size, tuple(shapes))


def _grid(words: Words) -> Grid | None:
    edges = [atom[1:] for atom in words.static if atom[0] in _MOVES and len(atom) == 4]
    return directed_grid((here, there, way) for here, there, way in edges) if edges else None


def _stones(words: Words) -> set[str]:
    """The things that can be at their goal, or are meant to be at some place."""
    atoms = [atom for atom in (*words.possible, *words.static) if atom[0] == "at-goal"]
    goals = [goal for goal in words.goals if goal[0] == "at"]
    return {atom[1] for atom in (*atoms, *goals)}


def _target(grid: Grid, cell: str) -> Shape:
    x, y = grid.corner(cell)
    return Rectangle(f"{cell} target", x + 3, y + 3, 34, 34, role="open goal")
