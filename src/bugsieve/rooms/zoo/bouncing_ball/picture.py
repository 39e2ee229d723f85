"""`ball`: models of a ball with a height and a velocity."""

from __future__ import annotations

from bugsieve.pictures.shapes import Circle, Drawing, Line, Shape, Text
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.numbered_variables import one_of
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.arrows import arrow
from bugsieve.rooms.zoo.value_curves import HEIGHT, TOP, WIDTH, drawn_course

_HEIGHTS = ("height", "p", "position")
_VELOCITIES = ("velocity", "v")
_ROOM = 60.0


class BallPicture(ModelPicture):
    """The ball over the ground with its velocity, and its height over time."""

    usage = "ball"

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """A height and a velocity, both real."""
        height, velocity = one_of(model, *_HEIGHTS), one_of(model, *_VELOCITIES)
        is_ball = height is not None and velocity is not None
        if not is_ball or {v.type.kind for v in (height, velocity) if v is not None} != {"real"}:
            return "there are no real variables height and velocity"
        return None if float(height.type.lower) >= 0 else "the height may be below 0"  # type: ignore[union-attr]

    def draw_values(self, scene: ModelScene) -> Drawing:
        """The ball stands at the right, on the scale of the curve."""
        height, velocity = one_of(scene.model, *_HEIGHTS), one_of(scene.model, *_VELOCITIES)
        assert height is not None
        assert velocity is not None
        shapes: list[Shape] = drawn_course(scene, height.name)
        now = next(s for s in shapes if isinstance(s, Circle))
        x = WIDTH + _ROOM / 2
        ground = TOP + HEIGHT
        role = "danger" if scene.is_unsafe else ""
        shapes.append(Line("ground", WIDTH, ground + 9, WIDTH + _ROOM, ground + 9, tone="dark"))
        shapes.append(Circle("ball", x, now.y, 9, role=role))
        speed = float(scene.values[velocity.name])
        fastest = max(float(abs(one).max()) for one in scene.courses(velocity.name)) or 1.0
        if speed:
            shapes.append(arrow("velocity", x, now.y, x, now.y - 30 * speed / fastest))
        shapes.append(Text("velocity value", x, TOP + HEIGHT + 22, f"v {speed:.3g}", 11.0))
        if scene.is_unsafe:
            shapes.append(Text("unsafe", WIDTH / 2, ground + 22, "unsafe", 13.0, role="danger"))
        return Drawing(WIDTH + _ROOM, TOP + HEIGHT + 34, tuple(shapes))
