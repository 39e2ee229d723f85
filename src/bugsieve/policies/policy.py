"""The Policy protocol, the base of the built-in members, and the tie-breaking rule they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import InternalError, PolicyError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.policies.decisions import Decisions
from bugsieve.policies.fingerprints import Fingerprinted
from bugsieve.policies.limits import WorkerLimits
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task

DEFAULT_TIE_EPSILON = 1e-5
"""Scores this close count as equal: above float32 noise of a batched network, below any cost."""


class Policy(Protocol):
    """A deterministic policy, bound to one task when it is created."""

    def choose(self, states: StateArray) -> ActionArray:
        """One applicable action id per state, or NO_ACTION."""
        ...


class NoPolicy:
    """Stands where no policy is asked."""

    def choose(self, states: StateArray) -> ActionArray:
        """Raise the error of the caller's mistake."""
        raise InternalError("a policy was asked that was not to be started")


@runtime_checkable
class FalliblePolicy(Protocol):
    """A policy that can fail in one state without spoiling the batch."""

    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the reason why there is none."""
        ...


class Bindable(ABC):
    """An object that becomes a policy when bound to a task or model, as by `@bugsieve.policy`."""

    @abstractmethod
    def bind(self, subject: Any) -> Any:
        """The policy for the subject."""


@dataclass(frozen=True)
class PolicySettings:
    """The settings with which a policy is created, besides its spec and its task."""

    seed: int = 0
    limits: WorkerLimits = field(default_factory=WorkerLimits)

    def __post_init__(self) -> None:
        check_fields(self)

    @staticmethod
    def of(seed: int, limits: WorkerLimits | None) -> PolicySettings:
        """The settings with these limits, or with the usual ones."""
        return PolicySettings(seed, WorkerLimits() if limits is None else limits)


class BoundPolicy(Fingerprinted, Closing, ABC):
    """Base of the members of this family: knows its task, its spec and its ε for ties."""

    def __init__(self, task: Task, spec: str, *, tie_epsilon: float = DEFAULT_TIE_EPSILON) -> None:
        self.task = task
        self.spec = spec
        self.tie_epsilon = tie_epsilon

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """None, or the reason why no policy of this family can be bound to the task."""
        return None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError or PolicyError where no task could make `family:argument` right."""
        return

    @abstractmethod
    def choose(self, states: StateArray) -> ActionArray:
        """One applicable action id per state, or NO_ACTION."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec} on {self.task.name}>"


class FallibleBoundPolicy(BoundPolicy):
    """A member whose native answer is `decide`; `choose` is for callers that expect no failure."""

    @abstractmethod
    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the reason why there is none."""

    def choose(self, states: StateArray) -> ActionArray:
        """One applicable action id per state, or NO_ACTION; PolicyError for the first failure."""
        decisions = self.decide(states)
        for row, failure in sorted(decisions.failures.items()):
            raise PolicyError(
                f"policy {self.spec}, state {row} of the batch: "
                f"{failure.ending.label}: {failure.detail}"
            )
        return decisions.actions


def policy_name(policy: Policy) -> str:
    """The spec of a built-in member, or the class name of a policy written by the user."""
    return str(getattr(policy, "spec", type(policy).__name__))


def argbest_within(
    scores: NDArray[np.float64],
    ids: ActionArray,
    offsets: NDArray[np.int64],
    *,
    epsilon: float = DEFAULT_TIE_EPSILON,
) -> ActionArray:
    """The lowest id in each segment of the flat arrays with a score within ε of the greatest.

    Segment i is `offsets[i]:offsets[i + 1]`; an empty one gives NO_ACTION. Costs are passed
    negated. A score that is not a number counts as the worst.
    """
    chosen = np.full(len(offsets) - 1, NO_ACTION, dtype=np.int32)
    filled = offsets[1:] > offsets[:-1]
    if not filled.any():
        return chosen
    # reduceat mishandles empty segments, but the starts of the filled ones delimit them exactly.
    starts = offsets[:-1][filled]
    scores = np.where(np.isnan(scores), -np.inf, scores)
    best = np.repeat(np.maximum.reduceat(scores, starts), np.diff(offsets)[filled])
    contenders = np.where(scores >= best - epsilon, ids, np.iinfo(np.int32).max)
    chosen[filled] = np.minimum.reduceat(contenders, starts)
    return chosen
