"""`bars`: the variables as rows, each with its value and a bar where its values have an order."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.pictures.picture import Picture
from bugsieve.pictures.scene import Scene, VariableRow
from bugsieve.pictures.shapes import Drawing, Rectangle, Shape, Text, label

_ROW, _NAME, _BAR, _VALUE = 20.0, 130.0, 120.0, 110.0
_MOST_ROWS = 80


class BarsPicture(Picture):
    """The variables of any model or task as bars between their bounds."""

    usage = "bars"

    def draw(self, scene: Scene) -> Drawing:
        """The rows that changed are always among those shown."""
        rows = scene.rows()
        shown = _chosen(rows)
        shapes = [shape for place, row in enumerate(shown) for shape in _drawn(place, row)]
        width, height = _NAME + _BAR + _VALUE, (max(1, len(shown)) + 0.5) * _ROW
        if len(shown) < len(rows):
            more = f"and {len(rows) - len(shown)} more that did not change"
            shapes.append(Text("more", width / 2, height, more, 11.0, tone="faint"))
            height += _ROW
        if scene.is_unsafe is not None:
            if scene.is_unsafe:
                shapes.append(Text("unsafe", width / 2, height, "unsafe", 13.0, role="danger"))
            height += _ROW
        return Drawing(width, height, tuple(shapes))


def _chosen(rows: Sequence[VariableRow]) -> list[VariableRow]:
    """The rows for which there is room, in their order; those with a role first."""
    ranked = sorted(range(len(rows)), key=lambda number: (not rows[number].role, number))
    return [rows[number] for number in sorted(ranked[:_MOST_ROWS])]


def _drawn(place: int, row: VariableRow) -> list[Shape]:
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
