"""Reference goal distances and the reference LM-cut on examples worked out by hand."""

from __future__ import annotations

from dataclasses import replace

from tests.reference.lmcut import lmcut
from tests.reference.relaxation import DEAD_END, hmax
from tests.reference.sas import SasEffect, SasOperator
from tests.reference.search import goal_distances, optimal_cost, reachable, within_depth
from tests.reference.strips import Strips, strips_task

# Walk a → b → g for 1 each, jump a → g for 5, or fall from b into a hole for 0.
WALK = strips_task(
    "a b g hole",
    (
        Strips(1, needs="a", adds="b", deletes="a"),
        Strips(1, needs="b", adds="g", deletes="b"),
        Strips(5, needs="a", adds="g", deletes="a"),
        Strips(0, needs="b", adds="hole", deletes="b"),
    ),
    "g",
    initial="a",
)
A, B, G, HOLE = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
LEAVE = (SasEffect((), 0, -1, 1),)

# Three operators add two of a, b, c each; g needs all three.
PAIRS = strips_task(
    "i a b c g",
    (
        Strips(3, needs="i", adds="a b"),
        Strips(4, needs="i", adds="a c"),
        Strips(5, needs="i", adds="b c"),
        Strips(0, needs="a b c", adds="g"),
    ),
    "g",
    initial="i",
)


def test_reachable_states_with_their_edges() -> None:
    graph = reachable(WALK, A)
    assert graph == {A: [(0, B), (2, G)], B: [(1, G), (3, HOLE)], G: [], HOLE: []}
    assert next(iter(graph)) == A


def test_goal_distances_take_the_cheap_way_and_know_dead_ends() -> None:
    assert goal_distances(WALK, A) == {A: 2, B: 1, G: 0, HOLE: None}
    assert goal_distances(WALK, HOLE) == {HOLE: None}
    assert goal_distances(WALK, HOLE, B) == {HOLE: None, B: 1, G: 0}


def test_optimal_cost_of_single_states() -> None:
    assert [optimal_cost(WALK, state) for state in (A, B, G, HOLE)] == [2, 1, 0, None]


def test_costs_within_a_depth_fall_as_longer_ways_come_in() -> None:
    assert within_depth(WALK, A, 0) == {A: 0}
    assert within_depth(WALK, A, 1) == {A: 0, B: 1, G: 5}
    assert within_depth(WALK, A, 2) == {A: 0, B: 1, G: 2, HOLE: 1}


def test_sequences_end_in_goal_states() -> None:
    behind = replace(WALK, operators=(*WALK.operators, SasOperator("o4", ((2, 1),), LEAVE, 1)))
    assert within_depth(behind, A, 2) == within_depth(WALK, A, 2)
    assert within_depth(behind, G, 2) == {G: 0}
    assert (1, 0, 1, 0) in reachable(behind, G)


def test_lmcut_of_the_pairs_example() -> None:
    # First cut {o1, o2} at 4 for c, then {o0, o2} at 1 for b; optimal is 3 + 4.
    assert hmax(PAIRS, PAIRS.initial) == 4
    assert lmcut(PAIRS, PAIRS.initial) == 5
    assert optimal_cost(PAIRS, PAIRS.initial) == 7


def test_lmcut_of_goal_states_and_dead_ends() -> None:
    assert lmcut(WALK, G) == 0
    assert lmcut(WALK, HOLE) == DEAD_END


def test_lmcut_does_not_fall_below_hmax_when_one_operator_is_needed_twice() -> None:
    task = strips_task("a g", (Strips(3, adds="a", when=(("a", "g"),)),), "g")
    assert lmcut(task, task.initial) == hmax(task, task.initial) == 6
