"""`line`: models of a truck with a speed on a line of positions with packages."""

from __future__ import annotations

from bugsieve.pictures.shapes import Drawing, Line, Rectangle, Shape, Text, label
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.variables import ModelVariable
from bugsieve.rooms.jani.numbered_variables import numbered, one_of
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.arrows import arrow

_POSITION, _SPEED = ("position", "truck_0"), ("speed", "truck_vel_0")
_LOAD, _PARKED = ("load", "truck_load_0"), ("parked", "parked_0")
_PLACES = ("packages_", "location_load_")
_STEP, _GROUND, _MARGIN = 34.0, 110.0, 24.0
_MOST_POSITIONS = 60


class LinePicture(ModelPicture):
    """A truck on a line, its speed as an arrow, and the packages at each position."""

    usage = "line"

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """A position, a speed, and packages by position."""
        where, speed = one_of(model, *_POSITION), one_of(model, *_SPEED)
        if where is None or speed is None or {where.type.kind, speed.type.kind} != {"int"}:
            return "there are no whole numbers position and speed"
        if where.type.upper - where.type.lower > _MOST_POSITIONS + 2:
            return f"there are more than {_MOST_POSITIONS} positions"
        if not 1 < len(_places(model)) <= _MOST_POSITIONS:
            return f"there are no variables packages_0, …, at most {_MOST_POSITIONS}"
        return None

    def draw_values(self, scene: ModelScene) -> Drawing:
        """Positions beyond the ends are drawn, too: the truck may get there."""
        where, speed = one_of(scene.model, *_POSITION), one_of(scene.model, *_SPEED)
        assert where is not None
        assert speed is not None
        first, last = int(where.type.lower), int(where.type.upper)
        places = _places(scene.model)
        shapes: list[Shape] = []
        for number in range(first, last + 1):
            shapes += _position(scene, number, first, places.get(number))
        width = 2 * _MARGIN + (last - first + 1) * _STEP
        shapes += self._truck(scene, where, speed, width)
        if scene.is_unsafe:
            shapes.append(Text("unsafe", width / 2, 12, "unsafe", 13.0, role="danger"))
        return Drawing(width, _GROUND + 40, tuple(shapes))

    def _truck(
        self, scene: ModelScene, where: ModelVariable, speed: ModelVariable, width: float
    ) -> list[Shape]:
        x = _middle(int(scene.values[where.name]), int(where.type.lower))
        role = "danger" if scene.is_unsafe else "moved" if scene.changed(where.name) else ""
        load = one_of(scene.model, *_LOAD)
        held = "" if load is None else f"{int(scene.values[load.name])}"
        parked = one_of(scene.model, *_PARKED)
        stands = parked is not None and bool(scene.values[parked.name])
        shapes: list[Shape] = [
            Rectangle("truck", x - 14, _GROUND - 26, 28, 20, role=role, tone="dark"),
            label("truck load", f"P{held}" if stands else held, x, _GROUND - 16, 26),
        ]
        pace = int(scene.values[speed.name])
        changed = "moved" if scene.changed(speed.name) else ""
        if pace:
            end = min(max(4.0, x + pace * _STEP), width - 4)
            shapes.append(arrow("speed", x, _GROUND - 38, end, _GROUND - 38, role=changed))
        text = f"speed {pace}" + (", parked" if stands else "")
        shapes.append(Text("speed value", x, _GROUND - 50, text, 11.0, role=changed))
        return shapes


def _places(model: JaniModel) -> dict[int, ModelVariable]:
    return next((found for prefix in _PLACES if (found := numbered(model, prefix))), {})


def _middle(number: int, first: int) -> float:
    return _MARGIN + (number - first + 0.5) * _STEP


def _position(
    scene: ModelScene, number: int, first: int, packages: ModelVariable | None
) -> list[Shape]:
    x = _middle(number, first)
    left, right = x - _STEP / 2 + 2, x + _STEP / 2 - 2
    name = f"position {number}"
    if packages is None:  # beyond an end
        return [Line(name, left, _GROUND, right, _GROUND, role="danger")]
    count = int(scene.values[packages.name])
    role = "moved" if scene.changed(packages.name) else ""
    shapes: list[Shape] = [
        Line(name, left, _GROUND, right, _GROUND, tone="dark"),
        Text(f"{name} name", x, _GROUND + 30, str(number), 10.0),
    ]
    if count:
        shapes.append(Rectangle(f"{name} packages", x - 10, _GROUND + 5, 20, 16, role=role))
        shapes.append(label(f"{name} count", str(count), x, _GROUND + 13, 18, size=11.0))
    return shapes
