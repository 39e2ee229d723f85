"""Bugs over the running time, as a picture that needs no library."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.base.wording import counted
from bugsieve.reports.markup import Markup, element, joined

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 200, 44, 30, 12
_MOST_POINTS = 300


def bugs_over_time(seconds: Sequence[float]) -> Markup:
    """A line that rises with each bug, and a sentence that says the same."""
    times = sorted(seconds)
    words = _words(times)
    picture = element(
        "svg",
        _axes(times),
        element("polyline", points=_points(times), class_="line"),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"bugs found over the running time: {words}",
        class_="chart",
    )
    return element("figure", picture, element("figcaption", words))


def _words(times: Sequence[float]) -> str:
    count = len(times)
    half = times[(count - 1) // 2]
    text = f"{counted(count, 'bug')}: the first after {times[0]:.1f} s"
    return (
        text
        if count < 3
        else f"{text}, half of them after {half:.1f} s, the last after {times[-1]:.1f} s"
    )


def _points(times: Sequence[float]) -> str:
    """The corners of the line; of very many bugs every so manieth."""
    step = -(-len(times) // _MOST_POINTS)
    chosen = [*range(0, len(times), step), len(times) - 1]
    points, level = [(0.0, 0)], 0
    for index in dict.fromkeys(chosen):
        points += [(times[index], level), (times[index], index + 1)]
        level = index + 1
    return " ".join(f"{_x(time, times):.1f},{_y(bugs, times):.1f}" for time, bugs in points)


def _x(time: float, times: Sequence[float]) -> float:
    return _LEFT + (_WIDTH - _LEFT - 8) * (time / times[-1] if times[-1] else 0.0)


def _y(bugs: float, times: Sequence[float]) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * bugs / len(times)


def _axes(times: Sequence[float]) -> Markup:
    base = _HEIGHT - _BOTTOM
    count = len(times)
    marks = sorted({0, count} | ({count // 2} if count > 3 else set()))
    lines = [
        joined(
            element(
                "line", x1=_LEFT, x2=_WIDTH - 8, y1=f"{_y(n, times):.1f}", y2=f"{_y(n, times):.1f}"
            ),
            element("text", n, x=_LEFT - 6, y=f"{_y(n, times) + 4:.1f}", text_anchor="end"),
        )
        for n in marks
    ]
    end = f"{times[-1]:.1f} s"
    return joined(
        *lines,
        element("text", "0 s", x=_LEFT, y=base + 20),
        element("text", end, x=_WIDTH - 8, y=base + 20, text_anchor="end"),
    )
