"""The distributions of a policy in a certificate: in which states it gave which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Weights
from bugsieve.tasks.grounded.task import StateArray, Task

_ENDINGS = {ending.label: ending for ending in Ending}


class Weighed(NamedTuple):
    """States, and what the policy answered in each."""

    states: StateArray
    answers: list[Weights | Failure]


def weighed(task: Task, certificate: Mapping[str, Any]) -> Weighed:
    """The states of the rows that say something, in their order; the certificate must hold."""
    start = np.array(certificate["state"], dtype=np.uint16)
    met = {start.tobytes(): None}
    waiting = [start]
    states: list[StateArray] = []
    answers: list[Weights | Failure] = []
    for state, row in zip(waiting, certificate["run"]["chances"], strict=False):
        if row is None:
            continue
        states.append(state)
        answers.append(_answer(row))
        for operator, _ in row.get("weights", ()):
            after = task.successors(state[None], [operator])
            if after.tobytes() not in met and not task.is_goal(after)[0]:
                met[after.tobytes()] = None
                waiting.append(after[0])
    return Weighed(np.stack(states), answers)


def _answer(row: Mapping[str, Any]) -> Weights | Failure:
    if "weights" in row:
        return tuple((operator, float(weight)) for operator, weight in row["weights"])
    ending = _ENDINGS[row["ending"]]
    return () if ending is Ending.NO_ACTION else Failure(ending, "")
