"""Tables and trees as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.campaigns.exhibits import Panel, TablePanel, TreePanel
from bugsieve.reports.markup import Child, Markup, element, joined

_DEEPEST = 12
"""Further to the right nothing is moved."""


def panel_section(panel: Panel, heading: str) -> Markup:
    """A panel under a heading of this level."""
    body = _tree(panel) if isinstance(panel, TreePanel) else _panel_table(panel)
    text = element("p", panel.text, class_="hint") if panel.text else None
    return element("section", element(heading, panel.title), text, body, class_="panel")


def table(columns: Sequence[str], rows: Sequence[Sequence[Child]], label: str) -> Markup:
    """A table that scrolls by itself where the screen is narrow."""
    numbers = {place for row in rows for place, cell in enumerate(row) if _is_number(cell)}
    names = (
        element("th", name, scope="col", class_="number" if place in numbers else None)
        for place, name in enumerate(columns)
    )
    head = element("tr", *names)
    body = joined(*(element("tr", *map(_cell, row)) for row in rows))
    made = element("table", element("thead", head), element("tbody", body))
    return element("div", made, class_="scroll", role="group", aria_label=label, tabindex="0")


def pairs(values: Mapping[str, str], label: str) -> Markup:
    """Names and values."""
    rows = (
        element("div", element("dt", name), element("dd", value)) for name, value in values.items()
    )
    return element("dl", *rows, class_="pairs", aria_label=label)


def printed(text: str) -> Markup:
    """The output of a policy, line by line, folded away."""
    lines = (joined(line, Markup("\n")) for line in text.splitlines())
    summary = element("summary", "what the policy printed")
    return element("details", summary, element("pre", *lines, tabindex="0"))


def _panel_table(panel: TablePanel) -> Markup:
    return table(panel.columns, panel.rows, panel.title)


def _cell(value: Child) -> Markup:
    return element("td", value, class_="number" if _is_number(value) else None)


def _is_number(value: Child) -> bool:
    return isinstance(value, (int, float))


def _tree(panel: TreePanel) -> Markup:
    """Each thing below the one it came from, and to the right of it."""
    children: dict[int | None, list[int]] = {}
    for place, parent in enumerate(panel.parents):
        children.setdefault(parent, []).append(place)
    rows, todo = [], [(place, 0) for place in reversed(children.get(None, []))]
    while todo:  # lines may be longer than Python recurses
        place, depth = todo.pop()
        rows.append(_tree_row(panel, place, depth))
        deeper = min(depth + 1, _DEEPEST)
        todo += [(child, deeper) for child in reversed(children.get(place, []))]
    return element("ol", *rows, class_="tree")


def _tree_row(panel: TreePanel, place: int, depth: int) -> Markup:
    share = f"{panel.shares[place]:.3f}"
    meter = element("meter", share, min=0, max=1, value=share, aria_label="score")
    return element("li", meter, " ", panel.texts[place], class_=f"depth-{depth}")
