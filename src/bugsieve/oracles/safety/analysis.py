"""Analyses unsafe runs: which states are bugs, which decisions are faults, and their proofs.

All runs of a policy share what the deciders found out; runs are processed in reverse, since what
is near the danger is decided first and helps with the rest (Section 6 of papers/001).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.basis.errors import BudgetError, InternalError, UsageError
from bugsieve.basis.stopping import check_stop
from bugsieve.basis.wording import counted
from bugsieve.bugs.safety.bug import (
    AVOIDABLE,
    FAULT,
    Claim,
    FoundInRun,
    ProofRows,
    SafetyBug,
    SafetyBugMaker,
)
from bugsieve.checkers.jani_interpreter import RefusedModelError
from bugsieve.checkers.safety import SafetyBugChecker
from bugsieve.checkers.safety_claims import CertificateError
from bugsieve.oracles.safety.decide import Fault, Safety, SafetyDecider, Verdicts, WordArray
from bugsieve.oracles.safety.registry import SafetySpec, parse_safety_spec
from bugsieve.policies.models.policy import NO_ACTION, ModelPolicy
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.search.limits import Limits
from bugsieve.tasks.jani.model import JaniModel

DEFAULT_LIMITS = Limits(expansions=1_000_000, bytes=1 << 30)
"""Per state. Expansions, not seconds: verdicts must not depend on the load of the machine."""

DEFAULT_PROOF_ROWS = 50_000
"""Some megabytes of JSON."""


@dataclass(frozen=True, eq=False)
class OracleAnalysis:
    """What one oracle says of a run; arrays have an entry per state, the unsafe one included."""

    spec: str
    safety: NDArray[np.int8]
    """`Safety` of each state; the policy meets danger from all of them, so a safe one is a bug."""
    limits: tuple[str | None, ...]
    """The limit that came first, where safety is unknown: expansions, time or memory."""
    faults: tuple[Fault, ...]
    """Positions in the run, with the packed state and the lost outcome."""
    open_faults: tuple[int, ...]
    """Positions where a limit came first."""
    seconds: float
    """CPU time of ours: a busy machine changes little, a policy in its own process adds none."""
    expansions: int

    @property
    def bugs(self) -> tuple[int, ...]:
        """Positions of the states that are bugs."""
        return tuple(np.flatnonzero(self.safety == Safety.SAFE).tolist())

    @property
    def unknown(self) -> tuple[int, ...]:
        """Positions of the states for which a limit came first."""
        return tuple(np.flatnonzero(self.safety == Safety.UNKNOWN).tolist())


@dataclass(frozen=True)
class KnownBug:
    """A bug that an earlier run of the same analyst proved already."""

    id: str
    position: int


@dataclass(frozen=True)
class UnprovenClaim:
    """An oracle's claim that is no bug, since its proof is too large or cannot be checked."""

    kind: str
    oracle: str
    position: int
    reason: str


@dataclass(frozen=True)
class RejectedClaim:
    """A claim that the checker does not accept: a mistake of ours."""

    kind: str
    oracle: str
    position: int
    reason: str
    certificate: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class RunAnalysis:
    """All oracles' words on one run, and what the first one's claims have become."""

    oracles: tuple[OracleAnalysis, ...]
    bugs: tuple[SafetyBug, ...] = ()
    """Accepted by the checker, in the order of the run, none of them known before."""
    known: tuple[KnownBug, ...] = ()
    unproven: tuple[UnprovenClaim, ...] = ()
    rejected: tuple[RejectedClaim, ...] = ()
    proof_seconds: float = 0.0
    """What writing and checking the certificates took."""


@dataclass(frozen=True)
class LoneVerdict:
    """One state decided by an oracle that knew nothing before."""

    spec: str
    safety: Safety
    limit: str | None
    seconds: float
    """CPU time of ours, as above."""
    expansions: int


class _UnprovenError(Exception):
    """Why a claim has no proof that the checker has accepted."""


@dataclass
class _Collected:
    """Claims of one run as they turn out."""

    bugs: list[SafetyBug] = field(default_factory=list)
    known: list[KnownBug] = field(default_factory=list)
    unproven: list[UnprovenClaim] = field(default_factory=list)
    rejected: list[RejectedClaim] = field(default_factory=list)

    @property
    def is_proven(self) -> bool:
        return bool(self.bugs or self.known)


class RunAnalyst:
    """Analyses runs of one policy by several oracles; the first one's claims become bugs.

    - `limits`: what one state may cost; `limits.bytes` also bounds what an oracle remembers, as
      it starts anew when half of it is used.
    - `proof_rows`: larger proofs are not written down, and their claims are no bugs.
    - `proven`: ids of bugs that are known already.

    ModelError where the model itself goes wrong in a state.
    """

    def __init__(
        self,
        model: JaniModel,
        policy: ModelPolicy,
        specs: Sequence[str],
        *,
        limits: Limits = DEFAULT_LIMITS,
        proof_rows: int = DEFAULT_PROOF_ROWS,
        proven: Iterable[str] = (),
    ) -> None:
        if not specs:
            raise UsageError("an analysis needs an oracle")
        self.model = model
        self.policy = policy
        self.limits = limits
        self.specs = [parse_safety_spec(spec) for spec in specs]
        self._proof_rows = proof_rows
        self._view = policy.view()
        self._deciders: dict[SafetySpec, SafetyDecider] = {}
        self._maker = SafetyBugMaker(policy)
        self._proven = set(proven)
        try:
            self._checker: SafetyBugChecker | RefusedModelError = SafetyBugChecker(model.document)
        except RefusedModelError as refusal:
            self._checker = refusal

    def analyse(self, run: UnsafeRun, *, walk: int | None = None) -> RunAnalysis:
        """Verdicts of all oracles on a run; `walk` is kept with the bugs."""
        words = np.ascontiguousarray(run.states, dtype=np.uint64)
        with self._findings():
            oracles = tuple(self._judged(spec, words) for spec in self.specs)
            start = time.perf_counter()
            collected = self._proofs(run, oracles[0], walk)
        # Not earlier: a run whose analysis is stopped has proven nothing.
        self._proven.update(bug.id for bug in collected.bugs)
        return RunAnalysis(
            oracles,
            tuple(collected.bugs),
            tuple(collected.known),
            tuple(collected.unproven),
            tuple(collected.rejected),
            time.perf_counter() - start,
        )

    def judge_alone(self, states: WordArray) -> list[list[LoneVerdict]]:
        """Per packed state the verdict of each oracle, which starts anew for every state."""
        with self._findings():
            return [[self._alone(spec, row) for spec in self.specs] for row in states]

    def forget(self) -> None:
        """Let the next run be analysed as if it were the first; proven bugs stay known."""
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

    def _judged(self, spec: SafetySpec, words: WordArray) -> OracleAnalysis:
        check_stop()
        start = time.thread_time()
        decider = self._decider(spec)
        is_fresh, before = decider.num_states == 0, decider.num_expanded
        verdicts = decider.decide(words[::-1])
        if "memory" in verdicts.limits and not is_fresh:
            # What it remembers of other runs must not cost this run its verdicts.
            del self._deciders[spec]
            decider, before = self._decider(spec), 0
            verdicts = decider.decide(words[::-1])
        faults, undecided = _faults(decider, words, verdicts)
        return OracleAnalysis(
            str(spec),
            verdicts.safety[::-1].copy(),
            verdicts.limits[::-1],
            faults,
            undecided,
            time.thread_time() - start,
            decider.num_expanded - before,
        )

    def _alone(self, spec: SafetySpec, row: WordArray) -> LoneVerdict:
        check_stop()
        start = time.thread_time()
        decider = self._fresh(spec)
        verdicts = decider.decide(row.reshape(1, -1))
        seconds = time.thread_time() - start
        return LoneVerdict(
            str(spec), verdicts[0], verdicts.limits[0], seconds, decider.num_expanded
        )

    def _proofs(self, run: UnsafeRun, oracle: OracleAnalysis, walk: int | None) -> _Collected:
        collected = _Collected()
        for fault in oracle.faults:
            outcome = np.array(fault.outcome, dtype=np.uint64)
            self._prove(run, FoundInRun(fault.position, walk), outcome, collected)
        if oracle.bugs and not collected.is_proven:
            self._prove(run, FoundInRun(oracle.bugs[-1], walk), None, collected)
        return collected

    def _prove(
        self, run: UnsafeRun, place: FoundInRun, outcome: WordArray | None, collected: _Collected
    ) -> None:
        check_stop()
        spec, position = self.specs[0], place.position
        kind = AVOIDABLE if outcome is None else FAULT
        action = int(run.actions[position])
        known = self._maker.id(kind, run.states[position], action, spec.radius)
        if known in self._proven or any(known == bug.id for bug in collected.bugs):
            collected.known.append(KnownBug(known, position))
            return
        bug: SafetyBug | None = None
        try:
            claim = self._claim(_from(run, position), outcome)
            bug = self._maker.make(claim, oracle=str(spec), found_in=place)
            self._check(bug)
        except (BudgetError, _UnprovenError) as error:
            collected.unproven.append(UnprovenClaim(kind, str(spec), position, str(error)))
        except (CertificateError, InternalError) as error:
            if bug is not None and self._wavers(bug):
                sentence = "asked again, the policy answers differently"
                collected.unproven.append(UnprovenClaim(kind, str(spec), position, sentence))
                return
            certificate = None if bug is None else bug.certificate
            rejected = RejectedClaim(kind, str(spec), position, str(error), certificate)
            collected.rejected.append(rejected)
        else:
            collected.bugs.append(bug)

    def _claim(self, run: UnsafeRun, outcome: WordArray | None) -> Claim:
        decider = self._deciders[self.specs[0]]
        safe = _rows(decider, run.states[0], True)
        self._expect_room(len(run.states) + len(safe))
        if outcome is None:
            return Claim(run, decider.radius, safe)
        unsafe = _rows(decider, outcome, False)
        self._expect_room(len(run.states) + len(safe) + len(unsafe))
        return Claim(run, decider.radius, safe, outcome, unsafe)

    def _expect_room(self, rows: int) -> None:
        if rows > self._proof_rows:
            raise _UnprovenError(
                f"the proof takes at least {counted(rows, 'row')}, more than the limit of "
                f"{self._proof_rows}: raise --proof-rows (in Python, proof_rows)"
            )

    def _check(self, bug: SafetyBug) -> None:
        if isinstance(self._checker, RefusedModelError):
            raise _UnprovenError(f"the checker cannot read the model: {self._checker}")
        self._checker.check(bug.certificate)

    def _wavers(self, bug: SafetyBug) -> bool:
        """Whether the policy now contradicts the certificate: then it is not our mistake."""
        run, answers = bug.certificate["run"], bug.certificate["answers"]
        states = [*run["states"][:-1], *(row[0] for row in answers)]
        recorded = [*run["actions"], *(NO_ACTION if row[1] is None else row[1] for row in answers)]
        chosen = self.policy.choose(np.array([self.model.state(state) for state in states]))
        return bool((np.maximum(chosen, NO_ACTION) != recorded).any())

    @contextmanager
    def _findings(self) -> Iterator[None]:
        try:
            yield
        except _native.JaniFaultError as fault:
            raise self.model.finding(fault) from None


def _faults(
    decider: SafetyDecider, words: WordArray, verdicts: Verdicts
) -> tuple[tuple[Fault, ...], tuple[int, ...]]:
    """Faults by their place in the run, and the places where a limit came first.

    Only decisions in safe states can be faults.
    """
    safety = verdicts.safety[::-1]
    safe = np.flatnonzero(safety == Safety.SAFE)
    found = decider.faults(words[safe])
    faults = tuple(Fault(int(safe[f.position]), f.state, f.outcome) for f in found.faults)
    unknown = np.flatnonzero(safety == Safety.UNKNOWN).tolist()
    return faults, tuple(sorted([*unknown, *safe[list(found.unknown)].tolist()]))


def _rows(decider: SafetyDecider, state: WordArray, is_safe: bool) -> ProofRows:
    proof = decider.proof(state.reshape(1, -1))
    if proof.is_safe is not is_safe:
        raise InternalError("an oracle has changed its mind about a state")
    return ProofRows(proof.states, proof.first, proof.second)


def _from(run: UnsafeRun, position: int) -> UnsafeRun:
    return UnsafeRun(run.states[position:], run.actions[position:])
