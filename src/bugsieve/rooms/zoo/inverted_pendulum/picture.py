"""`pendulum`: models of a pole that is to stay upright, by itself or on a cart."""

from __future__ import annotations

from math import cos, sin

from bugsieve.pictures.shapes import Circle, Drawing, Line, Rectangle, Shape, Text
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.numbered_variables import one_of
from bugsieve.rooms.jani.pictures.picture import ModelPicture
from bugsieve.rooms.jani.pictures.scene import ModelScene
from bugsieve.rooms.zoo.value_curves import HEIGHT, TOP, WIDTH, drawn_course

_ANGLES = ("angle", "theta")
_SPEEDS = ("angular_velocity", "omega", "theta_dot")
_ROOM, _LENGTH = 130.0, 52.0


class PendulumPicture(ModelPicture):
    """The pole at its angle, on its cart if it has one, and the angle over time."""

    usage = "pendulum"

    @classmethod
    def objection_to(cls, model: JaniModel) -> str | None:
        """An angle and an angular velocity, both real."""
        found = [one_of(model, *_ANGLES), one_of(model, *_SPEEDS)]
        if any(variable is None or variable.type.kind != "real" for variable in found):
            return "there are no real variables angle and angular_velocity, or theta and omega"
        return None

    def draw_values(self, scene: ModelScene) -> Drawing:
        """An angle of 0 is upright, positive ones lean to the right."""
        angle = one_of(scene.model, *_ANGLES)
        assert angle is not None
        shapes: list[Shape] = drawn_course(scene, angle.name, zero=True)
        height = TOP + HEIGHT
        cart = one_of(scene.model, "x")
        if cart is not None:
            shapes += drawn_course(scene, cart.name, zero=True, top=height + TOP + 6)
            height += HEIGHT + TOP + 6
        shapes += _pole(scene, float(scene.values[angle.name]), cart is not None)
        if scene.is_unsafe:
            x = WIDTH + _ROOM / 2
            shapes.append(Text("unsafe", x, 12, "unsafe", 13.0, role="danger"))
        return Drawing(WIDTH + _ROOM, height + 12, tuple(shapes))


def _pole(scene: ModelScene, angle: float, on_cart: bool) -> list[Shape]:
    role = "danger" if scene.is_unsafe else ""
    x, y = WIDTH + _ROOM / 2, TOP + (HEIGHT - 28 if on_cart else HEIGHT / 2)
    end = x + _LENGTH * sin(angle), y - _LENGTH * cos(angle)
    base: Shape = Circle("base", x, y, 5, tone="dark")
    if on_cart:
        base = Rectangle("base", x - 22, y - 2, 44, 14, tone="dark")
    return [
        Line("upright", x, y, x, y - _LENGTH, tone="faint"),
        base,
        Line("pole", x, y, *end, role=role, tone="dark"),
        Circle("weight", *end, 8, role=role),
    ]
