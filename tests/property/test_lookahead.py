"""Lookahead to a depth sees what naive enumeration of all action sequences sees."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import native_task, rows, single
from tests.property.strategies import SMALL, sas_tasks, states_of
from tests.reference.sas import SasTask, State
from tests.reference.search import optimal_cost, within_depth
from tests.reference.successors import is_goal, simulate


def cheapest_goal(task: SasTask, seen: dict[State, int]) -> int | None:
    """Cost of the cheapest goal state among those seen."""
    return min((cost for state, cost in seen.items() if is_goal(task, state)), default=None)


@given(sas_tasks(SMALL), st.integers(0, 4), st.data())
@settings(max_examples=examples(400))
def test_the_plan_is_the_cheapest_within_the_depth(
    task: SasTask, depth: int, data: st.DataObject
) -> None:
    state = data.draw(states_of(task))
    result, _ = _native.lookahead(native_task(task), single(state), depth)
    expected = cheapest_goal(task, within_depth(task, state, depth))
    if expected is None:
        assert result.status in {"unsolvable", "gave-up"}
        assert result.plan is None
        assert result.status != "unsolvable" or optimal_cost(task, state) is None
        return
    assert result.status == "solved"
    assert result.plan is not None
    assert len(result.plan) <= depth
    end, cost = simulate(task, state, result.plan)
    assert is_goal(task, end)
    assert cost == result.cost == expected


@given(sas_tasks(SMALL), st.integers(0, 4), st.data())
@settings(max_examples=examples(400))
def test_the_leaves_are_all_states_within_the_depth_with_their_cheapest_paths(
    task: SasTask, depth: int, data: st.DataObject
) -> None:
    state = data.draw(states_of(task))
    _, leaves = _native.lookahead(native_task(task), single(state), depth)
    found = rows(leaves.states)
    costs = [int(cost) for cost in leaves.costs]
    assert found[0] == state
    assert len(found) == len(set(found)), "no state comes twice"
    assert dict(zip(found, costs, strict=True)) == within_depth(task, state, depth)
    for leaf, (end, cost) in enumerate(zip(found, costs, strict=True)):
        path = leaves.path(leaf)
        assert len(path) <= depth
        assert simulate(task, state, path) == (end, cost)


@given(sas_tasks(SMALL), st.integers(0, 4), st.integers(0, 6), st.data())
@settings(max_examples=examples(200))
def test_with_a_bound_only_cheaper_plans_are_found(
    task: SasTask, depth: int, bound: int, data: st.DataObject
) -> None:
    state = data.draw(states_of(task))
    result, _ = _native.lookahead(native_task(task), single(state), depth, cost_bound=bound)
    cheapest = cheapest_goal(task, within_depth(task, state, depth))
    if cheapest is not None and cheapest < bound:
        assert result.status == "solved"
        assert result.cost == cheapest
        return
    assert result.plan is None
    exact = optimal_cost(task, state)
    assert result.status in {"unsolvable", "bound", "gave-up"}
    assert result.status != "unsolvable" or exact is None
    assert result.status != "bound" or exact is None or exact >= bound
