"""`block-model`: models of blocks, whose variables on_1, on_2, … say what a block is on."""

from __future__ import annotations

from bugsieve.pictures.scene import KeptForRun, Subject
from bugsieve.pictures.shapes import Drawing
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.numbered_variables import numbered, tallied
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.stacks import MOST_BLOCKS, Room, Stacks, draw_stacks, room_for


class BlockModelPicture(ModelPicture):
    """Blocks of a model as stacks, with how often each fell."""

    usage = "block-model"
    signs = ("! after a number: a fall of that block, !4 for four",)

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """A variable per block, whose values are 0 for the table and the numbers of blocks."""
        on = numbered(model, "on_")
        if not 2 <= len(on) <= MOST_BLOCKS or list(on) != list(range(1, len(on) + 1)):
            return f"there are no variables on_1, on_2, …, of at most {MOST_BLOCKS} blocks"
        bounds = {(variable.type.lower, variable.type.upper) for variable in on.values()}
        return None if bounds == {(0, len(on))} else "on_1, on_2, … are no numbers of blocks"

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        self._room = KeptForRun(_room)

    def draw_values(self, scene: ModelScene) -> Drawing:
        """Below are the counts that may be unsafe."""
        on = numbered(scene.model, "on_")
        roles = {str(n): "moved" for n, v in on.items() if scene.changed(v.name)}
        falls = numbered(scene.model, "cost_")
        marks = {str(n): tallied(int(scene.values[v.name])) for n, v in falls.items()}
        counts = [name for name in ("on_table", "time") if name in scene.values]
        notes = [(f"{name} {int(scene.values[name])}", "") for name in counts]
        notes.append(("unsafe" if scene.is_unsafe else "", "danger"))
        now = Stacks(_under(scene, scene.index), roles=roles, marks=marks)
        return draw_stacks(now, self._room.of(scene), scene.index, Stacks({}), notes)


def _room(scene: ModelScene) -> Room:
    return room_for(_under(scene, index) for index in range(len(scene.states)))


def _under(scene: ModelScene, index: int) -> dict[str, str | None]:
    values = scene.model.values(scene.states[index])
    below = {number: int(values[v.name]) for number, v in numbered(scene.model, "on_").items()}
    return {str(number): str(lower) if lower else None for number, lower in below.items()}
