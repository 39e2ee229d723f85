"""Decides runs into danger: which of their states are bugs, and which decisions are faults.

All runs of a policy share what the deciders found out; runs are processed in reverse, since what
is near the danger is decided first and helps with the rest (Section 6 of papers/001). What is
claimed here is proven by `bugsieve.rooms.safety.walks.run_examiner`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import InternalError, UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import Claim, ProofRows
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider, WordArray
from bugsieve.rooms.safety.oracles.limits import DEFAULT_LIMITS
from bugsieve.rooms.safety.oracles.registry import SafetySpec, parse_safety_spec
from bugsieve.tasks.search_limits import Limits


@dataclass(frozen=True, eq=False)
class RunVerdict:
    """An oracle's verdict on a run; `safety` has an entry per state, the unsafe one included."""

    oracle: str
    safety: NDArray[np.int8]
    """`Safety` of each state; the policy meets danger from all of them, so a safe one is a bug."""
    faults: tuple[int, ...]
    """Positions of the decisions that leave safety."""
    open_faults: tuple[int, ...]
    """Positions where a limit came before it was known whether the decision is a fault."""
    reached: str | None
    """The first limit that came before an answer: expansions, time or memory."""
    expanded: int
    """States whose outcomes it asked for."""
    seconds: float = 0.0
    """CPU time of ours: a busy machine changes little, a policy in its own process adds none."""
    outcomes: Mapping[int, WordArray] = field(default_factory=dict, repr=False)
    """A lost outcome of each fault, by its position; not kept in stores."""

    @property
    def bugs(self) -> tuple[int, ...]:
        """Positions of the states that are bugs."""
        return tuple(np.flatnonzero(self.safety == Safety.SAFE).tolist())

    @property
    def unknown(self) -> tuple[int, ...]:
        """Positions of the states for which a limit came first."""
        return tuple(np.flatnonzero(self.safety == Safety.UNKNOWN).tolist())


@dataclass(frozen=True)
class LoneVerdict:
    """The verdict on one state by an oracle that knew nothing before, for measurements."""

    position: int
    oracle: str
    safety: int
    """A code of `Safety`."""
    reached: str | None
    """The limit that came before an answer."""
    expanded: int
    seconds: float = 0.0
    """CPU time of ours, as above."""


class RunAnalyst:
    """Decides runs of one policy by several oracles; the first one's claims can be proven.

    `limits` is what one state may cost; `limits.bytes` also bounds what an oracle remembers, as
    it starts anew when half of it is used. ModelError where the model itself goes wrong.
    """

    def __init__(
        self,
        model: JaniModel,
        policy: ModelPolicy,
        specs: Sequence[str],
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if not specs:
            raise UsageError("an analysis needs an oracle")
        self.model = model
        self.limits = limits
        self.specs = [parse_safety_spec(spec) for spec in specs]
        self._view = policy.view()
        self._deciders: dict[SafetySpec, SafetyDecider] = {}

    def verdicts(self, run: UnsafeRun) -> tuple[RunVerdict, ...]:
        """The verdicts of all oracles on a run."""
        words = np.ascontiguousarray(run.states, dtype=np.uint64)
        with self._findings():
            return tuple(self._judged(spec, words) for spec in self.specs)

    def alone(self, run: UnsafeRun, positions: Sequence[int]) -> tuple[LoneVerdict, ...]:
        """The verdicts on some states of a run, each by oracles that start anew."""
        with self._findings():
            return tuple(
                self._alone(spec, position, run.states[position])
                for position in positions
                for spec in self.specs
            )

    def claim(self, run: UnsafeRun, outcome: WordArray | None, *, most_rows: int) -> Claim | int:
        """The first oracle's claim about the first state of a run that it has decided.

        With an outcome, the claim is that the first decision is a fault. A claim of more than so
        many rows is not made: then return the least number of rows that it takes.
        """
        decider = self._deciders[self.specs[0]]
        with self._findings():
            safe = _rows(decider, run.states[0], True)
        rows = len(run.states) + len(safe)
        if rows > most_rows or outcome is None:
            return rows if rows > most_rows else Claim(run, decider.radius, safe)
        with self._findings():
            unsafe = _rows(decider, outcome, False)
        rows += len(unsafe)
        return rows if rows > most_rows else Claim(run, decider.radius, safe, outcome, unsafe)

    def forget(self) -> None:
        """Let the next run be decided as if it were the first."""
        self._deciders.clear()

    def _decider(self, spec: SafetySpec) -> SafetyDecider:
        decider = self._deciders.get(spec)
        largest = self.limits.bytes
        if decider is None or (largest is not None and decider.memory_bytes > largest // 2):
            self._deciders[spec] = decider = self._fresh(spec)
        return decider

    def _fresh(self, spec: SafetySpec) -> SafetyDecider:
        return SafetyDecider(
            self.model.system.copy(),
            self._view,
            algorithm=spec.algorithm,
            radius=spec.radius,
            limits=self.limits,
        )

    def _judged(self, spec: SafetySpec, words: WordArray) -> RunVerdict:
        check_stop()
        start = time.thread_time()
        decider = self._decider(spec)
        is_fresh, before = decider.num_states == 0, decider.num_expanded
        verdicts = decider.decide(words[::-1])
        if "memory" in verdicts.limits and not is_fresh:
            # Its memory of other runs must not cost this run its verdicts.
            del self._deciders[spec]
            decider, before = self._decider(spec), 0
            verdicts = decider.decide(words[::-1])
        safety, limits = verdicts.safety[::-1].copy(), verdicts.limits[::-1]
        outcomes, undecided = _faults(decider, words, safety)
        return RunVerdict(
            str(spec),
            safety,
            tuple(outcomes),
            undecided,
            next((limit for limit in limits if limit is not None), None),
            decider.num_expanded - before,
            time.thread_time() - start,
            outcomes,
        )

    def _alone(self, spec: SafetySpec, position: int, row: WordArray) -> LoneVerdict:
        check_stop()
        start = time.thread_time()
        decider = self._fresh(spec)
        verdicts = decider.decide(row.reshape(1, -1))
        seconds = time.thread_time() - start
        safety, limit = int(verdicts[0]), verdicts.limits[0]
        return LoneVerdict(position, str(spec), safety, limit, decider.num_expanded, seconds)

    @contextmanager
    def _findings(self) -> Iterator[None]:
        try:
            yield
        except _native.JaniFaultError as fault:
            raise self.model.finding(fault) from None


def _faults(
    decider: SafetyDecider, words: WordArray, safety: NDArray[np.int8]
) -> tuple[dict[int, WordArray], tuple[int, ...]]:
    """Lost outcomes of faults by their place in the run, and the places where a limit came first.

    Only decisions in safe states can be faults.
    """
    safe = np.flatnonzero(safety == Safety.SAFE)
    found = decider.faults(words[safe])
    outcomes = {
        int(safe[fault.position]): np.array(fault.outcome, dtype=np.uint64)
        for fault in found.faults
    }
    unknown = np.flatnonzero(safety == Safety.UNKNOWN).tolist()
    return outcomes, tuple(sorted([*unknown, *safe[list(found.unknown)].tolist()]))


def _rows(decider: SafetyDecider, state: WordArray, is_safe: bool) -> ProofRows:
    proof = decider.proof(state.reshape(1, -1))
    if proof.is_safe is not is_safe:
        raise InternalError("an oracle has changed its mind about a state")
    return ProofRows(proof.states, proof.first, proof.second)
