"""`block-model`: models of blocks, whose variables on_1, on_2, … say what a block is on."""

from __future__ import annotations

from bugsieve.pictures.models.numbered import numbered
from bugsieve.pictures.picture import ModelPicture
from bugsieve.pictures.scene import ModelScene
from bugsieve.pictures.shapes import Drawing
from bugsieve.pictures.stacks import MOST_BLOCKS, Stacks, draw_stacks
from bugsieve.tasks.jani.model import JaniModel


class BlockModelPicture(ModelPicture):
    """Blocks of a model as stacks, with how often each fell."""

    usage = "block-model"

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """A variable per block, whose values are 0 for the table and the numbers of blocks."""
        on = numbered(model, "on_")
        if not 2 <= len(on) <= MOST_BLOCKS or list(on) != list(range(1, len(on) + 1)):
            return f"there are no variables on_1, on_2, …, of at most {MOST_BLOCKS} blocks"
        bounds = {(variable.type.lower, variable.type.upper) for variable in on.values()}
        return None if bounds == {(0, len(on))} else "on_1, on_2, … are no numbers of blocks"

    def draw_values(self, scene: ModelScene) -> Drawing:
        """The table is danger where the state is."""
        on = numbered(scene.model, "on_")
        values = {number: int(scene.values[v.name]) for number, v in on.items()}
        under = {str(n): str(below) if below else None for n, below in values.items()}
        roles = {str(n): "moved" for n, v in on.items() if scene.changed(v.name)}
        falls = numbered(scene.model, "cost_")
        marks = {str(n): "!" * int(scene.values[v.name]) for n, v in falls.items()}
        notes = [
            (f"{name} {int(scene.values[name])}", "")
            for name in ("on_table", "time")
            if name in scene.values
        ]
        if scene.is_unsafe:
            notes.append(("unsafe", "danger"))
        now = Stacks(under, (), roles, marks)
        return draw_stacks(list(under), now, Stacks({}), notes)
