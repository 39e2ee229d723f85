"""`bars`: the variables as rows, each with its value and a bar where its values have an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.pictures.picture import Picture
from bugsieve.pictures.scene import ModelScene, Scene, TaskScene
from bugsieve.pictures.shapes import Drawing, Rectangle, Shape, Text, label
from bugsieve.rooms.jani.model.state_wording import value_text
from bugsieve.rooms.jani.model.variables import Variable

_ROW, _NAME, _BAR, _VALUE = 20.0, 130.0, 120.0, 110.0
_MOST_ROWS = 80


@dataclass(frozen=True)
class _Row:
    """A variable: its value as a text, and how far it is between its bounds."""

    name: str
    value: str
    share: float | None
    before: float | None
    role: str


class BarsPicture(Picture):
    """The variables of any model or task as bars between their bounds."""

    usage = "bars"

    def draw(self, scene: Scene) -> Drawing:
        """The rows that changed are always among those shown."""
        rows = _task_rows(scene) if isinstance(scene, TaskScene) else _model_rows(scene)
        shown = _chosen(rows)
        shapes = [shape for place, row in enumerate(shown) for shape in _drawn(place, row)]
        width, height = _NAME + _BAR + _VALUE, (max(1, len(shown)) + 0.5) * _ROW
        if len(shown) < len(rows):
            more = f"and {len(rows) - len(shown)} more that did not change"
            shapes.append(Text("more", width / 2, height, more, 11.0, tone="faint"))
            height += _ROW
        if isinstance(scene, ModelScene):
            if scene.is_unsafe:
                shapes.append(Text("unsafe", width / 2, height, "unsafe", 13.0, role="danger"))
            height += _ROW
        return Drawing(width, height, tuple(shapes))


def _chosen(rows: Sequence[_Row]) -> list[_Row]:
    """As many as there is room for, in their order; those with a role first."""
    ranked = sorted(range(len(rows)), key=lambda number: (not rows[number].role, number))
    return [rows[number] for number in sorted(ranked[:_MOST_ROWS])]


def _drawn(place: int, row: _Row) -> list[Shape]:
    y = (place + 0.75) * _ROW
    name = label(f"{row.name} name", row.name, _NAME / 2, y, _NAME - 8, role=row.role)
    value = label(
        f"{row.name} value", row.value, _NAME + _BAR + _VALUE / 2, y, _VALUE - 8, role=row.role
    )
    if row.share is None:
        return [name, value]
    top = y - _ROW * 0.3
    height = _ROW * 0.6
    track = Rectangle(f"{row.name} track", _NAME, top, _BAR, height, tone="ground")
    bar = Rectangle(f"{row.name} bar", _NAME, top, _BAR * row.share, height, role=row.role)
    shapes: list[Shape] = [name, track, bar, value]
    if row.before is not None and row.before != row.share:
        x = _NAME + _BAR * row.before
        shapes.append(Rectangle(f"{row.name} before", x - 1, top - 2, 2, height + 4, tone="dark"))
    return shapes


def _model_rows(scene: ModelScene) -> list[_Row]:
    return [_model_row(scene, variable) for variable in scene.model.variables]


def _model_row(scene: ModelScene, variable: Variable) -> _Row:
    name, value = variable.name, scene.values[variable.name]
    text = variable.locations[int(value)] if variable.locations else value_text(value)
    before = None if scene.before is None else _share(variable, float(scene.before[name]))
    role = "moved" if scene.changed(name) else ""
    return _Row(name, text, _share(variable, float(value)), before, role)


def _share(variable: Variable, value: float) -> float | None:
    """Where the value is between the bounds, from 0 to 1; None without any."""
    low, high = float(variable.type.lower), float(variable.type.upper)
    if variable.locations or not variable.type.is_bounded or low >= high:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _task_rows(scene: TaskScene) -> list[_Row]:
    """Values of a task have no order: the value itself is all there is to show."""
    task, before = scene.task, scene.states[max(0, scene.index - 1)]
    goals = dict(task.goal)
    rows = []
    for number, name in enumerate(task.native.variable_names):
        value = int(scene.state[number])
        role = ""
        if number in goals:
            role = "goal" if goals[number] == value else "open goal"
        if value != before[number]:
            role = "moved"
        rows.append(_Row(name, _value_name(scene, number, value), None, None, role))
    return rows


def _value_name(scene: TaskScene, number: int, value: int) -> str:
    fact = scene.task.variables[number].facts[value]
    return fact or scene.task.native.fact_names(number)[value]
