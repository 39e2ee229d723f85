"""The biases one successor at a time, with every pair of states of a trace looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import inf

from tests.reference.distances import distance
from tests.reference.fuzzing import Bias, Policy, Trace, run
from tests.reference.relaxation import DEAD_END, hadd, hff
from tests.reference.sas import SasTask, State

Score = Callable[[SasTask, Trace], float]


def cost(task: SasTask, trace: Trace, first: int, last: int) -> int:
    """What the steps of the trace between two of its states cost."""
    return sum(map(task.cost, trace.actions[first:last]))


def estimate(value: int) -> float:
    """A heuristic value as a number."""
    return inf if value == DEAD_END else value


def best_pair(task: SasTask, trace: Trace, between: Callable[[State, State], float]) -> float:
    """max over i < j of the cost between minus what it should be."""
    pairs = combinations(range(len(trace.states)), 2)
    scores = [
        cost(task, trace, i, j) - between(trace.states[i], trace.states[j]) for i, j in pairs
    ]
    return max(scores, default=-inf)


def loopiness(task: SasTask, trace: Trace) -> float:
    """How nearly the trace loops back on itself."""
    return best_pair(task, trace, lambda s, t: estimate(distance(task, t, s)))


def detour(task: SasTask, trace: Trace) -> float:
    """How much longer than needed the trace seems to be between two states."""
    return best_pair(task, trace, lambda s, t: estimate(distance(task, s, t)))


def surface(task: SasTask, trace: Trace) -> float:
    """How far the goal distance falls short of the cost paid."""

    def fall(s: State, t: State) -> float:
        after = estimate(hff(task, t).value)
        return -inf if after == inf else estimate(hff(task, s).value) - after

    return best_pair(task, trace, fall)


SCORES: dict[str, Score] = {"loopiness": loopiness, "detour": detour, "surface": surface}


def weights(scores: list[float]) -> list[int]:
    """Scores of one walk's successors as weights."""
    if inf in scores:
        return [int(score == inf) for score in scores]
    lowest = min([0, *(score for score in scores if score != -inf)])
    raised = [0 if score == -inf else int(score - lowest) for score in scores]
    return raised if any(raised) else [int(score != -inf) for score in scores]


def make_bias(
    name: str, task: SasTask, policy: Policy, *, step_limit: int, horizon: int = 50
) -> Bias:
    """The bias of this name; what it says about a state is remembered, because it is slow."""

    @cache
    def trace(state: State, limit: int) -> Trace:
        return run(task, policy, state, step_limit=limit)

    @cache
    def score(state: State) -> float:
        return SCORES[name](task, trace(state, min(horizon, step_limit)))

    @cache
    def value(state: State) -> int:
        found = hadd(task, state) if name.endswith("hadd") else hff(task, state).value
        return 0 if found == DEAD_END else found

    def weigh(states: list[State]) -> list[tuple[int, bool]]:
        if name == "uniform":
            return [(1, False)] * len(states)
        if name.startswith("heuristic"):
            return [(value(state), False) for state in states]
        if name == "policy-quality":
            traces = [trace(state, step_limit) for state in states]
            return [(len(t.actions) if t.solved else 0, not t.solved) for t in traces]
        return [(weight, False) for weight in weights(list(map(score, states)))]

    return weigh
