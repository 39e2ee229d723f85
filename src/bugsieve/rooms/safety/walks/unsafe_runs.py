"""Finds runs of a policy into danger (Algorithm 1, papers/001).

A walk follows the policy; where an action has several outcomes it takes those that seem to be
nearest to danger, looking ahead where several are equally near.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.seeds import Stream
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

_NO_LIMIT = 2**63 - 1
_LANES = 1024
_CACHE_BYTES = 1 << 28


_OUTCOMES = tuple(WalkOutcome)


@dataclass(frozen=True, eq=False)
class Walk:
    """The result of a walk: a run into danger, or None."""

    number: int
    outcome: WalkOutcome
    run: UnsafeRun | None
    steps: int


class UnsafeRunFuzzer:
    """Walks of one policy on one model; what it learnt of the policy serves all later calls.

    Walk number n depends on the seed, n and the options alone: not on the walks beside it.
    """

    def __init__(
        self,
        model: JaniModel,
        policy: ModelPolicy,
        options: SafetyFuzzOptions,
        *,
        step_limit: int = DEFAULT_STEP_LIMIT,
        lanes: int = _LANES,
        cache_bytes: int = _CACHE_BYTES,
    ) -> None:
        if options.choice != "uniform":
            model.require_distance()
        self.model = model
        self.options = options
        self._starts = StartSampler(model, options.seed)
        self._keys = walk_keys(options.seed)
        self._native = core_walks(
            model.system.copy(),
            policy.view(),
            options,
            step_limit=step_limit,
            lanes=lanes,
            cache_bytes=cache_bytes,
        )

    def run(self, numbers: Iterable[int]) -> list[Walk]:
        """Make the walks with these numbers."""
        wanted = np.fromiter(numbers, dtype=np.int64)
        starts = self.model.pack(self._starts.sample(wanted))
        try:
            found = self._native.run(starts, wanted, *self._keys)
        except _native.JaniFaultError as fault:
            raise self.model.finding(fault) from None
        return walks_of(wanted, found)

    @property
    def decisions(self) -> int:
        """In how many states the policy was asked."""
        return self._native.decisions


CoreWalks = tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.uint64],
    NDArray[np.int32],
]


def walk_keys(seed: int) -> tuple[int, int]:
    """The keys of the random numbers of walks."""
    stream = Stream(seed, "unsafe runs")
    return stream.word(), stream.word()


def core_walks(
    system: _native.TransitionSystem,
    policy: _native.PolicyView,
    options: SafetyFuzzOptions,
    *,
    step_limit: int = DEFAULT_STEP_LIMIT,
    lanes: int = _LANES,
    cache_bytes: int = _CACHE_BYTES,
) -> _native.UnsafeRuns:
    """The walks in the core, for any transition system."""
    return _native.UnsafeRuns(
        system,
        policy,
        choice=options.choice,
        lookahead=_NO_LIMIT if options.lookahead is None else options.lookahead,
        lookahead_states=options.lookahead_states,
        step_limit=step_limit,
        lanes=lanes,
        max_bytes=cache_bytes,
    )


def walks_of(numbers: Sequence[int] | NDArray[np.int64], found: CoreWalks) -> list[Walk]:
    """The core's answers about walks, one by one."""
    endings, steps, offsets, states, actions = found
    runs = [
        UnsafeRun(states[begin:end], actions[begin : end - 1]) if end > begin else None
        for begin, end in pairwise(offsets.tolist())
    ]
    columns = (endings.tolist(), runs, steps.tolist())
    return [
        Walk(int(number), _OUTCOMES[ending], run, length)
        for number, ending, run, length in zip(numbers, *columns, strict=True)
    ]
