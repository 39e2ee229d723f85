"""Puts the page together: one file, which opens from anywhere and loads nothing from elsewhere."""

from __future__ import annotations

from bugsieve.base.pages import json_block, part_of, sealed_page
from bugsieve.pictures.svg import LOOKS, class_of
from bugsieve.reports.bugs import bugs_section
from bugsieve.reports.contents import Contents
from bugsieve.reports.details import details_section
from bugsieve.reports.examples import Gallery, PageBudget
from bugsieve.reports.head import head
from bugsieve.reports.markup import Markup, element, joined

LARGEST = 10_000_000
"""Bytes; what would make the page larger is left out, unless it is asked for."""
_FRAME = 100_000
"""The bytes of the page itself: style, script, and what is never left out."""
_FOR_PICTURES = 0.6
"""The share of the rest that pictures may take."""


def report_page(contents: Contents) -> str:
    """The page, complete in itself."""
    room = None if contents.full else LARGEST - _FRAME
    pictures = PageBudget(None if room is None else int(_FOR_PICTURES * room))
    others = PageBudget(None if room is None else room - int(_FOR_PICTURES * room))
    gallery = Gallery(contents, pictures, others)
    examples = gallery.section()
    parts = [
        examples,
        bugs_section(contents, others, gallery.anchors),
        details_section(contents, others),
    ]
    body = joined(
        head(contents, gallery.anchors),
        _navigation(parts),
        element("main", *parts, id="main", tabindex="-1"),
        _foot(contents, pictures, others),
    )
    data = {
        "styles": [*gallery.data.styles],
        "runs": gallery.runs,
        "follows": contents.follows and not contents.is_finished,
    }
    return sealed_page(
        part_of(__package__, "page.html"),
        {"title": _title(contents), "body": body, "data": json_block(data)},
        script=part_of(__package__, "script.js"),
        style=part_of(__package__, "style.css") + _looks(),
    )


def _title(contents: Contents) -> str:
    return joined(" · ".join(chapter.verdict for chapter in contents.chapters))


def _navigation(parts: list[Markup | None]) -> Markup:
    names = {"examples": "What is wrong", "bugs": "All bugs", "figures": "In figures"}
    links = [
        element("a", name, href=f"#{anchor}")
        for (anchor, name), part in zip(names.items(), parts, strict=True)
        if part is not None
    ]
    return element("nav", *links, aria_label="parts of this page")


def _foot(contents: Contents, *budgets: PageBudget) -> Markup:
    refused = sum(budget.refused for budget in budgets)
    lines = ["Written by bugsieve report from what the folders keep: no policy was asked."]
    if refused:
        lines.append(
            f"To stay below {LARGEST // 1_000_000} MB, {refused} parts are left out: "
            "--full brings them."
        )
    if contents.follows and not contents.is_finished:
        lines.append("The file is written anew every 10 seconds, and this page follows it.")
    return element("footer", *(element("p", line) for line in lines))


def _looks() -> str:
    """The looks of shapes, light and dark."""
    light, dark = [], []
    for name, look in LOOKS.items():
        where = f".{class_of(name)}"
        dash = f";stroke-dasharray:{look.dash};stroke-linecap:round" if look.dash else ""
        light.append(
            f"{where}{{fill:{look.fill};stroke:{look.stroke};stroke-width:{look.width}{dash}}}"
        )
        dark.append(f"{where}{{fill:{look.dark_fill};stroke:{look.dark_stroke}}}")
        more = f";{_TEXTS[look.text]}" if look.text else ""
        ink, dark_ink = (look.stroke, look.dark_stroke) if look.text else ("var(--ink)",) * 2
        light.append(f"{where}-text{{fill:{ink};dominant-baseline:central{more}}}")
        dark.append(f"{where}-text{{fill:{dark_ink}}}")
    # Selectors of one element each: where shapes are used again there is nothing around them.
    curves = "polyline[class]{fill:none}"
    screen = f"@media screen and (prefers-color-scheme:dark){{{''.join(dark)}}}"
    return f"{''.join(light)}{screen}{curves}"


_TEXTS = {
    "underline": "text-decoration:underline",
    "italic": "font-style:italic",
    "bold": "font-weight:bold",
}
