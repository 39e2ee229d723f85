"""HTML as text: all that is not markup already becomes text of the page, never markup."""

from __future__ import annotations

from collections.abc import Container
from html import escape

from bugsieve.base.wording import printable
from bugsieve.reports.privacy import without_paths

_EMPTY = frozenset({"br", "input", "path", "rect", "circle", "line", "polyline", "use"})


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


Child = str | int | float | None
"""Markup as it is, anything else as text; None for nothing."""


def element(tag: str, *children: Child, **attributes: Child) -> Markup:
    """An element; names of attributes end in `_` where Python needs the word, and have `-` for
    other `_`. An attribute that is None is left out."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_inside(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _EMPTY:
        return Markup(f"<{tag}{given}/>" if tag not in ("br", "input") else f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Children one after the other."""
    return Markup("".join(_inside(child) for child in children if child is not None))


def linked(child: Child, anchor: str, anchors: Container[str]) -> Markup:
    """A link to a place of the page; where there is no such place, what it would be on alone."""
    return element("a", child, href=f"#{anchor}") if anchor in anchors else joined(child)


def shown(text: str) -> str:
    """A foreign text as a page may show it: on one line, and without absolute paths."""
    return printable(without_paths(text))


def _inside(child: Child) -> str:
    if isinstance(child, Markup):
        return child
    return escape(shown(str(child)), quote=True)
