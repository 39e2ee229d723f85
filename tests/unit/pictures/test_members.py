"""Every picture keeps the contract on every domain, and is drawn where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from math import hypot
from pathlib import Path

import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.registry.members import MemberTable
from bugsieve.pictures import PICTURES, picture_for
from bugsieve.pictures.picture import GENERAL
from bugsieve.pictures.runs import draw_run
from bugsieve.pictures.scene import TaskScene, scenes_of
from bugsieve.pictures.shapes import Circle, Curve, Drawing, Rectangle, Shape, Text
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.zoo.domains import generate
from bugsieve.rooms.zoo.places import PlacesPicture, Thing
from bugsieve.rooms.zoo.transport.picture import TransportPicture
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.testing import check_picture
from bugsieve.testing.pictures import walk
from tests.unit.pictures.subjects import (
    DRAWN_BY,
    NAMES,
    from_sas,
    model_of,
    scene_after,
    subject_of,
    task_from,
    task_of,
    walks,
)

RENAMED = {
    "blocksworld": {"ontable": "on-table", "handempty": "arm-empty"},
    "gripper": {"room1": "Kitchen", "ball1": "pan"},
}


@pytest.mark.parametrize("domain", NAMES)
def test_domains_are_recognised(domain: str) -> None:
    subject = subject_of(domain)
    picture = picture_for(subject)
    assert picture.spec == DRAWN_BY.get(domain, domain)
    check_picture(picture.spec, subjects=[subject])


@pytest.mark.parametrize("spec", PICTURES.examples())
def test_every_picture_keeps_the_contract_wherever_it_has_no_objection(spec: str) -> None:
    check_picture(spec, subjects=[subject_of(domain) for domain in NAMES])


@pytest.mark.parametrize("domain", RENAMED)
def test_a_domain_is_not_recognised_by_its_name(domain: str) -> None:
    made = generate(domain, seed=2)
    texts = [made.domain.replace(f"(domain {domain})", "(domain d)"), made.problem]
    texts[1] = texts[1].replace(f"(:domain {domain})", "(:domain d)")
    for old, new in RENAMED[domain].items():
        texts = [text.replace(old, new) for text in texts]
    assert picture_for(task_from(texts[0], texts[1])).spec == DRAWN_BY.get(domain, domain)


@pytest.mark.parametrize("domain", ["blocksworld", "visitall", "transport", "sokoban"])
def test_a_task_from_sas_is_drawn_by_its_atoms(domain: str) -> None:
    """Static facts are in the PDDL alone: what needs them is drawn by the general picture."""
    task = from_sas(task_of(domain))
    drawn = draw_run(task, walk(task))
    assert drawn.picture == {"blocksworld": "blocks"}.get(domain, "graph")
    assert drawn.note == ""


def boxes(drawing: Drawing) -> dict[str, Rectangle]:
    return {shape.id: shape for shape in drawing.shapes if isinstance(shape, Rectangle)}


def scenes(domain: str) -> list[TaskScene]:
    task = task_of(domain)
    return [scene for scene in scenes_of(task, walk(task)) if isinstance(scene, TaskScene)]


def test_blocks_stand_on_what_they_are_on() -> None:
    picture = picture_for(task_of("blocksworld"))
    for scene in scenes("blocksworld"):
        drawn = boxes(picture.draw(scene))
        for upper, lower in scene.of("on"):
            assert drawn[upper].x == drawn[lower].x
            assert drawn[lower].y - 2 * drawn[upper].height < drawn[upper].y < drawn[lower].y
        ground = {drawn[block].y for (block,) in scene.of("ontable")}
        assert len(ground) <= 1
        for (held,) in scene.of("holding"):
            assert all(drawn[held].y < drawn[block].y for block in drawn if block != held)


def inside(inner: Rectangle, outer: Rectangle) -> bool:
    right, bottom = inner.x + inner.width, inner.y + inner.height
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and right <= outer.x + outer.width
        and bottom <= outer.y + outer.height
    )


IN = {
    "transport": ("at", "in"),
    "ferry": ("at",),
    "gripper": ("at",),
    "spanner": ("at",),
    "storage": ("on", "at"),
    "satellite": ("pointing",),
    "scanalyzer": ("on",),
    "rovers": ("at",),
    "childsnack": ("at", "ontray", "waiting"),
    "miconic": ("origin",),
}


@pytest.mark.parametrize("domain", IN)
def test_things_are_where_the_facts_say(domain: str) -> None:
    picture = picture_for(task_of(domain))
    for scene in scenes(domain):
        drawn = boxes(picture.draw(scene))
        for thing, place in scene.of(*IN[domain]):
            assert inside(drawn[thing], drawn[place]), (thing, place)
        for one, two in product(getattr(picture, "spots", {}), repeat=2):
            assert one == two or not inside(drawn[one], drawn[two])


@pytest.mark.parametrize("domain", ["transport", "ferry", "gripper"])
def test_what_goals_want_is_dashed_where_it_is_wanted(domain: str) -> None:
    picture = picture_for(task_of(domain))
    for scene in scenes(domain):
        drawn = boxes(picture.draw(scene))
        dashed = [shape for shape in drawn.values() if shape.role == "open goal"]
        for thing, place in scene.wanted("at"):
            named = [box for box in dashed if box.id.startswith(f"{thing} wish")]
            assert any(inside(box, drawn[place]) for box in named)
        assert len(dashed) == len(scene.wanted("at"))


def test_what_has_no_room_is_counted_and_what_moved_has_room() -> None:
    made = generate("gripper", seed=1, balls=80, grippers=12)
    task = task_from(made.domain, made.problem)
    picks = [f"(pick ball{number} room2 gripper{number})" for number in range(1, 13)]
    actions = ["(move room1 room2)", *picks, "(drop ball7 room2 gripper7)"]
    for steps in (0, 7, 13, 14):
        scene = scene_after(task, *actions[:steps])
        drawing = picture_for(task).draw(scene)
        names = {shape.id for shape in drawing.shapes}
        moved = {atom[1] for atom in scene.added if atom[0] in ("at", "carry")}
        assert moved <= names
        texts = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
        assert any(text.startswith("and ") and text.endswith(" more") for text in texts)
    assert any("+8" in text for text in texts), "of 11 balls 3 are shown"


class Parked(TransportPicture):
    """With more loaded vans in every place than there are rows."""

    def things(self, scene: TaskScene) -> list[Thing]:
        vans = [(f"van{number} {place}", place) for number in range(9) for place in self.spots]
        parked = [Thing(van, place, ()) for van, place in vans]
        return [
            *parked,
            *(Thing(f"load of {van}", van, ()) for van, _ in vans),
            *super().things(scene),
        ]


def test_what_comes_to_a_full_place_has_room() -> None:
    task = task_of("transport")
    scene = scenes("transport")[1]
    (moved,) = {atom[1] for atom in scene.added if atom[0] in ("at", "in")}
    drawing = Parked(task).draw(scene)
    assert moved in boxes(drawing)
    assert any(shape.text.endswith(" more") for shape in drawing.shapes if isinstance(shape, Text))


CROWDED: dict[str, dict[str, int]] = {
    "rovers": {"rovers": 5, "soils": 4, "rocks": 4, "images": 6, "cameras": 5},
    "transport": {"packages": 9, "nodes": 3, "capacity": 9},
    "miconic": {"passengers": 30, "floors": 3},
    "storage": {"crates": 4},
}


def crowded(domain: str) -> Task:
    made = generate(domain, seed=1, **CROWDED.get(domain, {}))
    return task_from(made.domain, made.problem)


@pytest.mark.parametrize("domain", [*IN, "blocksworld", "floortile", "sokoban", "visitall"])
def test_every_text_can_be_read(domain: str) -> None:
    task = crowded(domain)
    for states in walks(task):
        for frame in draw_run(task, states).frames:
            small = [s for s in frame.drawing.shapes if isinstance(s, Text) and s.size < 8]
            assert not small, small[0]


def test_three_rovers_in_one_place_can_be_read() -> None:
    folder = Path(__file__).parents[3] / "examples" / "flight-rules" / "rovers"
    task = load_task(folder / "domain.pddl", folder / "samples.pddl")
    drawing = picture_for(task).draw(scene_after(task))
    texts = {s.id: s for s in drawing.shapes if isinstance(s, Text)}
    assert min(text.size for text in texts.values()) >= 8
    assert {"rover1 name", "rover2 name", "rover3 name"} <= texts.keys()


@pytest.mark.parametrize(("domain", "seed"), [("transport", 1), ("transport", 3), ("rovers", 2)])
def test_roads_go_around_places_that_they_do_not_lead_to(domain: str, seed: int) -> None:
    made = generate(domain, seed=seed)
    task = task_from(made.domain, made.problem)
    picture = picture_for(task)
    assert isinstance(picture, PlacesPicture)
    drawing = picture.draw(scene_after(task))
    drawn = boxes(drawing)
    roads = {shape.id: shape for shape in drawing.shapes if isinstance(shape, Curve)}
    for one, two in picture.roads():
        way = roads[f"{one} {two} road"].points
        others = [drawn[name] for name in picture.spots if name not in (one, two)]
        assert not any(on_the_way(way, box) for box in others), (one, two)


def on_the_way(way: Sequence[tuple[float, float]], box: Rectangle) -> bool:
    """By many points, which is slow and plain."""
    points = (
        (x1 + (x2 - x1) * step / 500, y1 + (y2 - y1) * step / 500)
        for (x1, y1), (x2, y2) in pairwise(way)
        for step in range(501)
    )
    return any(
        box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height for x, y in points
    )


def test_robots_do_not_hide_what_is_written_on_their_tiles() -> None:
    task = task_of("floortile")
    met = 0
    for states in walks(task):
        for scene in scenes_of(task, states):
            assert isinstance(scene, TaskScene)
            shapes = {shape.id: shape for shape in picture_for(task).draw(scene).shapes}
            for robot, tile in scene.of("robot-at"):
                colour, circle = shapes.get(f"{tile} colour"), shapes[robot]
                if colour is not None:
                    met += 1
                    assert isinstance(colour, Text) and isinstance(circle, Circle)
                    assert circle.y + circle.radius <= colour.y - colour.size * 0.4
    assert met


@pytest.mark.parametrize("domain", ["sokoban", "floortile", "visitall"])
def test_names_stay_in_their_circles(domain: str) -> None:
    drawing = picture_for(task_of(domain)).draw(scenes(domain)[0])
    shapes = {shape.id: shape for shape in drawing.shapes}
    circles = [shape for shape in drawing.shapes if isinstance(shape, Circle)]
    for circle in circles:
        text = shapes[f"{circle.id} name"]
        assert isinstance(text, Text)
        half = (len(text.text) + ("…" in text.text)) * 0.58 * text.size / 2
        assert hypot(half, 0.4 * text.size) <= circle.radius - 1
    assert circles


def test_cells_of_grids_are_beside_their_neighbours() -> None:
    for domain, predicate in (("visitall", "connected"), ("sokoban", "move-dir")):
        scene = scenes(domain)[0]
        drawn = boxes(picture_for(scene.task).draw(scene))
        for here, there, *_ in scene.of(predicate):
            across = abs(drawn[here].x - drawn[there].x)
            down = abs(drawn[here].y - drawn[there].y)
            assert sorted((across < 10, down < 10)) == [False, True]
            assert max(across, down) <= 44


def test_what_moves_is_marked_and_reached_goals_are() -> None:
    task = task_of("visitall")
    for scene in scenes("visitall")[1:]:
        roles = {shape.id: shape.role for shape in picture_for(task).draw(scene).shapes}
        (place,) = next(iter(scene.of("at-robot")))
        assert roles["robot"] == "moved"
        for (cell,) in scene.of("visited"):
            if cell != place and ("visited", cell) in scene.goals:
                assert roles[cell] == "goal"
        assert all(roles[cell] == "open goal" for (cell,) in scene.wanted("visited"))


def test_danger_is_marked_in_every_picture_of_a_model() -> None:
    for domain in NAMES:
        subject = subject_of(domain)
        if not isinstance(subject, JaniModel):
            continue
        states = walk(subject)
        for scene in scenes_of(subject, states):
            object.__setattr__(scene, "is_unsafe", True)
            shapes = picture_for(subject).draw(scene).shapes
            assert any(is_danger(shape) for shape in shapes), domain


def is_danger(shape: Shape) -> bool:
    return isinstance(shape, Text) and (shape.role, shape.text) == ("danger", "unsafe")


def test_rows_and_columns_of_puzzles_are_found_out() -> None:
    """No variable says how many columns there are."""
    for rows, columns in ((2, 6), (3, 4), (4, 2)):
        model = model_of("n-puzzle", rows=rows, columns=columns, starts=2)
        drawing = picture_for(model).draw(scenes_of(model, walk(model))[0])
        cells = {shape.x for shape in drawing.shapes if shape.id.isdigit()}  # type: ignore[union-attr]
        assert len(cells) == columns


def test_things_do_not_move_between_states_unless_they_move() -> None:
    for domain in ("transport", "rovers", "satellite", "graph"):
        task = task_of(domain if domain != "graph" else "rovers")
        picture = picture_for(task, None if domain != "graph" else "graph")
        drawings = [picture.draw(scene) for scene in scenes_of(task, walk(task))]
        assert len({(drawing.width, drawing.height) for drawing in drawings}) == 1
        for name in getattr(picture, "spots", task.objects):
            places = {(d[name].x, d[name].y) for d in map(boxes, drawings) if name in d}
            assert len(places) == 1


def test_specs() -> None:
    task = task_of("gripper")
    assert picture_for(task, "graph").spec == "graph"
    for spec, complaint in (
        ("grph", "there is no picture 'grph' (did you mean 'graph'?)"),
        ("graph:2", "the picture 'graph' takes no argument, but got '2'"),
        ("python", "must name a module or file and a function"),
        ("python:nowhere.py:f", "there is no file 'nowhere.py'"),
        ("python:nowhere:f", "nowhere cannot be imported"),
        ("python:json:nothing", "json has no function 'nothing'"),
    ):
        with pytest.raises(UsageError) as raised:
            picture_for(task, spec)
        assert complaint in str(raised.value)
    for spec in ("blocks", "line"):
        with pytest.raises(UnsupportedError, match=f"picture '{spec}' cannot be drawn of"):
            picture_for(task, spec)


def test_the_general_ones_come_last() -> None:
    assert list(PICTURES)[-3:] == [*GENERAL, "python"]
    assert isinstance(PICTURES, MemberTable)


def test_the_table_of_the_docs_names_every_picture() -> None:
    text = (Path(__file__).parents[3] / "docs" / "pictures.md").read_text(encoding="utf-8")
    assert not [name for name in PICTURES if name != "python" and f"| `{name}` |" not in text]
    assert scene_after(task_of("gripper")).index == 0
