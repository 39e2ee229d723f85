"""Truth on finite traces and lassos."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import holds, holds_on_lasso, truth_table


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("test"))


@pytest.mark.parametrize(
    ("text", "trace", "truth"),
    [
        ("X true", [""], False),
        ("N false", [""], True),
        ("G(p -> F q)", ["p", "", "q"], True),
        ("G(p -> F q)", ["p", "q", "p"], False),
        ("p U q", ["p", "p"], False),
        ("p W q", ["p", "p"], True),
        ("p R q", ["q", "pq", ""], True),
        ("p R q", ["q", "q"], True),
        ("p M q", ["q", "q"], False),
        ("p <-> q", ["pq"], True),
    ],
)
def test_finite_traces(text: str, trace: list[str], truth: bool) -> None:
    assert holds(read(text), [set(letter) for letter in trace]) == truth


@pytest.mark.parametrize(
    ("text", "trace", "start", "truth"),
    [
        ("G F p", ["", "p", ""], 1, True),
        ("G F p", ["p", "p", ""], 2, False),
        ("F G p", ["", "p"], 1, True),
        ("G X true", ["p"], 0, True),
        ("N false", ["p"], 0, False),
        ("p U q", ["p", "p"], 0, False),
        ("p W q", ["p", "p"], 0, True),
        ("G(q -> X p)", ["q", "p", "q"], 1, True),
        ("G(q -> X p)", ["q", "p", "q"], 2, False),
    ],
)
def test_lassos(text: str, trace: list[str], start: int, truth: bool) -> None:
    assert holds_on_lasso(read(text), [set(letter) for letter in trace], start) == truth


def test_the_table_has_each_subformula_once_from_the_outside_in() -> None:
    rows = truth_table(read("G(p -> F p)"), [{"p"}, {}])
    assert [(to_text(row.formula), row.depth, row.values) for row in rows] == [
        ("G(p -> F p)", 0, (True, True)),
        ("p -> F p", 1, (True, True)),
        ("p", 2, (True, False)),
        ("F p", 2, (True, False)),
    ]
    looped = truth_table(read("F p"), [{"p"}, {}], loop_start=0)
    assert looped[0].values == (True, True)


def test_a_trace_has_a_state_and_a_loop_lies_within_it() -> None:
    with pytest.raises(UsageError, match="at least one state"):
        holds(read("true"), [])
    with pytest.raises(UsageError, match="the loop starts at 1, outside the trace"):
        holds_on_lasso(read("true"), [set()], 1)
