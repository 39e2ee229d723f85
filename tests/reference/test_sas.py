"""The reference reader and writer against one file written out by hand."""

from __future__ import annotations

import pytest

from tests.reference.sas import SasEffect, SasOperator, parse, render

TEXT = """\
begin_version
3
end_version
begin_metric
1
end_metric
2
begin_variable
var0
-1
3
Atom at(a)
Atom at(b)
<none of those>
end_variable
begin_variable
var1
-1
2
Atom lit()
NegatedAtom lit()
end_variable
1
begin_mutex_group
2
0 0
1 0
end_mutex_group
begin_state
2
1
end_state
begin_goal
1
0 1
end_goal
2
begin_operator
move a b
1
1 0
1
0 0 0 1
7
end_operator
begin_operator
shake
0
2
1 0 2 1 1 0
2 0 0 1 1 0 -1 2
0
end_operator
0
"""


def test_every_part_of_a_file_is_read() -> None:
    task = parse(TEXT)
    assert task.metric
    assert [v.name for v in task.variables] == ["var0", "var1"]
    assert task.variables[0].facts == ("Atom at(a)", "Atom at(b)", "<none of those>")
    assert task.variables[1].size == 2
    assert task.mutexes == (((0, 0), (1, 0)),)
    assert task.initial == (2, 1)
    assert task.goal == ((0, 1),)
    assert task.operators == (
        SasOperator("move a b", ((1, 0),), (SasEffect((), 0, 0, 1),), 7),
        SasOperator(
            "shake",
            (),
            (SasEffect(((0, 2),), 1, 1, 0), SasEffect(((0, 0), (1, 1)), 0, -1, 2)),
            0,
        ),
    )


def test_preconditions_join_prevail_and_before_values() -> None:
    move, shake = parse(TEXT).operators
    assert move.preconditions == ((0, 0), (1, 0))
    assert shake.preconditions == ((1, 1),), "a conditional effect's before value counts as well"


def test_writing_gives_the_same_text() -> None:
    assert render(parse(TEXT)) == TEXT


def test_costs_are_one_without_a_metric() -> None:
    with_metric = parse(TEXT)
    without = parse(TEXT.replace("begin_metric\n1", "begin_metric\n0"))
    assert [with_metric.cost(o) for o in (0, 1)] == [7, 0]
    assert [without.cost(o) for o in (0, 1)] == [1, 1]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("begin_version\n3", "begin_version\n4", "expected '3'"),
        ("end_state", "end_goal", "expected 'end_state'"),
        ("0 0 0 1\n7", "0 0 0 1 5\n7", "too many values"),
        ("end_operator\n0\n", "end_operator\n1\n", "axioms"),
    ],
)
def test_what_is_outside_the_format_is_refused(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=reason):
        parse(TEXT.replace(old, new))
