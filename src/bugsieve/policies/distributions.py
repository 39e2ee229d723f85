"""Answers of a stochastic policy for a batch of states: a weight for each of some actions.

Weights need not sum to 1. The probability of an action is its weight divided by the sum. A weight
is the decimal number that it prints as, so that proofs can be checked with exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import DEFAULT_TIE_EPSILON, argbest_within
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray

Weights = tuple[tuple[int, float], ...]
"""Actions with positive weights, in ascending order; none of them stands for "no action"."""


@dataclass(frozen=True, eq=False)
class Distributions:
    """One distribution per state as flat arrays, and a failure for each row without an answer.

    The actions of state i are `actions[offsets[i]:offsets[i + 1]]`, and so are their weights; a
    state without any has no action.
    """

    actions: ActionArray
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]
    failures: Mapping[int, Failure] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def of(rows: Iterable[Weights | Failure]) -> Distributions:
        """The distributions that are listed row by row."""
        listed = list(rows)
        failures = {n: row for n, row in enumerate(listed) if isinstance(row, Failure)}
        parts: list[Weights] = [() if isinstance(row, Failure) else row for row in listed]
        flat = [pair for part in parts for pair in part]
        return Distributions(
            np.array([action for action, _ in flat], dtype=np.int32),
            np.array([weight for _, weight in flat], dtype=np.float64),
            np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)]),
            failures,
        )

    @staticmethod
    def certain(decisions: Decisions) -> Distributions:
        """The distributions of a deterministic policy."""
        chosen = decisions.actions != NO_ACTION
        chosen[list(decisions.failures)] = False
        offsets = np.concatenate([[0], np.cumsum(chosen, dtype=np.int64)])
        actions = decisions.actions[chosen]
        return Distributions(actions, np.ones(len(actions)), offsets, decisions.failures)

    @staticmethod
    def joined(one: Distributions, other: Distributions) -> Distributions:
        """Both, one after the other."""
        more = {row + len(one): failure for row, failure in other.failures.items()}
        return Distributions(
            np.concatenate([one.actions, other.actions]),
            np.concatenate([one.weights, other.weights]),
            np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]]),
            {**one.failures, **more},
        )

    def row(self, row: int) -> Weights | Failure:
        """The distribution of one state; a Failure if there is none, or if it is malformed."""
        failure = self.failures.get(row)
        if failure is not None:
            return failure
        low, high = self.offsets[row : row + 2]
        actions, weights = self.actions[low:high].tolist(), self.weights[low:high].tolist()
        return checked_weights(zip(actions, weights, strict=True)) if actions else ()


def checked_weights(pairs: Iterable[tuple[int, float]]) -> Weights | Failure:
    """The actions of positive weight; the failure of a policy whose weights are malformed."""
    listed = list(pairs)
    wrong = next((w for _, w in listed if not (math.isfinite(w) and w >= 0)), None)
    if wrong is not None:
        return _malformed(f"answered the weight {wrong:g}")
    if len({action for action, _ in listed}) < len(listed):
        return _malformed("answered two weights for one action")
    total = _total(listed)
    if not math.isfinite(total) or total <= 0:
        return _malformed(f"answered weights whose sum is {total:g}")
    return tuple(sorted(pair for pair in listed if pair[1] > 0))


def _malformed(sentence: str) -> Failure:
    return Failure(Ending.POLICY_CRASH, sentence)


def probabilities(weights: Weights) -> list[float]:
    """The probability of each action."""
    total = _total(weights)
    return [weight / total for _, weight in weights]


def _total(weights: Iterable[tuple[int, float]]) -> float:
    """The exact sum, rounded once; infinite if floats have no such number."""
    try:
        return math.fsum(weight for _, weight in weights)
    except OverflowError:
        return math.inf


def likeliest(weights: Weights, *, epsilon: float = DEFAULT_TIE_EPSILON) -> int:
    """The action of the greatest probability, of those within ε of it the lowest one."""
    ids = np.array([action for action, _ in weights], dtype=np.int32)
    offsets = np.array([0, len(ids)], dtype=np.int64)
    return int(argbest_within(np.array(probabilities(weights)), ids, offsets, epsilon=epsilon)[0])


def differ(one: Weights, other: Weights, *, epsilon: float = DEFAULT_TIE_EPSILON) -> bool:
    """Return true if two distributions differ by more than the noise of batches in some action."""
    first = dict(zip((action for action, _ in one), probabilities(one), strict=True))
    second = dict(zip((action for action, _ in other), probabilities(other), strict=True))
    both: Sequence[int] = [*first, *second]
    return any(abs(first.get(a, 0.0) - second.get(a, 0.0)) > epsilon for a in both)
