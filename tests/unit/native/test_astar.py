"""A* evaluates no more than it must, and says how much of it was spent before the last layer."""

from __future__ import annotations

from bugsieve import _native
from tests.reference.sas import SasTask
from tests.unit.native.chains import chain, native, step, switches, variables


def test_a_perfect_heuristic_leads_straight_to_the_goal() -> None:
    count = 20
    levers = tuple(step(v, 0, 1) for v in range(count))
    goal = tuple((v, 1) for v in range(count))
    task = native(SasTask(True, variables(*[2] * count), (), (0,) * count, goal, levers))
    found = _native.astar(task, task.initial_state, "lmcut")
    children = sum(range(1, count + 1))  # of the states on the way, each once
    assert found.cost == count
    assert children < found.evaluated <= 1.125 * children
    assert found.evaluated_before_last_layer == 1


def test_a_long_search_evaluates_states_in_large_portions() -> None:
    count = 12
    task = native(switches(count))
    found = _native.astar(task, task.initial_state, "blind")
    assert (found.cost, found.evaluated) == (count, 2**count)


def test_the_last_layer_begins_where_the_largest_f_is_first_expanded() -> None:
    """Blind search along a chain: f rises by 1 with each state but the goal."""
    task = native(chain(5))
    found = _native.astar(task, task.initial_state, "blind")
    assert (found.cost, found.evaluated, found.evaluated_before_last_layer) == (5, 6, 5)


def test_without_a_plan_the_last_layer_is_the_last_expanded() -> None:
    task = native(SasTask(True, variables(4), (), (0,), ((0, 3),), (step(0, 0, 1), step(0, 1, 2))))
    found = _native.astar(task, task.initial_state, "blind")
    assert found.status == "unsolvable"
    assert (found.evaluated, found.evaluated_before_last_layer) == (3, 3)
