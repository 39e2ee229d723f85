"""Pictures of states in a real Chromium: texts stay on the sheet, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bugsieve.pictures import Drawing, Frame, Text, draw_run, svg_text
from bugsieve.testing.pictures import walk
from tests.browser.chromium import Page
from tests.unit.pictures.subjects import NAMES, subject_of, walks

OUTSIDE = """
(() => {
  return [...document.querySelectorAll('text')].filter(text => {
    const [, , width, height] = text.ownerSVGElement.getAttribute('viewBox').split(' ');
    const box = text.getBBox();
    return box.x < -2 || box.y < -2 || box.x + box.width > +width + 2
      || box.y + box.height > +height + 2;
  }).map(text => text.textContent);
})()
"""
LOOKS = """
(() => {
  const look = name => {
    const found = document.querySelector(name);
    return found && getComputedStyle(found).fill;
  };
  return [look('.bs-paper'), look('text'), look('polyline')];
})()
"""


def last_frame(domain: str) -> str:
    subject = subject_of(domain)
    frame = draw_run(subject, walk(subject)).frames[-1]
    return svg_text(frame.drawing, title=domain, description=frame.sentence)


def frames(domain: str, picture: str | None = None) -> str:
    """A page with the first and the last states of several runs, and some between."""
    subject = subject_of(domain)
    drawn = [
        frame.drawing
        for states in walks(subject)
        for frame in _some(draw_run(subject, states, picture=picture).frames)
    ]
    return "<!DOCTYPE html>" + "".join(svg_text(drawing, title=domain) for drawing in drawn)


def _some(run: Sequence[Frame]) -> Sequence[Frame]:
    return [*run[:-1:8], run[-1]]


def opened(page: Page, path: Path, text: str) -> Any:
    path.write_text(text, encoding="utf-8")
    page.open(path)
    assert page.complaints() == []
    assert page.requests() == [path.as_uri()]
    return page.run(OUTSIDE)


@pytest.mark.parametrize("domain", NAMES)
def test_texts_stay_on_the_sheet(page: Page, tmp_path: Path, domain: str) -> None:
    assert opened(page, tmp_path / "frames.html", frames(domain)) == []


@pytest.mark.parametrize(("domain", "picture"), [("rovers", "graph"), ("cartpole", "bars")])
def test_texts_of_general_pictures_do(
    page: Page, tmp_path: Path, domain: str, picture: str
) -> None:
    assert opened(page, tmp_path / "frames.html", frames(domain, picture)) == []


def test_a_text_that_leaves_the_sheet_is_noticed(page: Page, tmp_path: Path) -> None:
    drawing = Drawing(50, 20, (Text("a", 45, 10, "too long", anchor="start"),))
    found = opened(page, tmp_path / "long.svg", svg_text(drawing, title="long"))
    assert found == ["too long"]


def test_light_and_dark(page: Page, tmp_path: Path) -> None:
    text = last_frame("rovers")
    page.prefer("light")
    opened(page, tmp_path / "light.svg", text)
    assert page.run(LOOKS) == ["rgb(255, 255, 255)", "rgb(28, 36, 41)", "none"]
    page.prefer("dark")
    opened(page, tmp_path / "dark.svg", text)
    assert page.run(LOOKS) == ["rgb(20, 24, 27)", "rgb(238, 242, 244)", "none"]
    page.prefer("light")
