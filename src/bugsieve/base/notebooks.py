"""HTML for notebooks: tables and images without scripts, in which every name is text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from bugsieve.base.wording import printable

MOST_ROWS = 20
_LONGEST = 500
"""Letters of a cell or a line."""


def text_html(text: str) -> str:
    """A text as part of HTML: one line, cut where it is too long to be read."""
    plain = printable(text[: 2 * _LONGEST])
    return escape(plain if len(plain) <= _LONGEST else plain[:_LONGEST] + "…")


def line_html(text: str) -> str:
    """A paragraph."""
    return f"<p>{text_html(text)}</p>"


def table_html(headings: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """A table with the first 20 of so many rows, and a line that says how many more there are."""
    head = "".join(f"<th>{text_html(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{text_html(cell)}</td>" for cell in row) + "</tr>"
        for row in islice(rows, MOST_ROWS)
    )
    rest = count - MOST_ROWS
    more = line_html(f"… and {rest} more") if rest > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def image_html(svg: str, words: str) -> str:
    """An SVG picture as an image, in which nothing of the page and of it can get mixed up."""
    data = b64encode(svg.encode()).decode("ascii")
    return (
        f'<img style="max-width:100%" alt="{text_html(words)}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
