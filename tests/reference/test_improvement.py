"""The naive plan improvement on cases worked out by hand."""

from __future__ import annotations

from tests.reference.improvement import eliminate, improve, relevant_variables
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable


def line(length: int) -> SasTask:
    """Steps up and down a line, and one from 0 to the end that costs 5."""
    moves = [(k, k + 1) for k in range(length)] + [(k + 1, k) for k in range(length)]
    operators = [SasOperator(f"move {a} {b}", (), (SasEffect((), 0, a, b),), 1) for a, b in moves]
    operators.append(SasOperator("leap", (), (SasEffect((), 0, 0, length),), 5))
    operators.append(SasOperator("idle", (), (SasEffect((), 1, -1, 1),), 0))
    variables = (
        SasVariable("place", tuple(f"Atom at({k})" for k in range(length + 1))),
        SasVariable("idle", ("Atom a()", "Atom b()")),
    )
    return SasTask(True, variables, (), (0, 0), ((0, length),), tuple(operators))


def test_elimination_leaves_out_a_step_and_what_hangs_on_it() -> None:
    # 0 to 1, back, idle, up to 3; then 2 and 3 again.
    task = line(3)
    plan = [0, 3, 7, 0, 1, 2, 5, 2]
    assert eliminate(task, task.initial, plan) == [0, 1, 2]
    # Without its first step nothing of this plan can be applied.
    assert eliminate(task, task.initial, [0, 1, 2]) == [0, 1, 2]


def test_the_neighbourhood_has_the_shortcut() -> None:
    task = line(8)
    climb = list(range(8))
    assert improve(task, task.initial, climb, 0) == (climb, 0)
    assert improve(task, task.initial, climb, 1) == ([16], 1)
    assert improve(task, task.initial, climb) == ([16], 8)


def test_only_variables_on_the_way_to_the_goal_are_relevant() -> None:
    assert relevant_variables(line(3)) == {0}
