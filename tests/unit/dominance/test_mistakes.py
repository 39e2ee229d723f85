"""Every known way to get dominance functions wrong is seen on a smallest task."""

from __future__ import annotations

import pytest

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.checks import assert_sound, table_of
from tests.unit.dominance.merging import atomic_blocks
from tests.unit.dominance.mistaken_cases import CASES, Case, reachable_task
from tests.unit.dominance.mistakes import Mistake
from tests.unit.dominance.naive import NaiveDominance, all_states, h_star
from tests.unit.dominance.small_tasks import small_task


def _value(task: Task, case: Case, mistake: Mistake | None) -> float:
    """The smallest tasks have no initial state: nothing is pruned for being out of reach."""
    found = NaiveDominance(task, atomic_blocks(task), keep_unreachable=True, mistake=mistake)
    return found.value(tuple(map(int, case.source)), tuple(map(int, case.target)))


def test_every_mistake_has_a_case() -> None:
    assert [case.mistake for case in CASES] == list(Mistake)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mistake.name)
def test_mistake_is_seen(case: Case) -> None:
    task = small_task(*case.task)
    h = h_star(task)
    of_source, of_target = (h[tuple(map(int, state))] for state in (case.source, case.target))
    assert (of_source, of_target) == case.distances
    assert _value(task, case, case.mistake) == case.wrong > of_source - of_target
    assert _value(task, case, None) <= of_source - of_target


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mistake.name)
def test_mistake_is_seen_among_states_in_reach(case: Case) -> None:
    """Tests of other implementations, which prune what is out of reach, take these tasks."""
    task = reachable_task(case)
    states, h = all_states(task), h_star(task)
    wrong = NaiveDominance(task, atomic_blocks(task), mistake=case.mistake)
    with pytest.raises(AssertionError, match="but the distances are"):
        assert_sound(table_of(wrong, states), states, h)
    right = NaiveDominance(task, atomic_blocks(task))
    assert_sound(table_of(right, states), states, h)
