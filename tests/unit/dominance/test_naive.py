"""The naive dominance function is sound on random tasks, and worked examples come out right."""

from __future__ import annotations

from itertools import product
from math import inf
from random import Random

import pytest

from tests.depth import examples
from tests.unit.dominance.checks import assert_sound, table_of
from tests.unit.dominance.factors import merged, projection, prune
from tests.unit.dominance.labels import TooManyLabelsError, labels_of
from tests.unit.dominance.merging import atomic_blocks, dfp_blocks
from tests.unit.dominance.naive import NaiveDominance, all_states, h_star, successor
from tests.unit.dominance.random_tasks import KINDS, random_task, random_tasks
from tests.unit.dominance.small_tasks import small_task

TASKS = examples(1200, quick=120)
FLOOR = 40
"""Values that sink for ever sink quicker to this one."""


@pytest.mark.parametrize("first", range(len(KINDS)), ids=KINDS)
def test_sound_on_all_pairs(first: int) -> None:
    finite = 0
    for number in range(first, TASKS, len(KINDS)):
        task = random_task(number)
        states, h = all_states(task), h_star(task)
        limits = (0, 30, 300) if number % 3 else (0, 10_000)
        for blocks in {dfp_blocks(task, limit) for limit in limits}:
            for tau in ("stages", "local", "none"):
                values = table_of(NaiveDominance(task, blocks, tau=tau, floor=FLOOR), states)
                assert_sound(values, states, h)
                finite += int((values > -inf).sum()) - len(states)
    assert finite > 1000


def test_one_factor_is_exact() -> None:
    for task in random_tasks(examples(100)):
        states, h = all_states(task), h_star(task)
        naive = NaiveDominance(task, [range(task.num_variables)])
        kept = set(naive.factors[0].states)
        for s, t in product(kept, kept):
            assert naive.value(s, t) == h[s] - h[t]
        outside = [state for state in states if state not in kept][:3]
        for s, t in product(kept, outside):
            assert naive.value(s, t) == naive.value(t, s) == -inf


def test_table_holds_the_values_of_pairs() -> None:
    for task in random_tasks(examples(60)):
        states, random = all_states(task), Random(task.name)
        naive = NaiveDominance(task, dfp_blocks(task, 30), floor=FLOOR)
        table = table_of(naive, states)
        for _ in range(50):
            a, b = random.randrange(len(states)), random.randrange(len(states))
            assert table[a, b] == naive.value(states[a], states[b])


def test_more_tau_labels_never_lower_a_value() -> None:
    for task in random_tasks(examples(100)):
        states, blocks = all_states(task), dfp_blocks(task, 30)
        none, local, stages = (
            table_of(NaiveDominance(task, blocks, tau=tau, floor=FLOOR), states)
            for tau in ("none", "local", "stages")
        )
        assert (none <= local).all() and (local <= stages).all()


def test_labels_follow_the_simulator() -> None:
    """In each state one label of each applicable operator applies, and leads the same way."""
    for task in random_tasks(examples(60)):
        labels = labels_of(task)
        for state in all_states(task):
            for operator in range(task.num_operators):
                after = [
                    one.apply(dict(enumerate(state))) for one in labels if one.operator == operator
                ]
                found = [tuple(values.values()) for values in after if values is not None]
                wanted = successor(task, state, operator)
                assert found == ([] if wanted is None else [wanted])
                assert (wanted is not None) == bool(task.is_applicable(state, operator)[0])
                if wanted is not None:
                    assert tuple(task.successors(state, operator)[0]) == wanted


def test_merging_step_by_step_equals_projecting() -> None:
    """Pruning before a merge removes nothing that pruning after it would keep."""
    for task in random_tasks(examples(60)):
        labels = labels_of(task)
        atomic = [projection(task, labels, block) for block in atomic_blocks(task)]
        prune(atomic, labels)
        stepwise = [merged(atomic[0], atomic[-1]), *atomic[1:-1]]
        prune(stepwise, labels)
        direct = [projection(task, labels, factor.block) for factor in stepwise]
        prune(direct, labels)
        assert [sorted(one.states) for one in stepwise] == [sorted(one.states) for one in direct]
        assert [one.functions for one in stepwise] == [one.functions for one in direct]


def test_operators_split_into_at_most_64_labels() -> None:
    conditions = [f"{letter}=1" for letter in "bcdefgh"]
    fits = small_task("a=1", "-> " + ",".join(f"a=1 if {one}" for one in conditions[:6]))
    assert len(labels_of(fits)) == 64
    large = small_task("a=1", "-> " + ",".join(f"a=1 if {one}" for one in conditions))
    with pytest.raises(TooManyLabelsError):
        labels_of(large)


def test_conditions_that_the_precondition_decides_split_nothing() -> None:
    task = small_task("a=1", "b=2 -> a=1 if b=2,c=1 if b=1")
    (label,) = labels_of(task)
    assert label.after == {0: 1}


def test_blocks_by_hand() -> None:
    """c is needed by the last step of a, b only by the first; d matters to nobody."""
    task = small_task("a=2", "b=1,a=0 -> a=1", "c=1,a=1 -> a=2", "-> b=1", "-> c=1", "-> d=1")
    assert dfp_blocks(task, 0) == ((0,), (1,), (2,), (3,))
    assert dfp_blocks(task, 10_000) == ((0, 1, 2), (3,))
    lightest = [limit for limit in range(40) if dfp_blocks(task, limit) == ((0, 2), (1,), (3,))]
    assert lightest
    assert dfp_blocks(task, 10_000, 5) == ((0,), (1,), (2,), (3,))


def test_a_small_floor_leaves_only_walks_below_it() -> None:
    for task in random_tasks(examples(60)):
        states, h = all_states(task), h_star(task)
        naive = NaiveDominance(task, atomic_blocks(task), floor=2)
        assert_sound(table_of(naive, states), states, h)
        for values, walks in zip(naive.values, naive.walks, strict=True):
            for (s, t), value in values.items():
                assert value >= -2 or value == -walks[t].get(s, inf)
                assert value >= -walks[t].get(s, inf)


def test_values_that_sink_for_ever_end_at_the_floor() -> None:
    """By default 1000, or 20 times the dearest label."""
    for cost, floor in ((1, 1000), (60, 1200)):
        task = small_task("a=1", f"-> a=1,b=1 ({cost})", "b=0 -> a=1 (0)")
        naive = NaiveDominance(task, atomic_blocks(task))
        assert naive.floor == floor
        assert naive.value((0, 0), (0, 1)) == -inf
        assert min(value for value in naive.values[1].values() if value > -inf) >= -floor
        assert_sound(table_of(naive, all_states(task)), all_states(task), h_star(task))
