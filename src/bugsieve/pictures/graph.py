"""`graph`: the objects of any task as nodes, and what holds of two of them as lines.

Objects of a type stand in a column; facts of one object stand below it, facts of none at the
bottom. Goals that do not hold are dashed lines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, KeptForRun, Subject, TaskScene, Words
from bugsieve.pictures.shapes import Curve, Drawing, Rectangle, Shape, Text, label

_WIDTH, _HEIGHT = 74.0, 20.0
"""Of a node."""
_COLUMN, _ROW, _MARGIN, _SIDE = 146.0, 46.0, 14.0, 22.0
_MOST_OBJECTS, _MOST_LINES, _MOST_LABELS = 72, 150, 60
_TALLEST = 8
"""Nodes of a column, as long as the picture stays higher than wide."""
_MOST_ORDERS = 7
"""Kinds of objects of which all orders are tried."""

Place = tuple[float, float]
Pair = tuple[str, str]


@dataclass(frozen=True)
class _Layout:
    places: Mapping[str, Place]
    tops: Sequence[float]
    """The height at which the first row of each column begins."""
    height: float
    left_out: int
    has_foot: bool

    @property
    def width(self) -> float:
        """The width of all columns."""
        return 2 * (_MARGIN + _SIDE) + (len(self.tops) - 1) * _COLUMN + _WIDTH

    def way(self, first: str, second: str) -> tuple[Place, ...]:
        """The way straight to the next column, between nodes of columns that lie on the way."""
        start, end = self.places[first], self.places[second]
        here, there = _column(start), _column(end)
        if here == there:
            return _arc(start, end)
        step = 1 if here < there else -1
        between = [self._gap(start, end, column) for column in range(here + step, there, step)]
        return (start, *between, end)

    def _gap(self, start: Place, end: Place, column: int) -> Place:
        """The point below a row that is nearest to the straight line."""
        x = _middle(column)
        y = start[1] + (end[1] - start[1]) * (x - start[0]) / (end[0] - start[0])
        rows = round((y - self.tops[column] - 6) / _ROW)
        return x, self.tops[column] + rows * _ROW + 6


def _middle(column: int) -> float:
    return _MARGIN + _SIDE + _WIDTH / 2 + column * _COLUMN


def _column(place: Place) -> int:
    return round((place[0] - _middle(0)) / _COLUMN)


def _arc(start: Place, end: Place) -> tuple[Place, ...]:
    """A way beside a column, downwards on its right and upwards on its left."""
    (x, y1), (_, y2) = start, end
    bend = (_WIDTH / 2 + _SIDE) * (1 if y1 <= y2 else -1)
    shares = [step / 8 for step in range(9)]
    return tuple((x + bend * 4 * s * (1 - s), y1 + (y2 - y1) * s) for s in shares)


class GraphPicture(TaskPicture):
    """The objects of any task as a graph, changes highlighted."""

    usage = "graph"

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        self._layout = KeptForRun(_laid_out)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """There must be something to draw, and nothing that cannot be."""
        if not words.is_whole:
            return "some variables of the task are about no atoms"
        return None if words.objects else "the task has no objects"

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Lines below nodes, labels over both."""
        layout = self._layout.of(scene)
        lines, labels = _lines(scene, layout)
        nodes = [shape for name in layout.places for shape in _node(scene, name, layout)]
        height = layout.height + 18 * (layout.has_foot + bool(layout.left_out))
        shapes = (*lines, *nodes, *labels, *_foot(scene, layout))
        return Drawing(layout.width, height, shapes)


def _laid_out(scene: TaskScene) -> _Layout:
    words, shown = scene.words, _shown_objects(scene)
    kinds = _kinds(words)
    groups: dict[str, list[str]] = {}
    for name in words.objects:
        if name in shown:
            groups.setdefault(kinds[name], []).append(name)
    tallest = max(_TALLEST, round((len(shown) * 2) ** 0.5))
    columns = [
        groups[kind][begin : begin + tallest]
        for kind in _ordered(groups, kinds, words)
        for begin in range(0, len(groups[kind]), tallest)
    ]
    rows = max(map(len, columns))
    tops = [_MARGIN + (rows - len(names)) / 2 * _ROW for names in columns]
    places = {
        name: (_middle(column), tops[column] + (row + 0.5) * _ROW)
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    has_foot = any(arity == 0 for _, arity in words.arities)
    left_out = len(words.objects) - len(shown)
    return _Layout(places, tops, 2 * _MARGIN + rows * _ROW, left_out, has_foot)


def _ordered(groups: Collection[str], kinds: Mapping[str, str], words: Words) -> list[str]:
    """Kinds of objects that facts may connect are side by side, as far as that goes."""
    if len(groups) > _MOST_ORDERS:
        return list(groups)
    pairs = dict.fromkeys(
        (kinds[atom[1]], kinds[atom[2]]) for atom in words.possible if len(atom) > 2
    )
    linked = [pair for pair in pairs if pair[0] != pair[1]]

    def length(order: tuple[str, ...]) -> int:
        known = [pair for pair in linked if set(pair) <= set(order)]
        return sum(abs(order.index(one) - order.index(two)) for one, two in known)

    best: tuple[str, ...] = min(permutations(groups), key=length)
    return list(best)


def _kinds(words: Words) -> dict[str, str]:
    """The type of each object; where all have the same, what a static fact calls it."""
    if len(set(words.objects.values())) > 1:
        return dict(words.objects)
    called = {atom[1]: atom[0] for atom in reversed(words.static) if len(atom) == 2}
    return {name: called.get(name, "") for name in words.objects}


def _shown_objects(scene: TaskScene) -> set[str]:
    """The objects of goals and of changing facts first, then those of facts that may change."""
    words = scene.words
    if len(words.objects) <= _MOST_OBJECTS:
        return set(words.objects)
    changing: dict[Atom, None] = {}
    for before, after in pairwise(words.fluent(state) for state in scene.states):
        changing.update(dict.fromkeys((*set(before) ^ set(after),)))
    atoms = (*scene.goals, *sorted(changing), *words.possible)
    ranked = dict.fromkeys(name for atom in atoms for name in atom[1:])
    names = [*ranked, *(name for name in words.objects if name not in ranked)]
    return {name for name in names[:_MOST_OBJECTS] if name in words.objects}


def _node(scene: TaskScene, name: str, layout: _Layout) -> Iterator[Shape]:
    x, y = layout.places[name]
    unary = [atom for atom in scene.fluent if len(atom) == 2 and atom[1] == name]
    gone = [atom for atom in scene.deleted if len(atom) == 2 and atom[1] == name]
    goals = [goal for goal in sorted(scene.goals) if len(goal) == 2 and goal[1] == name]
    role = "moved" if gone else scene.role(*unary, *goals)
    yield Rectangle(name, x - _WIDTH / 2, y - _HEIGHT / 2, _WIDTH, _HEIGHT, role=role)
    yield label(f"{name} name", name, x, y, _WIDTH - 6)
    if unary:
        said = ", ".join(atom[0] for atom in unary)
        yield label(f"{name} facts", said, x, y + _HEIGHT / 2 + 8, _COLUMN - 12, size=10.0)


def _lines(scene: TaskScene, layout: _Layout) -> tuple[list[Shape], list[Shape]]:
    """Lines for facts of two objects and more, with their labels; static ones are faint."""
    lines: list[Shape] = [
        Curve(f"{first} {second} static", layout.way(first, second), tone="faint")
        for first, second in _pairs(scene.words.static, layout)
    ]
    labels: list[Shape] = []
    wanted = [goal for goal in sorted(scene.goals) if goal not in scene.true]
    for kind, facts in (("fact", scene.fluent), ("goal", wanted)):
        for (first, second), atoms in _pairs(facts, layout).items():
            role = scene.role(*atoms)
            way = layout.way(first, second)
            name = f"{first} {second} {kind}"
            lines.append(Curve(name, way, role=role))
            labels.append(_line_label(f"{name} name", atoms, way, role))
    return lines[-_MOST_LINES:], labels[-_MOST_LABELS:]


def _line_label(name: str, atoms: Sequence[Atom], way: Sequence[Place], role: str) -> Shape:
    """Near the first object, where fewer lines cross; in the middle of an arc."""
    said = ", ".join(" ".join((atom[0], *atom[3:])) for atom in atoms)
    (x1, y1), (x2, y2) = way[0], way[1]
    share = (_WIDTH / 2 + 26) / _COLUMN
    x, y = x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
    if len(way) > 2 and way[0][0] == way[-1][0]:
        x, y = way[len(way) // 2]
    return label(name, said, x, y - 5, _COLUMN - _WIDTH - 10, size=10.0, role=role)


def _pairs(atoms: Iterable[Atom], layout: _Layout) -> dict[Pair, list[Atom]]:
    found: dict[Pair, list[Atom]] = {}
    for atom in atoms:
        if len(atom) > 2 and atom[1] in layout.places and atom[2] in layout.places:
            found.setdefault((atom[1], atom[2]), []).append(atom)
    return found


def _foot(scene: TaskScene, layout: _Layout) -> Iterator[Shape]:
    """Facts of no object, and what was left out."""
    bare = [atom for atom in scene.fluent if len(atom) == 1]
    y = layout.height
    if bare:
        said = ", ".join(atom[0] for atom in bare)
        role = scene.role(*bare)
        yield label("facts", said, layout.width / 2, y, layout.width - 12, role=role)
    y += 18 * layout.has_foot
    if layout.left_out:
        said = f"and {layout.left_out} more objects"
        yield Text("left out", layout.width / 2, y, said, 11.0, tone="faint")
