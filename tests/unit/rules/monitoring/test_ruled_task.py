"""Tasks within rules: the same plans, however operators are copied."""

from __future__ import annotations

import pytest

from bugsieve.pipeline.objectives import make_objective
from bugsieve.rooms.rules.monitoring import ruled_task
from bugsieve.tasks.search import astar
from tests.property.test_policy_rules import ruled_case


@pytest.mark.parametrize("copies", [1, 2, 1000])
def test_few_copies_give_the_same_answers(copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [answers(seed) for seed in range(15)]
    monkeypatch.setattr(ruled_task, "MAX_COPIES", copies)
    assert [answers(seed) for seed in range(15)] == expected
    assert any(None in row for row in expected)
    assert any(cost is not None for row in expected for cost in row)


def answers(seed: int) -> list[int | None]:
    """What the cheapest run within the rules costs from each state."""
    case = ruled_case(seed)
    alternatives = make_objective(case.spec, case.task).alternatives()
    starts = [alternatives.start(state) for state in case.states]
    return [
        None if start is None else astar(alternatives.task, start, "blind").cost
        for start in starts
    ]
