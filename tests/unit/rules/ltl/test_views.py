"""The three views of formulas on finite traces."""

from __future__ import annotations

import pytest

from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.views import in_view


@pytest.mark.parametrize(
    ("text", "strong", "weak"),
    [
        ("p", "p", "p"),
        ("X p", "X p", "N p"),
        ("N p", "X p", "N p"),
        ("F p", "F p", "true"),
        ("G p", "false", "G p"),
        ("p U q", "p U q", "p W q"),
        ("p W q", "p U q", "p W q"),
        ("p R q", "p M q", "p R q"),
        ("p M q", "p M q", "p R q"),
        ("!G p", "F !p", "true"),
        ("G(p -> F q)", "false", "true"),
        ("p | G q", "p", "p | G q"),
        ("p <-> F q", "p & F q", "p | !p & G !q"),
        ("p <-> q", "p <-> q", "p <-> q"),
    ],
)
def test_views(text: str, strong: str, weak: str) -> None:
    formula = read_ltl(text, place=Place("test"))
    assert to_text(in_view(formula, "strong")) == strong
    assert to_text(in_view(formula, "weak")) == weak
    assert in_view(formula, "neutral") is formula
