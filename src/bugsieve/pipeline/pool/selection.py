"""Test states in which a condition holds, for policies that are made for such states alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import StateRegistry
from bugsieve.base.errors import InputError
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.biases import Bias, BiasResult
from bugsieve.pipeline.biases.bias import Offsets
from bugsieve.pipeline.pool.novelty import Filter
from bugsieve.tasks.grounded.conditions import Condition, parse_condition
from bugsieve.tasks.grounded.task import StateArray, Task

_MOST_STATES = 100_000


def selection(task: Task, text: str) -> Condition:
    """The condition that test states must satisfy; InputError if it tells none apart."""
    return parse_condition(text, task, constant="it tells no test states apart")


class Selected(Filter):
    """A filter that admits what another filter does, of the states in which a condition holds."""

    def __init__(self, inner: Filter, condition: Condition) -> None:
        self._inner = inner
        self._condition = condition

    def admit(self, states: StateArray) -> NDArray[np.bool_]:
        """The others leave no trace: what they have is still new."""
        kept = self._condition.holds(states)
        kept[kept] = self._inner.admit(states[kept])
        return kept

    def would_admit(self, states: StateArray) -> NDArray[np.bool_]:
        """The same without remembering them."""
        kept = self._condition.holds(states)
        kept[kept] = self._inner.would_admit(states[kept])
        return kept


class Passing(Bias):
    """Another bias where a condition holds; walks may pass through all other states.

    The policy is not made for those, so it is not asked there: they weigh as much as the walk's
    other successors do on average, and at least 1.
    """

    usage = "passing"

    def __init__(self, inner: Bias, condition: Condition) -> None:
        super().__init__(inner.bench, inner.spec)
        self._inner = inner
        self._condition = condition

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """The weights of the other bias, or their mean."""
        kept = self._condition.holds(successors)
        before = np.concatenate([[0], np.cumsum(kept)])[offsets]
        said = self._inner.weights(successors[kept], before)
        counts = np.diff(before)
        sums = np.diff(np.concatenate([[0], np.cumsum(said.weights)])[before])
        means = np.maximum(1, sums // np.maximum(1, counts))
        weights = np.repeat(means, np.diff(offsets))
        weights[kept] = said.weights
        insert = np.zeros(len(successors), dtype=np.bool_)
        insert[kept] = False if said.insert is None else said.insert
        return BiasResult(weights, insert)


def selected_starts(condition: Condition, starts: StateArray) -> StateArray:
    """The states in which the condition holds; if none, the nearest one beyond them.

    InputError if there is none within reach.
    """
    task = condition.task
    kept = starts[condition.holds(starts)]
    if len(kept):
        return kept
    registry = StateRegistry(task.native)
    registry.insert(starts)
    layer = starts
    while len(layer) and len(registry) < _MOST_STATES:
        check_stop()
        known = len(registry)
        registry.insert(task.all_successors(layer)[0])
        layer = registry.states(np.arange(known, len(registry)))
        good = condition.holds(layer) & ~task.is_goal(layer)
        if good.any():
            return layer[good][:1]
    raise InputError(_none(condition, len(registry), is_all=not len(layer)))


def _none(condition: Condition, count: int, *, is_all: bool) -> str:
    shown = condition.text if len(condition.text) <= 100 else condition.text[:97] + "..."
    if is_all:
        return (
            f"no test states: {shown} holds in none of the {count} states that can be reached, "
            "goals apart"
        )
    return (
        f"no test states: {shown} holds in none of the {count} states around the start; name "
        "states to start from in which it holds (--from)"
    )
