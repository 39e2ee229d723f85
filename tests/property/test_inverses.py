"""What counts as excluded, undoable and covering, against exhaustive exploration."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
from hypothesis import event, given, settings

from bugsieve.tasks.grounded.exclusions import exclusions, fact_offsets
from bugsieve.tasks.grounded.inverses import undoing, way_back
from bugsieve.tasks.grounded.task import Task
from tests.depth import examples
from tests.property.engine import native_task, single
from tests.property.strategies import Shape, seeded_task, seeds
from tests.reference.sas import SasEffect, SasOperator, SasTask, State
from tests.reference.search import goal_distances
from tests.reference.successors import applicable, successor

PLAIN = Shape(max_variables=4, max_size=3, max_operators=5, conditional=0, contradictory=False)


def undoable_task(seed: int) -> SasTask:
    """A random task in which many operators come with their inverse."""
    task = seeded_task(seed, PLAIN)
    random = Random(seed)
    inverses = [_inverse(operator) for operator in task.operators if random.random() < 0.9]
    operators = (*task.operators, *(one for one in inverses if one is not None))
    return replace(task, operators=operators)


def _inverse(operator: SasOperator) -> SasOperator | None:
    if any(effect.before < 0 for effect in operator.effects):
        return None
    if len({effect.variable for effect in operator.effects}) < len(operator.effects):
        return None
    effects = tuple(
        SasEffect((), effect.variable, effect.after, effect.before) for effect in operator.effects
    )
    return replace(operator, name=f"{operator.name} back", effects=effects)


def reachable_states(task: SasTask) -> list[State]:
    """Every state that operators lead to from the initial state."""
    return list(goal_distances(task, task.initial))


@given(seeds())
@settings(max_examples=examples(400))
def test_no_reachable_state_has_two_facts_that_exclude_each_other(seed: int) -> None:
    task = undoable_task(seed)
    subject = Task(native_task(task), name="t")
    excluded, offsets = exclusions(subject), fact_offsets(subject)
    for state in reachable_states(task):
        facts = offsets + single(state)
        assert not excluded[np.ix_(facts, facts)].any()


@given(seeds())
@settings(max_examples=examples(400))
def test_every_step_in_an_undoable_task_can_be_taken_back(seed: int) -> None:
    task = undoable_task(seed)
    subject = Task(native_task(task), name="t")
    undo = undoing(subject)
    event(f"undoable {undo.obstacle is None}")
    if undo.obstacle is not None:
        return
    is_invertible = undo.obstacle_to_inversion is None
    for state in reachable_states(task):
        for operator in applicable(task, state):
            back = way_back(subject, undo, single(state), [operator])
            assert back is not None
            assert len(back) <= 1 or not is_invertible
            end = successor(task, state, operator)
            for step in back:
                end = successor(task, end, step)
            assert undo.covers(single(end), single(state))


@given(seeds())
@settings(max_examples=examples(300))
def test_a_covering_state_has_every_plan_of_the_covered_one(seed: int) -> None:
    task = undoable_task(seed)
    undo = undoing(Task(native_task(task), name="t"))
    distances = goal_distances(task, task.initial)
    for one, other in combinations(list(distances)[:40], 2):
        mine, others = distances[one], distances[other]
        if undo.covers(single(one), single(other)) and others is not None:
            assert mine is not None
            assert mine <= others


@given(seeds())
@settings(max_examples=examples(200))
def test_walks_in_an_undoable_task_can_be_taken_back(seed: int) -> None:
    task = undoable_task(seed)
    subject = Task(native_task(task), name="t")
    undo = undoing(subject)
    if undo.obstacle is not None:
        return
    random, state = Random(seed), task.initial
    walk: list[int] = []
    while len(walk) < 12 and (choices := applicable(task, state)):
        walk.append(random.choice(choices))
        state = successor(task, state, walk[-1])
    back = way_back(subject, undo, single(task.initial), walk)
    assert back is not None
    for step in back:
        state = successor(task, state, step)
    assert undo.covers(single(state), single(task.initial))
