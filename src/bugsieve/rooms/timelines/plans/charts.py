"""Plans as charts in SVG: a row per timeline, a curve per reservoir; needs no other package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from bugsieve.rooms.timelines.plans.plan import Plan, Token

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#999933")
"""Okabe and Ito's, which people with any colour vision tell apart, then two of Tol's."""
_LEFT, _RIGHT, _TOP = 150, 20, 16
_ROW, _BAR, _CURVE, _GAP = 34, 24, 64, 10
_WIDTH = 760
"""Of the horizon."""
_LETTER = 6.2
"""About how wide a letter is."""
_GREY = "#666666"
_FONT = "font-family='sans-serif' font-size='11'"


@dataclass(frozen=True)
class _Scale:
    start: int
    end: int

    def x(self, time: int) -> float:
        inside = min(max(time, self.start), self.end)
        return round(_LEFT + _WIDTH * (inside - self.start) / (self.end - self.start), 1)


def chart_svg(plan: Plan, *, title: str = "") -> str:
    """The picture of a plan; tokens that end beyond the horizon have an open right side."""
    scale = _Scale(*plan.horizon)
    rows: dict[str, list[Token]] = {}
    for token in plan.tokens:
        rows.setdefault(token.object, []).append(token)
    colours = _colours(plan.tokens)
    y = _TOP + (18 if title else 0)
    parts = [_text(_LEFT, 14, title, bold=True)] if title else []
    lanes: list[str] = []
    for name, tokens in rows.items():
        height = 0
        for lane in _lanes(tokens):
            lanes += [_token(token, scale, y + height, colours) for token in lane]
            height += _ROW
        parts.append(_text(_LEFT - 8, y + _BAR / 2 + 4, _short(name, 21), anchor="end"))
        y += height
    for name, levels in plan.levels.items():
        lanes += _curve(name, levels, scale, y)
        y += _CURVE + _GAP
    for name in sorted({name for letter in plan.letters for name in letter}):
        lanes += _truth(name, plan.letters, scale, y)
        y += 20
    parts += [*_axis(scale, _TOP, y), *lanes]
    width = _LEFT + _WIDTH + _RIGHT
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {y + 26}' "
        f"width='{width}' height='{y + 26}' {_FONT}>\n"
        f"<rect width='100%' height='100%' fill='white'/>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _colours(tokens: Iterable[Token]) -> dict[str, str]:
    names = dict.fromkeys(token.predicate for token in tokens)
    return {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}


def _lanes(tokens: Sequence[Token]) -> list[list[Token]]:
    """Tokens of one lane do not overlap: one lane for a timeline."""
    lanes: list[list[Token]] = []
    for token in sorted(tokens, key=lambda item: (item.start, item.end)):
        for lane in lanes:
            if lane[-1].end <= token.start:
                lane.append(token)
                break
        else:
            lanes.append([token])
    return lanes


def _token(token: Token, scale: _Scale, y: float, colours: dict[str, str]) -> str:
    left, right = scale.x(token.start), scale.x(token.end)
    colour = colours[token.predicate]
    values = ", ".join(f"{name} = {value}" for name, value in token.parameters.items())
    label = f"{token.predicate}({', '.join(map(str, token.parameters.values()))})"
    label = label.removesuffix("()")
    room = int((right - left - 6) / _LETTER)
    shown = label if len(label) <= room else _short(token.predicate, room)
    about = f"{token.object}.{token.predicate} [{token.start}, {token.end}) {values}".strip()
    dashes = " stroke-dasharray='4 3'" if token.end > scale.end else ""
    width = max(round(right - left, 1), 1)
    return (
        f"<g><title>{_safe(about)}</title>"
        f"<rect x='{left}' y='{y}' width='{width}' height='{_BAR}' rx='3' "
        f"fill='{colour}' fill-opacity='0.25' stroke='{colour}'{dashes}/>"
        f"{_text(left + 4, y + _BAR / 2 + 4, shown) if shown else ''}</g>"
    )


def _curve(name: str, levels: Sequence[int], scale: _Scale, y: float) -> list[str]:
    """A curve of steps from zero, or from the lowest level if that is below."""
    low, high = min(0, *levels), max(1, *levels)
    points = []
    for step, level in enumerate(levels):
        height = round(y + _CURVE * (high - level) / (high - low), 1)
        points += [f"{scale.x(scale.start + step)},{height}"]
        points += [f"{scale.x(scale.start + step + 1)},{height}"]
    return [
        f"<rect x='{_LEFT}' y='{y}' width='{_WIDTH}' height='{_CURVE}' fill='#f6f6f6'/>",
        f"<polyline points='{' '.join(points)}' fill='none' stroke='{COLOURS[0]}' "
        "stroke-width='1.5'/>",
        _text(_LEFT - 8, y + _CURVE / 2 + 4, _short(name, 21), anchor="end"),
        _text(_LEFT + 3, y + 11, str(high), colour=_GREY),
        _text(_LEFT + 3, y + _CURVE - 3, str(low), colour=_GREY),
    ]


def _truth(name: str, letters: Sequence[frozenset[str]], scale: _Scale, y: float) -> list[str]:
    """A thin bar wherever an atom holds."""
    parts = [_text(_LEFT - 8, y + 10, _short(name, 21), anchor="end", colour=_GREY)]
    begin: int | None = None
    for step in range(len(letters) + 1):
        is_true = step < len(letters) and name in letters[step]
        if is_true and begin is None:
            begin = step
        elif not is_true and begin is not None:
            left, right = scale.x(scale.start + begin), scale.x(scale.start + step)
            width = round(right - left, 1)
            parts.append(
                f"<rect x='{left}' y='{y + 3}' width='{width}' height='7' fill='{_GREY}'/>"
            )
            begin = None
    return parts


def _axis(scale: _Scale, top: float, bottom: float) -> list[str]:
    parts = []
    length = scale.end - scale.start
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if length / s <= 12)
    first = -(-scale.start // step) * step
    for time in range(first, scale.end + 1, step):
        x = scale.x(time)
        line = f"<line x1='{x}' y1='{top}' x2='{x}' y2='{bottom}' stroke='#dddddd'/>"
        parts += [line, _text(x, bottom + 16, str(time), anchor="middle", colour=_GREY)]
    return parts


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    colour: str = "#222222",
    bold: bool = False,
) -> str:
    weight = " font-weight='bold'" if bold else ""
    return (
        f"<text x='{x}' y='{round(y, 1)}' text-anchor='{anchor}' fill='{colour}'{weight}>"
        f"{_safe(text)}</text>"
    )


def _safe(text: str) -> str:
    """Names of others may hold anything; XML knows no control characters."""
    return escape("".join(char if char.isprintable() else "?" for char in text))


def _short(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return text[: room - 1] + "…" if room >= 3 else ""
