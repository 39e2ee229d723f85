"""Charts are well-formed pictures that show every token."""

from __future__ import annotations

from xml.etree import ElementTree

from bugsieve.rooms.timelines.plans.charts import chart_svg
from bugsieve.rooms.timelines.plans.plan import Plan, Support, Token


def make_plan() -> Plan:
    root = Support(-1, (), ())
    tokens = (
        Token("rover", "At", 0, 10, {"location": "rock<4>"}, ()),
        Token("rover", "Going", 10, 25, {}, ()),
        Token("sky", "Cloud", 2, 6, {}, ()),
        Token("sky", "Cloud", 4, 8, {}, ()),
    )
    levels = (9,) * 5 + (3,) * 15
    letters: tuple[frozenset[str], ...] = (frozenset({"moving"}),) * 4 + (frozenset(),) * 16
    return Plan((0, 20), tokens, root, {"battery": levels}, letters)


def test_a_chart_shows_tokens_levels_and_atoms() -> None:
    text = chart_svg(make_plan(), title="a & b")
    picture = ElementTree.fromstring(text)
    shown = ["".join(item.itertext()) for item in picture.iter()]
    for word in ("a & b", "At(rock<4>)", "Going", "battery", "moving", "rover"):
        assert any(word in item for item in shown)
    (curve,) = picture.iter("{http://www.w3.org/2000/svg}polyline")
    heights = {point.split(",")[1] for point in curve.attrib["points"].split()}
    assert len(heights) == 2
    assert "stroke-dasharray" in text  # the token that goes on beyond the horizon


def test_tokens_that_overlap_are_drawn_below_each_other() -> None:
    picture = ElementTree.fromstring(chart_svg(make_plan()))
    heights = [
        rectangle.attrib["y"]
        for group in picture.iter("{http://www.w3.org/2000/svg}g")
        for rectangle in group.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(heights) == 4
    assert heights[2] != heights[3]


def test_names_of_others_do_no_harm() -> None:
    token = Token("a\x00'>", "P", 0, 2, {}, ())
    plan = Plan((0, 2), (token,), Support(-1, (), ()), {}, (frozenset(),) * 2)
    ElementTree.fromstring(chart_svg(plan, title="</svg>\x1b"))
