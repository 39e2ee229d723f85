from __future__ import annotations

import random
from typing import Any

from bugsieve.campaigns.exhibits import Track
from bugsieve.pictures.shapes import Circle, Drawing, Rectangle, Shape, Text, as_json
from bugsieve.pictures.svg import class_of
from bugsieve.reports.frames import (
    MOST_STEPS,
    DrawnTrack,
    FrameData,
    Moment,
    Shapes,
    drawn_track,
)
from tests.unit.pictures.subjects import model_of, walks
from tests.unit.policies.line import line_task


def drawing(*shapes: Shape) -> Drawing:
    return Drawing(100, 50, shapes)


def unpacked(data: dict[str, Any]) -> list[list[list[Any]]]:
    """What the script makes of the frames, without what it does to draw them."""
    frames, shapes = [], dict[int, list[Any]]()
    for fresh, gone, *order in data["frames"]:
        for number in gone:
            del shapes[number]
        for shape in fresh:
            shapes[shape[0]] = shape
        if order:
            shapes = {number: shapes[number] for number in order[0]}
        frames.append(list(shapes.values()))
    return frames


def random_drawing(dice: random.Random) -> Drawing:
    names = dice.sample("abcdefgh", dice.randint(1, 8))
    shapes: list[Shape] = []
    for name in names:
        x = dice.randint(0, 3)
        role = dice.choice(["", "goal", "moved"])
        make = dice.choice([Rectangle, Circle])
        size = (1, 2) if make is Rectangle else (1,)
        shapes.append(make(name, x, 5, *size, role=role))
    return drawing(*shapes)


def test_frames_travel_as_differences_and_come_out_as_they_were() -> None:
    dice = random.Random(1)
    for _ in range(50):
        drawings = [random_drawing(dice) for _ in range(6)]
        moments = [Moment(index, "", "", one) for index, one in enumerate(drawings)]
        track = Track("run", ["step"] * 5, None, None)
        data = FrameData()
        packed = data.track(DrawnTrack(track, moments))
        styles = list(data.styles)
        for frame, one in zip(unpacked(packed), drawings, strict=True):
            wanted = [as_json(shape) for shape in one.shapes]
            assert [shape[1] for shape in frame] == [shape[0] for shape in wanted]
            assert [shape[3:] for shape in frame] == [shape[4:] for shape in wanted]
            classes = [class_of(shape[2] or shape[3]) for shape in wanted]
            assert [styles[shape[2]] for shape in frame] == classes


def test_what_does_not_change_is_not_sent_again() -> None:
    still, moved = Rectangle("still", 0, 0, 5, 5), Circle("ball", 1, 1, 1)
    moments = [
        Moment(0, "", "", drawing(still, moved)),
        Moment(1, "roll", "", drawing(still, Circle("ball", 2, 1, 1))),
        Moment(2, "stop", "", drawing(still)),
    ]
    frames = FrameData().track(DrawnTrack(Track("run", ["roll", "stop"]), moments))["frames"]
    assert [len(fresh) for fresh, *_ in frames] == [2, 1, 0]
    assert frames[2] == [[], [1]]


def test_shapes_are_written_once_and_named_after_that() -> None:
    shapes = Shapes()
    one = shapes.svg(drawing(Text("t", 1, 2, "</svg><script>")), (100, 50), 'a "label"')
    assert "&lt;/svg&gt;&lt;script&gt;" in one and 'aria-label="a &quot;label&quot;"' in one
    again = shapes.svg(drawing(Text("other", 1, 2, "</svg><script>")), (100, 50), "")
    assert '<use href="#s0"/>' in again and "script" not in again


def line_track(steps: int, **more: Any) -> Track:
    task = line_task(3)
    states = [task.initial_state.tolist()] * (steps + 1)
    return Track("run", ["go"] * steps, task, states, **more)


def test_runs_of_an_example_have_one_size() -> None:
    small, large = Moment(0, "", "", Drawing(10, 50, ())), Moment(0, "", "", Drawing(90, 20, ()))
    tracks = [DrawnTrack(Track("run", []), [moment]) for moment in (small, large)]
    tracks.append(DrawnTrack(Track("plan", []), [Moment(0, "", "told", None)]))
    assert [one.size for one in tracks] == [(10, 50), (90, 20), None]
    together = [one.together(tracks) for one in tracks]
    assert [one.size for one in together] == [(90, 50), (90, 50), None]
    assert [FrameData().track(one)["size"] for one in together] == [[90, 50], [90, 50], None]


def test_curves_of_an_example_have_one_scale() -> None:
    model = model_of("inverted-pendulum")
    states = next(walks(model))
    tracks = [Track("run", ["push"] * (len(run) - 1), model, run) for run in (states, states[:3])]
    drawn = [drawn_track(one, None, tracks) for one in tracks]
    highs = [
        {shape.text for d in one.drawings for shape in d.shapes if shape.id == "angle high"}  # type: ignore[union-attr]
        for one in drawn
    ]
    assert highs[0] == highs[1] and len(highs[0]) == 1


def test_a_strip_has_the_start_the_decision_and_the_end() -> None:
    drawn = drawn_track(line_track(100, marked=50), None)
    assert [moment.index for moment in drawn.strip()] == [0, *range(47, 54), 100]
    assert len(drawn.moments) == 101


def test_a_loop_is_shown_once() -> None:
    drawn = drawn_track(line_track(4, marked=1, loop_start=2), None)
    assert [moment.index for moment in drawn.moments] == [0, 1, 2, 3]
    data = FrameData().track(drawn)
    assert (data["count"], data["loop"], data["back"]) == (
        4,
        "back to the state after step 2",
        "go",
    )


def test_very_long_runs_are_cut_but_for_the_decision_and_the_end() -> None:
    drawn = drawn_track(line_track(MOST_STEPS + 200, marked=MOST_STEPS + 100), None)
    indices = [moment.index for moment in drawn.moments]
    assert indices[MOST_STEPS + 1 :] == [
        *range(MOST_STEPS + 97, MOST_STEPS + 104),
        MOST_STEPS + 200,
    ]


def test_states_that_nobody_can_draw_are_told() -> None:
    drawn = drawn_track(Track("plan", ["a", "b"], notes=["p true", "p false", "q"]), None)
    assert [moment.words for moment in drawn.moments] == ["p true", "p false", "q"]
    assert drawn.size is None and FrameData().track(drawn)["frames"] == []
