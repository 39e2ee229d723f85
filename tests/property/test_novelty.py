"""A novelty store answers as a plain set of fact sets does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.property.engine import batch, native_task
from tests.property.strategies import (
    COSTS,
    sas_tasks,
    seeds,
    some_states,
    wide_tasks,
)
from tests.reference.novelty import Novelty
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable, State

DEPTHS = st.integers(1, 3)


def check_store(task: SasTask, states: list[State], depth: int, pieces: int) -> None:
    """Insertion in pieces, and questions between them, are answered as the twin does."""
    store, twin = _native.NoveltyStore(native_task(task), depth), Novelty(depth)
    assert store.depth == depth
    size = len(states) // pieces
    for start in range(0, len(states), size):
        piece = states[start : start + size]
        asked = store.novelty(batch(task, piece)).tolist()
        assert asked == [twin.novelty(state) for state in piece]
        inserted = store.insert(batch(task, piece)).tolist()
        assert inserted == [twin.insert(state) for state in piece]
    assert set(store.novelty(batch(task, states)).tolist()) == {depth + 1}


@given(sas_tasks(), seeds(), DEPTHS)
@settings(max_examples=examples(200))
def test_novelty_equals_the_twin(task: SasTask, seed: int, depth: int) -> None:
    check_store(task, some_states(task, seed, 60), depth, pieces=1 + seed % 5)


@given(wide_tasks(), seeds(), DEPTHS)
@settings(max_examples=examples(30))
def test_novelty_equals_the_twin_in_wide_tasks(task: SasTask, seed: int, depth: int) -> None:
    check_store(task, some_states(task, seed, 40), depth, pieces=1 + seed % 5)


def task_of_large_domains(variables: int, size: int) -> SasTask:
    """A task in which rows of bits for all facts would be nearly empty."""
    names = tuple(f"Atom f{value}()" for value in range(size))
    effect = SasEffect((), 0, -1, 1)
    return SasTask(
        metric=False,
        variables=tuple(SasVariable(f"var{v}", names) for v in range(variables)),
        mutexes=(),
        initial=(0,) * variables,
        goal=((0, 1),),
        operators=(SasOperator("op", (), (effect,), COSTS[0]),),
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(("variables", "size"), [(3, 800), (4, 6000)])
def test_novelty_equals_the_twin_where_domains_are_large(
    variables: int, size: int, depth: int
) -> None:
    random = Random(depth)
    values = [random.sample(range(size), 30) for _ in range(variables)]
    states = [tuple(map(random.choice, values)) for _ in range(3000)]
    check_store(task_of_large_domains(variables, size), states, depth, pieces=3)
