"""Runs are drawn by one picture; one that fails gives way, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bugsieve.pictures import Circle, Drawing, Text, draw_run, picture_for
from bugsieve.pictures.legend import MEANINGS, legend
from bugsieve.pictures.runs import telling_steps, what_changed
from bugsieve.pictures.scene import Scene, scenes_of
from bugsieve.pictures.shapes import ROLES, Shape
from bugsieve.pictures.strips import run_strip, strips_svg
from bugsieve.testing.pictures import walk
from tests.other_package import install
from tests.unit.pictures.subjects import (
    from_sas,
    model_of,
    scene_after,
    subject_of,
    task_of,
    walks,
)


def raises(scene: Scene) -> Drawing:
    raise RuntimeError("no <ink>")


def nonsense(scene: Scene) -> Any:
    return ["a circle"]


def too_many(scene: Scene) -> Drawing:
    return Drawing(9, 9, tuple(Circle(str(n), 0, 0, 1) for n in range(501)))


def leaves(scene: Scene) -> Drawing:
    raise SystemExit(3)


def late(scene: Scene) -> Drawing:
    if scene.index == 3:
        raise KeyError("late")
    return Drawing(9, 9, ())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raises, "RuntimeError: no <ink>"),
        (nonsense, "it must give a Drawing, not list"),
        (too_many, "a drawing may have 500 shapes, not 501"),
        (leaves, "SystemExit: 3"),
        (late, "KeyError: 'late'"),
    ],
)
def test_a_picture_that_fails_gives_way(function: Callable[[Scene], Any], reason: str) -> None:
    task = task_of("gripper")
    states = walk(task)
    drawn = draw_run(task, states, picture=function)
    name = function.__name__
    assert drawn.note == f"the picture {name!r} gave way to a general one: {reason}"
    assert drawn.picture == "graph"
    assert drawn.frames == draw_run(task, states, picture="graph").frames


def test_in_a_model_it_gives_way_to_bars() -> None:
    model = model_of("one-way-line")
    drawn = draw_run(model, walk(model), picture=raises)
    assert (drawn.picture, bool(drawn.note)) == ("bars", True)


def test_ctrl_c_is_no_failure() -> None:
    def interrupted(scene: Scene) -> Drawing:
        raise KeyboardInterrupt

    task = task_of("gripper")
    with pytest.raises(KeyboardInterrupt):
        draw_run(task, task.initial_state, picture=interrupted)


PLUGIN = """
from bugsieve.pictures import Drawing, Picture

class Mine(Picture):
    \"\"\"Draws nothing.\"\"\"
    usage = "mine"

    def draw(self, scene):
        return Drawing(1, 1, ())
"""


def test_a_picture_of_another_package_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugin_picture.py").write_text(PLUGIN)
    entries = {"mine": "plugin_picture:Mine", "broken": "plugin_picture:Missing"}
    install(tmp_path, monkeypatch, {"bugsieve.pictures": entries})
    task = task_of("gripper")
    assert draw_run(task, task.initial_state).picture == "mine"


def test_a_function_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from bugsieve.pictures import Drawing\ndef draw(scene): return Drawing(7, 8, ())\n"
    (tmp_path / "mine_in_file.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    task = task_of("gripper")
    drawn = draw_run(task, task.initial_state, picture="python:mine_in_file.py:draw")
    assert drawn.frames[0].drawing == Drawing(7, 8, ())
    assert drawn.picture == "python:mine_in_file.py:draw"


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ((), "the start, with 7 facts that may change; 4 goals open"),
        (
            ("(move room1 room2)",),
            "now (at-robby room2); no longer (at-robby room1); 4 goals open",
        ),
        (
            (
                *("(move room1 room2)", "(pick ball1 room2 gripper1)"),
                *("(move room2 room1)", "(drop ball1 room1 gripper1)"),
            ),
            "now (at ball1 room1) (free gripper1); no longer (carry ball1 gripper1); "
            "1 goal reached: (at ball1 room1); 3 goals open",
        ),
        (
            (
                *("(move room1 room2)", "(pick ball1 room2 gripper1)", "(move room2 room1)"),
                *("(drop ball1 room1 gripper1)", "(pick ball1 room1 gripper1)"),
            ),
            "now (carry ball1 gripper1); no longer (at ball1 room1) (free gripper1); "
            "1 goal lost: (at ball1 room1); 4 goals open",
        ),
        (("(move room1 room1)",), "no fact changes; 4 goals open"),
    ],
)
def test_what_changes_in_words(actions: tuple[str, ...], sentence: str) -> None:
    said = what_changed(scene_after(task_of("gripper"), *actions))
    parts = {" ".join(sorted(part.split())) for part in said.split("; ")}
    assert parts == {" ".join(sorted(part.split())) for part in sentence.split("; ")}


def test_what_changes_in_a_model() -> None:
    model = model_of("one-way-line")
    start = {v.name: 0 for v in model.variables} | {"packages_0": 5}
    states = [model.state(start | {"position": k, "speed": 1}) for k in (3, 9, 10)]
    said = [what_changed(scene) for scene in scenes_of(model, states)]
    assert said[0] == f"the start, with {model.num_variables} values"
    assert said[1:] == ["position 3 → 9", "position 9 → 10; this is unsafe"]


@pytest.mark.parametrize(
    ("states", "decision", "shown"),
    [
        (1, 0, [0]),
        (3, 1, [0, 1, 2]),
        (100, 50, [0, 48, 49, 50, 51, 52, 99]),
        (100, 99, [0, 97, 98, 99]),
        (100, 0, [0, 1, 2, 99]),
    ],
)
def test_which_states_tell_most(states: int, decision: int, shown: list[int]) -> None:
    assert telling_steps(states, decision, 2) == shown


@pytest.mark.parametrize(
    "domain", ["bouncing-ball", "cartpole", "inverted-pendulum", "follow-car"]
)
def test_runs_that_are_shown_together_have_the_same_scale(domain: str) -> None:
    """The start of both is the same state: only what comes of it may be drawn otherwise."""
    model = model_of(domain)
    longest, *others = sorted(walks(model, steps=150), key=len, reverse=True)
    runs = [longest, others[0][:3]]
    both = [draw_run(model, run, beside=runs).frames[0].drawing for run in runs]
    alone = [draw_run(model, run).frames[0].drawing for run in runs]
    assert still(both[0]) == still(both[1])
    assert still(alone[0]) != still(alone[1])


def still(drawing: Drawing) -> list[Shape]:
    return [shape for shape in drawing.shapes if not shape.id.endswith(" later")]


def test_legends_name_what_occurs() -> None:
    task, moved = task_of("gripper"), "dotted or bold: what the last step has changed"
    start, *_, end = (draw_run(task, states).legend for states in (walk(task)[:1], walk(task)))
    assert start == ("dashed or italic: a goal that does not hold",)
    assert end == (*start, moved)
    model = model_of("n-puzzle")
    failed = model.state({**model.values(walk(model)[0]), "cost_1": 1})
    sign = "! after a number: a slide of that tile that failed, !4 for four"
    assert draw_run(model, walk(model)[:1]).legend[-1:] != (sign,)
    assert draw_run(model, failed).legend[-1:] == (sign,)


SIGNED = (
    "childsnack",
    "floortile",
    "nd-blocksworld",
    "n-puzzle",
    "rovers",
    "satellite",
    "storage",
)


@pytest.mark.parametrize("domain", SIGNED)
def test_legends_explain_the_signs_of_pictures(domain: str) -> None:
    subject = subject_of(domain)
    said = {line for states in walks(subject) for line in draw_run(subject, states).legend}
    signs = picture_for(subject).signs
    assert signs and said.issuperset(signs)


def test_all_roles_have_a_meaning() -> None:
    assert {"", *MEANINGS} == set(ROLES)
    drawing = Drawing(9, 9, tuple(Circle(role, 0, 0, 1, role=role) for role in ROLES))
    assert legend([drawing]) == tuple(MEANINGS.values())
    assert legend([Drawing(9, 9, (Text("a", 0, 0, "unsafe", role="danger"),))]) == ()


def test_strips_mark_the_decision_and_count_what_is_left_out() -> None:
    task = from_sas(task_of("blocksworld"))
    states = walk(task)
    doings = [f"(do {number})" for number in range(len(states))]
    strip = run_strip("the policy", task, states, doings, focus=5)
    assert [panel.skipped for panel in strip.panels] == [0, 2, 0, 0, 0, 0, 4]
    assert [panel.is_marked for panel in strip.panels].index(True) == 3
    text = strips_svg([strip], title="a bug")
    assert text.count("the decision") == 1 and "+2 …" in text and "+4 …" in text
    assert all(f"then {panel.action}." in text for panel in strip.panels)
