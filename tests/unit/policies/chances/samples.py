"""Random stochastic policies on random small tasks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Distributions, Weights
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.property.strategies import Shape, seeded_task
from tests.reference.sas import SasTask, State
from tests.unit.policies.line import as_task

BUSY = Shape(max_variables=3, min_operators=8, max_operators=16)
"""Tasks of at most 64 states with several actions in most of them."""


class ErraticWeights:
    """One to three applicable actions with weights of two digits; sometimes it misbehaves."""

    def __init__(self, task: Task, seed: int, *, mischief: float = 0.1) -> None:
        self.task = task
        self.seed = seed
        self.mischief = mischief
        self.spec = f"erratic-weights-{seed}"
        self.asked = 0

    def choose(self, states: StateArray) -> ActionArray:
        raise AssertionError("distributions are asked for")

    def distributions(self, states: StateArray) -> Distributions:
        self.asked += len(states)
        return Distributions.of(self.answer(tuple(state)) for state in states.tolist())

    def answer(self, state: State) -> Weights | Failure:
        random = Random(f"{self.seed} {state}")
        able = self.task.applicable(np.array(state, dtype=np.uint16)).operators.tolist()
        if random.random() < self.mischief:
            wrong: Weights = ((random.randrange(self.task.num_operators + 2), 1.0),)
            negative: Weights = (((able or [0])[0], -1.0),)
            tricks: list[Weights | Failure] = [(), wrong, negative]
            return random.choice([*tricks, Failure(Ending.POLICY_CRASH, "so")])
        count = min(len(able), random.randint(1, 3))
        return tuple((a, random.randint(1, 99) / 100) for a in sorted(random.sample(able, count)))

    def chances(self, state: State) -> Mapping[int, Fraction]:
        """The same for the reference: none where the answer is no distribution."""
        answer = self.answer(state)
        if isinstance(answer, Failure):
            return {}
        row = np.array(state, dtype=np.uint16)
        if any(w < 0 or not self.task.is_applicable(row, [a])[0] for a, w in answer):
            return {}
        total = sum(Fraction(str(weight)) for _, weight in answer)
        return {action: Fraction(str(weight)) / total for action, weight in answer}


class WeightTable:
    """Looks its weights up by state, and gives none elsewhere."""

    spec = "weights"

    def __init__(self, table: Mapping[tuple[int, ...], Weights | Failure]) -> None:
        self.table = table

    def choose(self, states: StateArray) -> ActionArray:
        raise AssertionError("distributions are asked for")

    def distributions(self, states: StateArray) -> Distributions:
        return Distributions.of(self.table.get(tuple(row), ()) for row in states.tolist())


def chance_bench(
    seed: int, *, shape: Shape = BUSY, objective: str = "probability"
) -> tuple[SasTask, Bench]:
    """A task with a bench of a random stochastic policy."""
    sas = seeded_task(seed, shape)
    task = as_task(sas)
    return sas, Bench(task, ErraticWeights(task, seed), make_objective(objective, task))
