"""HTML for notebooks: names are text, and long lists say how long they are."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser

import pytest

from bugsieve.base.notebooks import image_html, line_html, table_html


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


NASTY = ["<script>x</script>", "\"'><img src=x onerror=y>", "\u202e&amp;", "x" * 10_000, "a\nb"]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_text(name: str) -> None:
    text = table_html((name, name), [(name, name)], 1) + line_html(name) + image_html(name, name)
    found = Tags(text)
    assert found.tags == [
        "table",
        "thead",
        "tr",
        *["th"] * 2,
        "tbody",
        "tr",
        *["td"] * 2,
        "p",
        "img",
    ]
    assert [key for key, _ in found.attributes] == ["style", "alt", "src"]
    assert len(text) < 30_000 and "\u202e" not in text


@pytest.mark.parametrize(("count", "shown", "more"), [(3, 3, ""), (20, 20, ""), (57, 20, "37")])
def test_at_most_twenty_rows(count: int, shown: int, more: str) -> None:
    text = table_html(("a",), ([str(row)] for row in range(count)), count)
    assert text.count("<td>") == shown
    assert (f"… and {more} more" in text) == bool(more)


def test_an_image_is_what_it_was() -> None:
    svg = "<svg>é</svg>"
    (source,) = [value for key, value in Tags(image_html(svg, "w")).attributes if key == "src"]
    assert source is not None
    assert b64decode(source.partition(",")[2]).decode() == svg
