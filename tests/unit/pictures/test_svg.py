"""SVG that other programs can read, in which names are text and roles are told without colours."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bugsieve.pictures.shapes import ROLES, TONES, Circle, Curve, Drawing, Line, Rectangle, Text
from bugsieve.pictures.svg import LOOKS, class_of, style_text, svg_text

NASTY = (
    "<script>alert(1)</script>",
    "\" onload='x' a=\"",
    "]]>&amp;<!-- -->",
    "a\u202eb\u2066c\x00\x1b[31m",
    "x" * 10_000,
    "\ud800",
)
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "desc", "style", "rect", "circle", "line", "polyline", "text"}


def shapes(name: str) -> list[Rectangle | Circle | Line | Curve | Text]:
    return [
        Rectangle(f"{name} r", 1, 2, 3, 4, role="goal"),
        Circle(f"{name} c", 1, 2, 3, role="moved"),
        Line(f"{name} l", 1, 2, 3, 4, role="open goal"),
        Curve(f"{name} p", ((1, 2), (3, 4)), role="danger"),
        Text(f"{name} t", 1, 2, name),
    ]


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("embedded", [False, True])
def test_names_are_text(name: str, embedded: bool) -> None:
    drawing = Drawing(10, 20, tuple(shapes(name)))
    text = svg_text(drawing, title=name, description=name, embedded=embedded)
    root = ElementTree.fromstring(text.encode())
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= ALLOWED
    assert not any(
        name.startswith("on") or name == "style" for e in root.iter() for name in e.attrib
    )
    assert len(text) < 60_000
    assert "\u202e" not in text and "\x1b" not in text


def test_what_screen_readers_get() -> None:
    drawing = Drawing(10, 20, tuple(shapes("a")))
    root = ElementTree.fromstring(svg_text(drawing, title="a & b", description="c < d"))
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == "a & b"
    assert [root[0].tag, root[0].text] == [f"{SVG}title", "a & b"]
    assert [root[1].tag, root[1].text] == [f"{SVG}desc", "c < d"]
    assert root.attrib["viewBox"] == "0 0 10 20"


def test_an_embedded_one_leaves_paper_and_style_to_the_page() -> None:
    drawing = Drawing(10, 20, tuple(shapes("a")))
    assert "<style" not in svg_text(drawing, title="a", embedded=True)
    assert "bs-paper" not in svg_text(drawing, title="a", embedded=True)
    assert style_text() in svg_text(drawing, title="a")


def test_roles_are_told_without_colours() -> None:
    lines = {role: (LOOKS[role].width, LOOKS[role].dash) for role in ROLES if role}
    assert len(set(lines.values())) == len(lines)
    assert all(
        lines[role] != (LOOKS[tone].width, LOOKS[tone].dash) for role in lines for tone in TONES
    )


def test_every_look_has_a_class_that_pages_can_restyle() -> None:
    for name in LOOKS:
        shape = Circle("c", 1, 2, 3, **({"role": name} if name in ROLES else {"tone": name}))
        assert f'class="{class_of(name)}"' in svg_text(Drawing(9, 9, (shape,)), title="a")
        assert f".{class_of(name)}{{" in style_text()


def test_curves_are_lines() -> None:
    """A style sheet that fills things must not fill what a curve encloses."""
    curve = Curve("p", ((1, 2), (3, 4), (5, 0)))
    assert 'fill="none"' in svg_text(Drawing(9, 9, (curve,)), title="a")
    assert style_text().endswith("polyline[class]{fill:none}}")
