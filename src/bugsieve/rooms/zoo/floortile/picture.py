"""`floortile`: robots that paint the tiles of a floor."""

from __future__ import annotations

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import TaskScene, Words
from bugsieve.pictures.shapes import Circle, Drawing, Shape, label
from bugsieve.rooms.zoo.grid import MOST_CELLS, Grid, directed_grid
from bugsieve.rooms.zoo.layouts import STEPS


class FloortilePicture(TaskPicture):
    """A floor of tiles with their colours, wanted or painted, and the robots on it."""

    usage = "floortile"
    signs = ("?: the colour that is wanted", "R1b: robot 1 with a colour that begins with b")

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """Tiles are painted and lie beside each other, and robots are on them."""
        if not {("robot-at", 2), ("painted", 2)} <= words.arities:
            return "there are no facts (robot-at ROBOT TILE) and (painted TILE COLOUR)"
        if _grid(words) is None:
            return f"(up TILE TILE), (left TILE TILE), … are no grid of at most {MOST_CELLS} tiles"
        return None

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """The colour of a tile is written at its bottom, that which is wanted with a mark."""
        grid = _grid(scene.words)
        assert grid is not None
        painted = dict(pair for pair in scene.of("painted") if len(pair) == 2)
        wanted = {goal[1]: goal[2] for goal in sorted(scene.goals) if goal[0] == "painted"}
        roles = {
            tile: scene.role(*(("painted", tile, c) for c in _colours(tile, painted, wanted)))
            for tile in grid.spots
        }
        shapes: list[Shape] = grid.cells(roles)
        for tile in grid.spots:
            if tile in painted or tile in wanted:
                text = painted.get(tile) or f"{wanted[tile]}?"
                x, y = grid.middle(tile)
                shapes.append(label(f"{tile} colour", text, x, y + 11, 36, size=10.0))
        has = dict(pair for pair in scene.of("robot-has") if len(pair) == 2)
        for robot, tile in scene.of("robot-at"):
            role = scene.role(("robot-at", robot, tile), ("robot-has", robot, has.get(robot, "")))
            shapes += _robot(robot, grid.middle(tile), role, _short(robot, has))
        return Drawing(*grid.size, tuple(shapes))


def _colours(tile: str, *tables: dict[str, str]) -> list[str]:
    return [table[tile] for table in tables if tile in table]


def _robot(name: str, middle: tuple[float, float], role: str, text: str) -> list[Shape]:
    """In the upper part of a tile, over its colour."""
    x, y = middle[0], middle[1] - 6
    return [
        Circle(name, x, y, 11, role=role, tone="dark"),
        label(f"{name} name", text, x, y, 19, size=10.0),
    ]


def _short(robot: str, has: dict[str, str]) -> str:
    """The robot's number, if it has one, and the first letter of its colour."""
    number = "".join(letter for letter in robot if letter.isdigit())
    return f"R{number}{has.get(robot, ' ')[:1]}"


def _grid(words: Words) -> Grid | None:
    """`(up there here)`: there lies above here."""
    edges = [(a[2], a[1], a[0]) for a in words.static if a[0] in STEPS and len(a) == 3]
    return directed_grid(edges) if edges else None
