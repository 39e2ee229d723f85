"""Examples from bugs: the plan in a certificate shows what to do in the states it passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bugsieve.explanation.examples.decisions import decided_by
from bugsieve.rooms.training.asnets.data import Examples
from bugsieve.rooms.training.pool_test import BetterPlan
from bugsieve.tasks.grounded.task import StateArray, Task


def examples_of_bugs(
    number: int, task: Task, states: StateArray, plans: Sequence[BetterPlan]
) -> Iterator[Examples]:
    """For each bug the states along its better plan, each with the plan's next operator.

    As with plans of the teacher, all states of a plan are examples; `number` is the place of the
    task among the training tasks.
    """
    for plan in plans:
        if plan.operators:
            yield Examples(number, *decided_by(task, states[plan.case], plan.operators))
