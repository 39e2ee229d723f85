"""Where places are: grids as they are, maps with neighbours close together."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import pytest

from bugsieve.pictures.shapes import Curve, Text
from bugsieve.rooms.zoo.layouts import by_directions, by_numbers, in_rows, on_map
from bugsieve.rooms.zoo.transport.picture import TransportPicture
from tests.unit.pictures.subjects import scene_after, task_of

GRID = [(f"c-{y}-{x}", f"c-{y}-{x + 1}") for y, x in product(range(3), range(2))]
GRID += [(f"c-{y}-{x}", f"c-{y + 1}-{x}") for y, x in product(range(2), range(3))]
CELLS = sorted({name for edge in GRID for name in edge})


def test_a_grid_by_the_numbers_in_names() -> None:
    found = by_numbers(CELLS, GRID)
    assert found == {f"c-{y}-{x}": (x, y) for y, x in product(range(3), range(3))}


@pytest.mark.parametrize(
    ("names", "edges"),
    [
        (["a", "b"], [("a", "b")]),
        (["a-1-1", "a-3-1"], [("a-1-1", "a-3-1")]),
        (["a-1-1", "b-1-1"], []),
    ],
)
def test_what_is_no_grid(names: list[str], edges: list[tuple[str, str]]) -> None:
    assert by_numbers(names, edges) is None


def test_a_grid_by_directions() -> None:
    edges = [("a", "b", "right"), ("b", "d", "down"), ("a", "c", "down"), ("c", "d", "right")]
    assert by_directions(edges) == {"a": (0, 0), "b": (1, 0), "c": (0, 1), "d": (1, 1)}
    assert by_directions([*edges, ("d", "a", "left")]) is None, "it goes round"
    assert by_directions([("a", "b", "north")]) is None
    assert by_directions([("a", "b", "up"), ("a", "c", "up")]) is None, "two in one place"


@pytest.mark.parametrize("name", ["ring", "star", "line", "two parts", "complete", "none"])
def test_maps_have_a_cell_for_each_place(name: str) -> None:
    places = [f"p{number}" for number in range(12)]
    pairs = list(pairwise(places))
    edges = {
        "ring": [*pairs, (places[-1], places[0])],
        "star": [(places[0], place) for place in places[1:]],
        "line": pairs,
        "two parts": pairs[:5] + pairs[6:],
        "complete": list(combinations(places, 2)),
        "none": [],
    }[name]
    found = on_map(places, edges)
    assert set(found) == set(places)
    assert len(set(found.values())) == len(places)
    assert found == on_map(places, edges)
    for axis in (0, 1):
        used = {spot[axis] for spot in found.values()}
        assert used == set(range(len(used))), "no column or row is empty"


def test_neighbours_on_a_line_are_neighbours_on_the_map() -> None:
    places = [f"p{number}" for number in range(6)]
    found = on_map(places, list(pairwise(places)))
    for one, two in pairwise(places):
        assert abs(found[one][0] - found[two][0]) <= 2 and abs(found[one][1] - found[two][1]) <= 1


def test_rows() -> None:
    assert in_rows("abc", 2) == {"a": (0, 0), "b": (1, 0), "c": (0, 1)}
    assert on_map(["a", "b"], []) == {"a": (0, 0), "b": (1, 0)}


def test_roads_that_have_no_room_are_counted() -> None:
    task = task_of("transport")
    picture = TransportPicture(task)
    roads = [Curve(f"road {n}", ((0, 0), (1, 1)), tone="ground") for n in range(1000)]
    picture.__dict__["_roads"] = roads
    shapes = {shape.id: shape for shape in picture.draw(scene_after(task)).shapes}
    said, drawn = shapes["more roads"], sum(name.startswith("road ") for name in shapes)
    assert isinstance(said, Text)
    assert said.text == f"and {1000 - drawn} more roads" and 0 < drawn < 500
