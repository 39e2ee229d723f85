"""The engine's heuristics equal the twins on random tasks, whatever the batch looks like.

The engine evaluates small and large batches by different code, so that each property is shown
for batches of 1, 3, 40 and 100 states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from bugsieve.base.seeds import Stream
from tests.depth import examples
from tests.property.engine import batch, native_task, split
from tests.property.strategies import (
    ANY,
    CONDITIONAL,
    HUGE_COSTS,
    LONG,
    POSITIVE_COSTS,
    SMALL,
    TINY,
    all_states,
    sas_tasks,
    seeded_task,
    seeds,
    some_states,
    wide_tasks,
)
from tests.reference import lmcut as reference_lmcut
from tests.reference.relaxation import DEAD_END, RelaxedPlan, blind, hadd, hff, hmax
from tests.reference.sas import SasTask, State
from tests.reference.search import goal_distances, optimal_cost
from tests.reference.strips import Strips, strips_task

BATCHES = (1, 3, 40, 100)
TWINS = {"hmax": hmax, "hadd": hadd, "blind": blind}


def values(native: _native.Task, name: str, task: SasTask, states: list[State]) -> list[int]:
    """What the engine says, as plain numbers."""
    evaluated = _native.Heuristic(native, name).evaluate(batch(task, states))
    return [int(value) for value in evaluated]


def relaxed_plans(native: _native.Task, task: SasTask, states: list[State]) -> list[object]:
    """Pairs (value, preferred operators) of the engine's h^FF."""
    heuristic = _native.Heuristic(native, "hff")
    found, preferred, offsets = heuristic.evaluate_preferred(batch(task, states))
    assert heuristic.evaluate(batch(task, states)).tolist() == found.tolist()
    return list(zip(found.tolist(), split(preferred, offsets), strict=True))


def pair(plan: RelaxedPlan) -> object:
    """The twin's answer in the form of `relaxed_plans`."""
    return plan.value, list(plan.preferred)


def check_all_batches(task: SasTask, states: list[State]) -> None:
    """h^max, h^add, blind and h^FF equal the twins on the first 1, 3, 40 … states."""
    native = native_task(task)
    distinct = set(states)
    plans = {state: pair(hff(task, state)) for state in distinct}
    expected = {name: {s: twin(task, s) for s in distinct} for name, twin in TWINS.items()}
    for size in (size for size in BATCHES if size <= len(states)):
        some = states[:size]
        for name, twin_values in expected.items():
            assert values(native, name, task, some) == [twin_values[s] for s in some], name
        assert relaxed_plans(native, task, some) == [plans[s] for s in some]


@given(sas_tasks(), seeds())
@settings(max_examples=examples(400))
def test_values_and_preferred_operators_equal_the_twins(task: SasTask, seed: int) -> None:
    check_all_batches(task, some_states(task, seed, 100))


@given(sas_tasks(replace(ANY, costs=POSITIVE_COSTS)), seeds())
@settings(max_examples=examples(200))
def test_the_same_when_no_operator_is_free(task: SasTask, seed: int) -> None:
    check_all_batches(task, some_states(task, seed, 100))


@given(wide_tasks(), seeds())
@settings(max_examples=examples(40))
def test_the_same_in_wide_tasks(task: SasTask, seed: int) -> None:
    check_all_batches(task, some_states(task, seed, 40))


def product_task(seed: int) -> SasTask:
    """Atoms are achieved by pairs of atoms: each of one set with each of another.

    Some pairs are missing, dearer, or achieve more than that.
    """
    draw = Stream(seed)
    atoms = [f"a{i}" for i in range(draw.integer(6, 12))]
    actions: list[Strips] = []
    for _ in range(draw.integer(1, 6)):
        chosen = draw.sample(atoms, draw.integer(5, len(atoms)))
        target, rest = chosen[0], chosen[1:]
        middle = draw.integer(2, len(rest) - 2)
        cost, odd = draw.integer(0, 3), draw.integer(0, 3)
        other = draw.choice(atoms) if odd == 1 else ""
        pairs = [(left, right) for left in rest[:middle] for right in rest[middle:]]
        for left, right in pairs[1:] if odd == 2 else pairs:
            extra = cost + (odd == 3 and draw.integer(0, 9) == 0)
            actions.append(Strips(extra, needs=f"{left} {right}", adds=f"{target} {other}"))
    actions += [Strips(draw.integer(0, 3), needs=x, adds=draw.choice(atoms)) for x in atoms]
    draw.shuffle(actions)
    goal = " ".join(draw.sample(atoms, 3))
    return strips_task(" ".join(atoms), tuple(actions), goal, initial=atoms[0])


def swapping_task(seed: int) -> SasTask:
    """Things at places on two sides swap with each other, which may also let one be seen.

    Here the sets of facts that achieve a fact are those of its neighbours, but for itself.
    """
    draw = Stream(seed)
    things, middle = range(draw.integer(3, 5)), draw.integer(2, 3)
    sides = [range(middle), range(middle, middle + draw.integer(2, 3))]
    costs = [draw.integer(0, 3), draw.integer(0, 3)]
    actions = [
        Strips(cost, needs=f"a{x}{p} a{y}{q}", adds=f"a{x}{q} a{y}{p}{seen}")
        for x, y in permutations(things, 2)
        for p, q in product(*sides)
        for cost, seen in zip(costs, ("", f" s{x}"), strict=True)
    ]
    left_out = draw.integer(0, 1) * draw.integer(0, 3)
    draw.shuffle(actions)
    places = [f"a{x}{p}" for x in things for p in (*sides[0], *sides[1])]
    seen = [f"s{x}" for x in things]
    goal = " ".join([*draw.sample(places, 2), *seen])
    return strips_task(" ".join([*places, *seen]), tuple(actions[left_out:]), goal)


@pytest.mark.parametrize("make", [product_task, swapping_task])
@given(seed=seeds())
@settings(max_examples=examples(200))
def test_the_same_where_sweeps_replace_many_operators_by_few(
    make: Callable[[int], SasTask], seed: int
) -> None:
    task = make(seed)
    check_all_batches(task, some_states(task, seed, 40))


@given(sas_tasks(replace(ANY, costs=HUGE_COSTS)), seeds())
@settings(max_examples=examples(200))
def test_huge_costs_are_capped_below_the_dead_end_value(task: SasTask, seed: int) -> None:
    # h^FF weighs costs by 1024, so that its choice among capped supporters is left open here.
    native = native_task(task)
    states = some_states(task, seed, 40)
    for size in (1, 40):
        for name, twin in TWINS.items():
            found = values(native, name, task, states[:size])
            assert found == [twin(task, state) for state in states[:size]], name
    dead = [value == DEAD_END for value in values(native, "hff", task, states)]
    assert dead == [hmax(task, state) == DEAD_END for state in states]


@given(sas_tasks(), seeds(), st.integers(1, 60))
@settings(max_examples=examples(200))
def test_a_value_does_not_depend_on_the_other_states_of_the_batch(
    task: SasTask, seed: int, cut: int
) -> None:
    native = native_task(task)
    states = some_states(task, seed, 61)
    for name in _native.HEURISTICS:
        together = values(native, name, task, states)
        assert values(native, name, task, states[::-1]) == together[::-1], name
        parts = values(native, name, task, states[:cut]) + values(native, name, task, states[cut:])
        assert parts == together, name


def check_lmcut(task: SasTask, states: list[State], found: list[int]) -> None:
    """Values for the states lie between h^max and h*, and are dead ends where h^max says so."""
    distances = goal_distances(task, *states)
    for state, value in zip(states, found, strict=True):
        exact = distances[state]
        relaxed = hmax(task, state)
        assert (value == DEAD_END) == (relaxed == DEAD_END)
        assert value >= relaxed
        assert exact is None or value <= exact


@given(sas_tasks(SMALL), seeds())
@settings(max_examples=examples(250))
def test_lmcut_lies_between_hmax_and_the_exact_distance(task: SasTask, seed: int) -> None:
    states = some_states(task, seed, 60)
    check_lmcut(task, states, values(native_task(task), "lmcut", task, states))


@given(sas_tasks(CONDITIONAL), seeds())
@settings(max_examples=examples(250))
def test_lmcut_lies_between_them_with_many_conditional_effects(task: SasTask, seed: int) -> None:
    # One operator may achieve several goals at once, or be needed several times.
    states = some_states(task, seed, 60)
    check_lmcut(task, states, values(native_task(task), "lmcut", task, states))


@pytest.mark.parametrize("first", range(0, 12_000, 2_000))
def test_lmcut_is_admissible_on_thousands_of_tiny_tasks(first: int) -> None:
    # Some mistakes show in one of several thousand tasks only; tiny tasks cost next to nothing.
    for seed in range(first, first + examples(2_000)):
        task = seeded_task(seed, TINY)
        states = all_states(task)
        distances = goal_distances(task, *states)
        found = values(native_task(task), "lmcut", task, states)
        for state, value in zip(states, found, strict=True):
            exact = distances[state]
            assert exact is None or value <= exact, (seed, state)


# Each needs a single operator of cost 1 whose effects reach both goals, one of them under p.
ONE_OPERATOR_FOR_TWO_GOALS = {
    "alone": (Strips(1, adds="g", when=(("p", "h"),)),),
    "beside another for the first goal": (
        Strips(0, needs="c", adds="h"),
        Strips(1, adds="g"),
        Strips(1, adds="g", when=(("p", "c"),)),
    ),
    "beside another for the second goal": (
        Strips(1, needs="p", adds="c"),
        Strips(0, needs="c", adds="h"),
        Strips(1, adds="g", when=(("p", "c"),)),
    ),
}


@pytest.mark.parametrize("case", ONE_OPERATOR_FOR_TWO_GOALS)
def test_effects_of_one_operator_share_its_cost_in_lmcut(case: str) -> None:
    task = strips_task("p c g h", ONE_OPERATOR_FOR_TWO_GOALS[case], "g h", initial="p")
    assert optimal_cost(task, task.initial) == 1
    assert values(native_task(task), "lmcut", task, [task.initial]) == [1]
    assert reference_lmcut.lmcut(task, task.initial) == 1


# Operators of cost 1 add a, b and c, free ones the rest. Landmarks with more of those operators
# than they need would use up the cost of one that another landmark needs.
WAYS_FROM_B = tuple(Strips(0, needs=f"b {more}", adds="h") for more in ("", "p", "q", "p q"))
DISJOINT_LANDMARKS = {
    "a zone that holds a needs nothing else of an operator that needs a": (
        (Strips(0, needs="a", adds="g"), Strips(0, needs="a b", adds="g"), *WAYS_FROM_B),
        "h g",
        2,
    ),
    "an operator that leaves a choice waits for those that leave none": (
        (Strips(0, needs="a b", adds="g"), Strips(0, needs="a", adds="g"), *WAYS_FROM_B),
        "h g",
        2,
    ),
    "goals that no free operator achieves come first": (
        (
            Strips(0, needs="h b", adds="g"),
            Strips(0, needs="a", adds="h"),
            Strips(0, needs="c", adds="h"),
        ),
        "g a c",
        3,
    ),
}


@pytest.mark.parametrize("case", DISJOINT_LANDMARKS)
def test_landmarks_of_lmcut_leave_costs_to_others(case: str) -> None:
    free, goal, cost = DISJOINT_LANDMARKS[case]
    paid = tuple(Strips(1, adds=fact) for fact in "abc")
    for order in permutations("abcgh"):  # ties are broken by the order of facts
        task = strips_task(f"p q {' '.join(order)}", (*free, *paid), goal, initial="p q")
        assert optimal_cost(task, task.initial) == cost
        assert values(native_task(task), "lmcut", task, [task.initial]) == [cost], order


@given(seeds())
@settings(max_examples=examples(40))
def test_lmcut_lies_between_them_where_plans_are_longer(seed: int) -> None:
    task = seeded_task(seed, LONG)
    states = some_states(task, seed, 40)
    check_lmcut(task, states, values(native_task(task), "lmcut", task, states))


@given(sas_tasks(CONDITIONAL), seeds())
@settings(max_examples=examples(100))
def test_the_lmcut_twin_lies_between_hmax_and_the_exact_distance(task: SasTask, seed: int) -> None:
    states = some_states(task, seed, 20)
    check_lmcut(task, states, [reference_lmcut.lmcut(task, state) for state in states])


@given(sas_tasks(SMALL), seeds())
@settings(max_examples=examples(150))
def test_hmax_is_admissible_and_dead_ends_are_dead(task: SasTask, seed: int) -> None:
    native = native_task(task)
    states = some_states(task, seed, 60)
    distances = goal_distances(task, *states)
    for state, value in zip(states, values(native, "hmax", task, states), strict=True):
        exact = distances[state]
        assert exact is None or value <= exact
    for name in ("hadd", "hff", "lmcut"):
        for state, value in zip(states, values(native, name, task, states), strict=True):
            assert value != DEAD_END or distances[state] is None, name


@pytest.mark.parametrize("name", _native.HEURISTICS)
def test_an_empty_batch_has_no_values(name: str) -> None:
    task = seeded_task(0)
    assert values(native_task(task), name, task, []) == []
