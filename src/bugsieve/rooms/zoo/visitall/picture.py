"""`visitall`: a robot that visits cells of a grid."""

from __future__ import annotations

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.pictures.shapes import Drawing, Line, Shape
from bugsieve.rooms.zoo.grid import MOST_CELLS, Grid, connected_grid


class VisitallPicture(TaskPicture):
    """A grid whose cells are to be visited, and the robot in it."""

    usage = "visitall"
    signs = ("R: the robot",)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Cells are connected, visited and where the robot is."""
        if not {("visited", 1), ("at-robot", 1)} <= words.arities:
            return "there are no facts (visited CELL) and (at-robot CELL)"
        if connected_grid(words) is None:
            return f"(connected CELL CELL) is no grid of at most {MOST_CELLS} cells with numbers"
        return None

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Visited cells that are goals have thick lines, others a stroke."""
        grid = connected_grid(scene.words)
        assert grid is not None
        roles = {cell: scene.role(("visited", cell)) for cell in grid.spots}
        visited = {cell for (cell,) in scene.of("visited") if cell in grid.spots}
        shapes = [*grid.cells(roles), *(_stroke(grid, cell) for cell in sorted(visited))]
        for (cell,) in scene.of("at-robot"):
            shapes += grid.round_thing("robot", cell, scene.role(("at-robot", cell)), "R")
        return Drawing(*grid.size, tuple(shapes))


def _stroke(grid: Grid, cell: str) -> Shape:
    x, y = grid.middle(cell)
    return Line(f"{cell} visited", x - 14, y + 14, x - 6, y + 14, tone="dark")
