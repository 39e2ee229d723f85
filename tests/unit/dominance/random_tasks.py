"""Seeded random tasks whose full state space is small, of kinds that dominance must stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import count, islice
from math import inf, prod
from random import Random

from bugsieve.tasks.grounded.task import Task
from tests.property.strategies import Shape, domain_sizes, seeded_task
from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.unit.dominance.factors import projection, prune
from tests.unit.dominance.labels import labels_of
from tests.unit.dominance.merging import atomic_blocks
from tests.unit.dominance.naive import h_star
from tests.unit.dominance.small_tasks import task_of

PLAIN = Shape(max_variables=5, max_size=4, min_operators=3, max_operators=8, conditional=0)

KINDS = {
    "unit": replace(PLAIN, costs=(1,)),
    "costs": replace(PLAIN, costs=(1, 2, 3, 4)),
    "zeros": replace(PLAIN, costs=(0, 1)),
    "many-zeros": replace(PLAIN, costs=(0, 0, 0, 1, 4)),
    "conditional": replace(PLAIN, costs=(1, 2, 0), conditional=2, max_operators=6),
    "dead-ends": replace(PLAIN, costs=(1, 2), moves=False),
}


def random_tasks(number: int, *, max_states: int = 100) -> list[Task]:
    """So many tasks, of all kinds in turn; each depends on its place and the limit alone."""
    return [random_task(i, max_states=max_states) for i in range(number)]


@lru_cache(maxsize=1000)
def random_task(number: int, *, max_states: int = 100) -> Task:
    """A task that its initial state can solve, and not by doing nothing; all variables matter.

    At least two variables have states left after pruning to choose from. In a task of kind
    "dead-ends", some state has no plan; in half of the others, operators can partly be undone.
    """
    kind = list(KINDS)[number % len(KINDS)]
    for attempt in count():
        sas = _drawn(f"{kind} {number} {attempt}", kind)
        if prod(domain_sizes(sas)) <= max_states:
            task = task_of(sas, f"{kind}-{number}")
            if needs_all_variables(task) and _is_of_use(task, kind):
                return task
    raise AssertionError("count never ends")


def _drawn(seed: str, kind: str) -> SasTask:
    random = Random(seed)
    sas = replace(seeded_task(random.randrange(2**32), KINDS[kind]), metric=True)
    if kind == "dead-ends" or random.random() < 0.5:
        return sas
    undoing = [back for operator in sas.operators for back in _undoing(operator)]
    wanted = max(0, PLAIN.max_operators - len(sas.operators))
    return replace(sas, operators=(*sas.operators, *islice(undoing, wanted)))


def _undoing(operator: SasOperator) -> Iterator[SasOperator]:
    """The operator backwards, if what it changes says from what."""
    effects = [e for e in operator.effects if e.before != -1 and not e.conditions]
    if effects:
        back = tuple(SasEffect((), e.variable, e.after, e.before) for e in effects[:1])
        yield replace(operator, name=f"{operator.name} back", effects=back)


def _is_of_use(task: Task, kind: str) -> bool:
    h = h_star(task)
    initial = tuple(int(x) for x in task.initial_state)
    if not 0 < h[initial] < inf or (kind == "dead-ends" and inf not in h.values()):
        return False
    labels = labels_of(task)
    factors = [projection(task, labels, block) for block in atomic_blocks(task)]
    prune(factors, labels)
    return sum(len(factor.states) > 1 for factor in factors) >= 2


def needs_all_variables(task: Task) -> bool:
    """Whether every variable is in the goal or decides about one that matters."""
    matters = {variable for variable, _ in task.goal}
    while True:
        more = set(matters)
        for operator in range(task.num_operators):
            for conditions, variable, _ in task.native.effects(operator):
                if variable in matters:
                    more |= {v for v, _ in conditions}
                    more |= {v for v, _ in task.native.preconditions(operator)}
        if more == matters:
            return len(matters) == task.num_variables
        matters = more
