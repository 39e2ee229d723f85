"""`cars`: models of a car that follows another one."""

from __future__ import annotations

from bugsieve.pictures.shapes import Drawing, Line, Rectangle, Shape, Text
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.state_wording import value_text
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.arrows import arrow

_WIDTH, _GROUND, _MARGIN = 360.0, 84.0, 30.0
_HALF = 56.0
"""Half of the longest text."""
_PACE = 0.5
"""The length of the arrow per speed: the fastest one ends on the sheet."""


class CarsPicture(ModelPicture):
    """Two cars on a road, the distance between them, and the speed of the one behind."""

    usage = "cars"

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """The positions of both, and the speed of the follower."""
        names = {variable.name for variable in model.variables if variable.type.kind == "real"}
        if not {"lead", "ego", "speed"} <= names:
            return "there are no real variables lead, ego and speed"
        return None

    def draw_values(self, scene: ModelScene) -> Drawing:
        """The leader stays in its place: what counts is how far behind the other one is."""
        lead, ego, speed = (float(scene.values[name]) for name in ("lead", "ego", "speed"))
        runs = zip(scene.courses("lead"), scene.courses("ego"), strict=True)
        farthest = max(float((leads - egos).max()) for leads, egos in runs)
        scale = (_WIDTH - 2 * _MARGIN - 40) / max(farthest, 1.0)
        front = _WIDTH - _MARGIN
        behind = front - (lead - ego) * scale
        role = "danger" if scene.is_unsafe else "moved" if scene.changed("ego") else ""
        pace = "moved" if scene.changed("speed") else ""
        shapes: list[Shape] = [
            Line("road", 0, _GROUND, _WIDTH, _GROUND, tone="dark"),
            Rectangle("lead", front - 18, _GROUND - 20, 36, 18),
            Text("lead value", front, _GROUND - 30, f"lead {value_text(lead)}", 11.0, "end"),
            Rectangle("ego", behind - 18, _GROUND - 20, 36, 18, role=role, tone="dark"),
            Line("gap", behind, _GROUND + 10, front, _GROUND + 10, tone="thing"),
            _text("gap", (behind + front) / 2, _GROUND + 22, f"distance {value_text(lead - ego)}"),
            arrow("speed", behind, _GROUND - 44, behind + _PACE * speed, _GROUND - 44, role=pace),
            _text("speed", behind, _GROUND - 56, f"speed {value_text(speed)}", role=pace),
        ]
        if scene.is_unsafe:
            shapes.append(Text("unsafe", _WIDTH / 2, 12, "unsafe", 13.0, role="danger"))
        return Drawing(_WIDTH, _GROUND + 36, tuple(shapes))


def _text(name: str, x: float, y: float, text: str, *, role: str = "") -> Text:
    """Around its place, or up to the edge where it would be cut."""
    if x + _HALF <= _WIDTH:
        return Text(f"{name} value", x, y, text, 11.0, role=role)
    return Text(f"{name} value", _WIDTH - 4, y, text, 11.0, "end", role=role)
