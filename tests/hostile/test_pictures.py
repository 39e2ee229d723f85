"""Pictures of what strangers wrote: names are text, and no task is too large to be drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from bugsieve.pictures import PICTURES, draw_run, svg_text
from bugsieve.pictures.scene import Words
from bugsieve.pictures.shapes import MOST_SHAPES
from bugsieve.pictures.strips import run_strip, strips_image, strips_svg
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.zoo.model_domains import generate_model
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.testing.pictures import walk

NAMES = (
    "<script>alert(1)</script>",
    "\"><svg/onload='alert(1)'>",
    "&lt;b&gt;&#x3c;i",
    "]]><![cdata[x",
    "x" * 10_000,
    "\u202egnihton\u202c",
    "\u2066\u200fright to left",
    "日本語" * 40,
)
PATTERNS: dict[str, Callable[[str, str], str]] = {
    "graph": lambda one, two: f"Atom linked({one}, {two})",
    "blocks": lambda one, two: f"Atom on({one}, {two})",
    "ferry": lambda one, two: f"Atom at({one}, {two})",
    "unary": lambda one, two: f"Atom is{one[:20]}({two})",
    "none": lambda one, two: f"value {one} {two}",
}


def sas_task(facts: list[tuple[str, str]], *more: str, name: str = "hostile") -> Task:
    """Each pair is a variable; the first value holds at the start, and an action changes it."""
    lines = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric"]
    pairs = [*facts, *((atom, "<none of those>") for atom in more)]
    lines.append(str(len(pairs)))
    for number, both in enumerate(pairs):
        lines += ["begin_variable", f"var{number}", "-1", "2", *both, "end_variable"]
    lines += ["0", "begin_state", *["0"] * len(pairs), "end_state", "begin_goal", "1", "0 1"]
    lines += ["end_goal", str(len(facts))]
    for number in range(len(facts)):
        effect = f"0 {number} -1 1"
        lines += ["begin_operator", f"flip {number}", "0", "1", effect, "0", "end_operator"]
    text = "\n".join([*lines, "0"]) + "\n"
    return Task(native_task(text.encode("utf-8"), name), name=name)


def run_of(task: Task, steps: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    states = np.zeros((steps + 1, task.num_variables), dtype=np.uint16)
    for step in range(steps):
        states[step + 1 :, step % task.num_variables] = 1
    return states


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_are_text_in_every_picture(pattern: str, name: str) -> None:
    atom = PATTERNS[pattern]
    more = ("Atom ontable(b)", "Atom clear(b)", "Atom at-ferry(b)", "Atom on(c)", "Atom solo()")
    task = sas_task([(atom(name, "b"), atom("b", name)), (atom(name, "c"), "x")], *more, name=name)
    states = run_of(task, 3)
    for spec in PICTURES:
        if spec == "python" or PICTURES[spec].objection(task) is not None:
            continue
        drawn = draw_run(task, states, picture=spec)
        texts = [svg_text(f.drawing, title=name, description=f.sentence) for f in drawn.frames]
        strip = run_strip(name, task, states, [name] * len(states), focus=1, picture=spec)
        for text in (*texts, strips_svg([strip], title=name)):
            check_plain(text)
        image = strips_image([strip], title=name)
        assert "<script" not in image and image.count("<") == image.count("<p>") * 2 + 1


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_variables_are_text(name: str, tmp_path: Path) -> None:
    made = generate_model("follow-car", seed=1, starts=2)
    path = tmp_path / "model.jani"
    path.write_text(made.text.replace('"speed"', json.dumps(name)), encoding="utf-8")
    model = load_model(path)
    drawn = draw_run(model, walk(model))
    assert drawn.picture == "bars"
    for frame in drawn.frames:
        check_plain(svg_text(frame.drawing, title=model.name, description=frame.sentence))


@pytest.mark.parametrize(
    ("domain", "variable", "picture"),
    [
        ("one-way-line", "position", "bars"),
        ("one-way-line", "load", "line"),
        ("nd-blocksworld", "cost_1", "block-model"),
        ("n-puzzle", "cost_1", "puzzle"),
        ("follow-car", "lead", "cars"),
        ("bouncing-ball", "height", "ball"),
        ("inverted-pendulum", "angle", "pendulum"),
    ],
)
def test_huge_values(domain: str, variable: str, picture: str, tmp_path: Path) -> None:
    """Bounds are a stranger's: nothing is as long as a number is large."""
    document = json.loads(generate_model(domain, seed=1, starts=2).text)
    (declared,) = (v for v in document["variables"] if v["name"] == variable)
    declared["type"]["upper-bound"] = 10**12
    path = tmp_path / "model.jani"
    path.write_text(json.dumps(document))
    model = load_model(path)
    states = walk(model)
    states[1:, [v.name for v in model.variables].index(variable)] = 10**12
    drawn = draw_run(model, states)
    assert drawn.picture == picture
    for frame in drawn.frames:
        check_plain(svg_text(frame.drawing, title=model.name, description=frame.sentence))


def check_plain(text: str) -> None:
    assert len(text) < 400_000
    assert all(c.isprintable() or c == "\n" for c in text)
    for element in ElementTree.fromstring(text).iter():
        assert not element.tag.endswith(("script", "foreignObject", "a", "image", "use"))
        assert not [key for key in element.attrib if key.startswith("on") or "href" in key]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("count", [300, 4000])
def test_no_task_is_too_large(pattern: str, count: int) -> None:
    """Some objects are left out, those that change are not, and how many is said."""
    atom = PATTERNS[pattern]
    facts = [(atom(f"a{n}", f"b{n}"), atom(f"a{n}", f"b{n + 1}")) for n in range(count)]
    task = sas_task(facts, "Atom ontable(b)", "Atom clear(b)", "Atom at-ferry(b)", "Atom on(c)")
    drawn = draw_run(task, run_of(task, 5))
    assert all(len(frame.drawing.shapes) <= MOST_SHAPES for frame in drawn.frames)
    assert all(len(frame.sentence) < 2000 for frame in drawn.frames)
    if drawn.picture in ("graph", "bars"):
        last = drawn.frames[-1].drawing.shapes
        assert any("more" in getattr(shape, "text", "") for shape in last)
        assert any(shape.role == "moved" for shape in last)
    assert len(Words(task).objects) < 2 * count + 10


def test_a_long_run_is_drawn_around_its_decision() -> None:
    task = sas_task([(f"Atom at(a{n}, b)", f"Atom at(a{n}, c)") for n in range(30)])
    states = run_of(task, 20_000)
    strip = run_strip("long", task, states, ["x"] * len(states), focus=10_000)
    assert [panel.skipped for panel in strip.panels] == [0, 9997, 0, 0, 0, 0, 9997]
    check_plain(strips_svg([strip], title="long"))


def test_blocks_on_each_other_in_a_circle() -> None:
    """No domain allows it, but a state can be anything."""
    circle = [("Atom on(a, b)", "Atom on(a, c)"), ("Atom on(b, a)", "Atom on(b, c)")]
    more = (
        "Atom on(c, c)",
        "Atom ontable(a)",
        "Atom clear(b)",
        "Atom clear(c)",
        "Atom holding(a)",
    )
    task = sas_task(circle, *more)
    drawn = draw_run(task, run_of(task, 2), picture="blocks")
    assert len(drawn.frames) == 3
