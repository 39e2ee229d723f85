"""Drawings as SVG: text without scripts, styles of elements or anything from elsewhere.

How a shape looks is said twice: by attributes, so that a file needs nothing else, and by classes,
which the style sheet of a page may override, as for dark screens. Roles differ in lines as well as
in colours: goals have thick lines, open goals dashed ones, what moved dotted ones, and danger
long dashes that are thicker still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from xml.sax.saxutils import escape, quoteattr

from bugsieve.pictures.shapes import Circle, Curve, Drawing, Line, Rectangle, Shape, Text, as_json
from bugsieve.pictures.shapes import shortened as shortened


@dataclass(frozen=True)
class SvgTheme:
    """Colours on light and dark screens, and what tells a role apart without them."""

    fill: str
    stroke: str
    dark_fill: str
    dark_stroke: str
    width: float = 1.5
    dash: str = ""
    text: str = ""
    """More attributes of a text."""


LOOKS: Mapping[str, SvgTheme] = MappingProxyType(
    {
        "thing": SvgTheme("#d7e3ee", "#37474f", "#33485c", "#c3d0da"),
        "ground": SvgTheme("#f6f5f1", "#9a9a92", "#22282d", "#6f7a83", 1.0),
        "dark": SvgTheme("#a9bac8", "#263238", "#566673", "#dfe6eb"),
        "faint": SvgTheme("none", "#b4b4ac", "none", "#59646d", 1.0),
        "goal": SvgTheme("#cdebd0", "#1b6e34", "#1f4a2b", "#7fd694", 3.5, text="underline"),
        "open goal": SvgTheme("none", "#8a5200", "none", "#f0b45a", 2.0, "6 4", "italic"),
        "moved": SvgTheme("#ffe9a8", "#0b4fa0", "#5a4a10", "#8cc0ff", 3.0, "0.1 5", "bold"),
        "danger": SvgTheme("#f9cfc9", "#b00020", "#5c1f1c", "#ff9c90", 4.5, "14 4", "bold"),
    }
)
"""By tone for shapes without a role, and by role for the others."""
_INK, _DARK_INK = "#1c2429", "#eef2f4"
_PAPER, _DARK_PAPER = "#ffffff", "#14181b"
_LONGEST = 4000
"""Letters of a title or a description."""
_TEXTS = {
    "underline": ' text-decoration="underline"',
    "italic": ' font-style="italic"',
    "bold": ' font-weight="bold"',
}


def class_of(role: str) -> str:
    """The class of shapes of a role or tone: `bs-open-goal`."""
    return "bs-" + role.replace(" ", "-")


def svg_text(
    drawing: Drawing, *, title: str, description: str = "", embedded: bool = False
) -> str:
    """The drawing as one `<svg>` element with its title and description for screen readers.

    An embedded one leaves out paper and style sheet, which are those of the page.
    """
    parts = list(map(element, drawing.shapes))
    return sheet(drawing, parts, title=title, description=description, embedded=embedded)


def sheet(
    size: Drawing | tuple[float, float],
    parts: Iterable[str],
    *,
    title: str,
    description: str = "",
    embedded: bool = False,
) -> str:
    """Elements of SVG on a sheet of this size."""
    both = (size.width, size.height) if isinstance(size, Drawing) else size
    width, height = map(number_text, both)
    own = [] if embedded else [f"<style>{style_text()}</style>", _paper(width, height)]
    words = {"title": title, "desc": description}
    said = [f"<{tag}>{_escaped(text, _LONGEST)}</{tag}>" for tag, text in words.items() if text]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="system-ui, sans-serif" '
            f'role="img" aria-label={quoteattr(shortened(title, _LONGEST))}>',
            *said,
            *own,
            *parts,
            "</svg>",
        ]
    )


def style_text() -> str:
    """A style sheet for the classes, for dark screens."""
    rules = [
        f".{class_of(name)}{{fill:{look.dark_fill};stroke:{look.dark_stroke}}}"
        f".{class_of(name)}-text{{fill:{look.dark_stroke if look.text else _DARK_INK}}}"
        for name, look in LOOKS.items()
    ]
    curves = "polyline[class]{fill:none}"  # more telling than a class alone
    paper = f".bs-paper{{fill:{_DARK_PAPER}}}"
    return f"@media(prefers-color-scheme:dark){{{paper}{''.join(rules)}{curves}}}"


def element(shape: Shape) -> str:
    """One shape as an element of SVG."""
    numbers = [number_text(part) for part in as_json(shape)[4:] if not isinstance(part, str)]
    if isinstance(shape, Text):
        return _text(shape, numbers)
    style = _style(shape)
    if isinstance(shape, Rectangle):
        x, y, width, height = numbers
        return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3"{style}/>'
    if isinstance(shape, Circle):
        x, y, radius = numbers
        return f'<circle cx="{x}" cy="{y}" r="{radius}"{style}/>'
    if isinstance(shape, Line):
        x1, y1, x2, y2 = numbers
        return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{style}/>'
    points = " ".join(f"{x},{y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True))
    return f'<polyline points="{points}"{style}/>'


def _text(shape: Text, numbers: list[str]) -> str:
    x, y, size = numbers
    look = LOOKS[shape.role or shape.tone]
    colour = look.stroke if look.text else _INK
    more = _TEXTS.get(look.text, "")
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{shape.anchor}" '
        f'dominant-baseline="central" fill="{colour}"{more} '
        f'class="{class_of(shape.role or shape.tone)}-text">{escape(shortened(shape.text))}</text>'
    )


def _style(shape: Shape) -> str:
    look = LOOKS[shape.role or shape.tone]
    fill = "none" if isinstance(shape, Curve) else look.fill
    dash = f' stroke-dasharray="{look.dash}" stroke-linecap="round"' if look.dash else ""
    return (
        f' fill="{fill}" stroke="{look.stroke}" stroke-width="{number_text(look.width)}"{dash}'
        f' class="{class_of(shape.role or shape.tone)}"'
    )


def _paper(width: str, height: str) -> str:
    return f'<rect width="{width}" height="{height}" fill="{_PAPER}" class="bs-paper"/>'


def number_text(number: float) -> str:
    """A number as attributes have it."""
    return f"{round(float(number), 1):g}"


def _escaped(text: str, most: int) -> str:
    return escape(shortened(text, most))
