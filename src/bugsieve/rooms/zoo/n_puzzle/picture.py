"""`puzzle`: models of sliding tiles, whose variables tile_1, tile_2, … say in which cell it is."""

from __future__ import annotations

from bugsieve.pictures.shapes import Drawing, Shape, Text
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.numbered_variables import numbered, tallied
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.grid import MOST_CELLS, Grid
from bugsieve.rooms.zoo.layouts import in_rows


class PuzzlePicture(ModelPicture):
    """Tiles that slide in a frame, with how often a slide of each failed."""

    usage = "puzzle"
    signs = ("! after a number: a slide of that tile that failed, !4 for four",)

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """A variable per tile, one for the empty cell, all with numbers of cells as values."""
        tiles = numbered(model, "tile_")
        cells = len(tiles) + 1
        bounds = {(v.type.lower, v.type.upper) for v in model.variables if v.name == "empty"}
        bounds |= {(variable.type.lower, variable.type.upper) for variable in tiles.values()}
        if not tiles or bounds != {(1, cells)} or "empty" not in {v.name for v in model.variables}:
            return "there are no variables empty, tile_1, tile_2, … with numbers of cells"
        return None if cells <= MOST_CELLS else f"there are more than {MOST_CELLS} cells"

    def draw_values(self, scene: ModelScene) -> Drawing:
        """Tiles in their own cells are goals."""
        tiles = numbered(scene.model, "tile_")
        cells = [str(cell) for cell in range(1, len(tiles) + 2)]
        grid = Grid(in_rows(cells, self._columns(scene, len(cells))))
        shapes: list[Shape] = grid.cells({})
        costs = numbered(scene.model, "cost_")
        for number, tile in tiles.items():
            cell = int(scene.values[tile.name])
            role = "moved" if scene.changed(tile.name) else "goal" if cell == number else ""
            failed = int(scene.values[costs[number].name]) if number in costs else 0
            shapes += grid.square_thing(tile.name, str(cell), role, f"{number}{tallied(failed)}")
        width, height = grid.size
        if scene.is_unsafe:
            shapes.append(Text("unsafe", width / 2, height + 8, "unsafe", 13.0, role="danger"))
        return Drawing(width, height + 20, tuple(shapes))

    def _columns(self, scene: ModelScene, cells: int) -> int:
        """The distance that one slide up or down moves the empty cell; no variable says it."""
        names = [variable.name for variable in scene.model.variables]
        column = names.index("empty")
        after = scene.model.expand(scene.states[0]).outcomes[:, column]
        widest = int(abs(after - scene.states[0][column]).max(initial=1))
        return widest if widest > 1 and cells % widest == 0 else cells
