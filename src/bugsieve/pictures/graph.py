"""`graph`: the objects of any task as nodes, and what holds of two of them as lines.

Objects of a type stand in a column; facts of one object stand below it, facts of none at the
bottom. Goals that do not hold are dashed lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, Subject, TaskScene, Words
from bugsieve.pictures.shapes import Curve, Drawing, Rectangle, Shape, Text, label
from bugsieve.tasks.fdr.task import StateArray

_WIDTH, _HEIGHT = 74.0, 20.0
"""Of a node."""
_COLUMN, _ROW, _MARGIN = 128.0, 46.0, 14.0
_MOST_OBJECTS, _MOST_LINES, _MOST_LABELS = 72, 150, 60
_TALLEST = 8
"""Nodes of a column, as long as the picture stays higher than wide."""

Place = tuple[float, float]
Pair = tuple[str, str]


@dataclass(frozen=True)
class _Layout:
    places: Mapping[str, Place]
    width: float
    height: float
    left_out: int


class GraphPicture(TaskPicture):
    """The objects of any task as a graph, changes highlighted."""

    usage = "graph"

    def __init__(self, subject: Subject, argument: str | None = None) -> None:
        super().__init__(subject, argument)
        self._run: StateArray | None = None
        self._kept = _Layout({}, 0.0, 0.0, 0)

    @classmethod
    def objection_to(cls, words: Words) -> str | None:
        """There must be something to draw."""
        return None if words.objects else "the task has no objects"

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Lines below nodes, labels over both."""
        layout = self._layout(scene)
        lines, labels = _lines(scene, layout)
        nodes = [shape for name in layout.places for shape in _node(scene, name, layout)]
        foot = list(_foot(scene, layout))
        height = layout.height + 18 * len(foot)
        return Drawing(layout.width, height, (*lines, *nodes, *labels, *foot))

    def _layout(self, scene: TaskScene) -> _Layout:
        """The same for all states of a run, so that nothing moves that has not moved."""
        if self._run is not scene.states:
            self._run, self._kept = scene.states, _laid_out(scene)
        return self._kept


def _laid_out(scene: TaskScene) -> _Layout:
    kinds = _kinds(scene.words)
    shown = _shown_objects(scene)
    groups: dict[str, list[str]] = {}
    for name in scene.words.objects:
        if name in shown:
            groups.setdefault(kinds[name], []).append(name)
    tallest = max(_TALLEST, round((len(shown) * 2) ** 0.5))
    columns = [
        group[begin : begin + tallest]
        for group in groups.values()
        for begin in range(0, len(group), tallest)
    ]
    rows = max(map(len, columns))
    places = {
        name: (
            _MARGIN + column * _COLUMN + _WIDTH / 2 + 20,
            _MARGIN + (row + 0.5 + (rows - len(names)) / 2) * _ROW,
        )
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    width = 2 * _MARGIN + (len(columns) - 1) * _COLUMN + _WIDTH + 40
    left_out = len(scene.words.objects) - len(shown)
    return _Layout(places, width, 2 * _MARGIN + rows * _ROW, left_out)


def _kinds(words: Words) -> dict[str, str]:
    """The type of each object; where all have the same, what a static fact calls it."""
    if len(set(words.objects.values())) > 1:
        return dict(words.objects)
    called = {atom[1]: atom[0] for atom in reversed(words.static) if len(atom) == 2}
    return {name: called.get(name, "") for name in words.objects}


def _shown_objects(scene: TaskScene) -> set[str]:
    """Those of goals and of facts that change in the run first, then those of any that may."""
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
    lines: list[Shape] = []
    labels: list[Shape] = []
    for first, second in _pairs(scene.words.static, layout):
        points = _way(layout.places[first], layout.places[second])
        lines.append(Curve(f"{first} {second} static", points, tone="faint"))
    wanted = [goal for goal in sorted(scene.goals) if goal not in scene.true]
    for kind, facts in (("goal", wanted), ("fact", scene.fluent)):
        for (first, second), atoms in _pairs(facts, layout).items():
            role = scene.role(*atoms)
            points = _way(layout.places[first], layout.places[second])
            lines.append(Curve(f"{first} {second} {kind}", points, role=role))
            said = ", ".join(" ".join((atom[0], *atom[3:])) for atom in atoms)
            x, y = points[len(points) // 2]
            name = f"{first} {second} {kind} name"
            labels.append(label(name, said, x, y - 6, _COLUMN - _WIDTH, size=10.0, role=role))
    return lines[-_MOST_LINES:], labels[-_MOST_LABELS:]


def _pairs(atoms: Iterable[Atom], layout: _Layout) -> dict[Pair, list[Atom]]:
    found: dict[Pair, list[Atom]] = {}
    for atom in atoms:
        if len(atom) > 2 and atom[1] in layout.places and atom[2] in layout.places:
            found.setdefault((atom[1], atom[2]), []).append(atom)
    return found


def _way(start: Place, end: Place) -> tuple[Place, ...]:
    """Straight between columns, an arc inside one; a small loop from a node to itself."""
    (x1, y1), (x2, y2) = start, end
    if x1 != x2:
        return (start, ((x1 + x2) / 2, (y1 + y2) / 2), end)
    bend = (_WIDTH / 2 + 18) * (1 if y1 <= y2 else -1)
    shares = [step / 8 for step in range(9)]
    return tuple((x1 + bend * 4 * s * (1 - s), y1 + (y2 - y1) * s) for s in shares)


def _foot(scene: TaskScene, layout: _Layout) -> Iterator[Shape]:
    """Facts of no object, and what was left out."""
    bare = [atom for atom in scene.fluent if len(atom) == 1]
    y = layout.height
    if bare:
        said = ", ".join(atom[0] for atom in bare)
        role = scene.role(*bare)
        yield label("facts", said, layout.width / 2, y, layout.width - 12, role=role)
        y += 18
    if layout.left_out:
        said = f"and {layout.left_out} more objects"
        yield Text("left out", layout.width / 2, y, said, 11.0, tone="faint")
