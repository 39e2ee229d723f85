"""Examines unsafe runs in the order of the walks: verdicts, and bugs that the checker accepts.

What is said of a run depends on the runs before it only through the oracles' memory. It begins
anew with every group of `shared_runs` different runs, and a resumed campaign makes it again from
the stored runs of the group. So findings depend on the options and the runs alone.
"""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BudgetError, InternalError
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import (
    BugRow,
    Finding,
    RejectedRow,
    Sighting,
    UnprovenRow,
    UnstableRow,
)
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import (
    AVOIDABLE,
    FAULT,
    FoundInRun,
    LongCertificate,
    SafetyBug,
    SafetyBugMaker,
)
from bugsieve.rooms.safety.bugs.rows import KnownRows
from bugsieve.rooms.safety.checker.jani_interpreter import RefusedModelError
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker, bug_id
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.oracles.analysis import (
    LoneVerdict,
    RunAnalyst,
    RunVerdict,
)
from bugsieve.rooms.safety.oracles.decide import WordArray
from bugsieve.rooms.safety.oracles.limits import DEFAULT_LIMITS
from bugsieve.rooms.safety.walks.options import DEFAULT_PROOF_ROWS
from bugsieve.rooms.safety.walks.stability import SafetyAsker
from bugsieve.tasks.search_limits import Limits


class SafetyBugRow(BugRow[SafetyBug]):
    """A safety bug; its case is the first unsafe run that has it."""

    @property
    def walk(self) -> int:
        """The first walk whose run has it."""
        return self.case

    @property
    def position(self) -> int:
        """The place of the bug's state in that run."""
        assert self.bug.found_in is not None
        return self.bug.found_in.position

    @property
    def safe_action(self) -> int:
        """What avoids the danger in the bug's state."""
        return self.bug.safe_action


@dataclass(frozen=True, eq=False)
class UnsafeRunRow:
    """The unsafe run that a walk found; `same_as` is an earlier walk that found the same one."""

    walk: int
    run: UnsafeRun
    digest: bytes
    same_as: int | None = None
    alone: tuple[LoneVerdict, ...] = ()
    """Verdicts on single states of the run, for measurements."""
    proof_seconds: float = 0.0
    """The time for writing and checking certificates."""


def run_digest(run: UnsafeRun) -> bytes:
    """The same for equal runs only, for all that matters."""
    states = np.ascontiguousarray(run.states, dtype="<u8")
    actions = np.ascontiguousarray(run.actions, dtype="<i4")
    return hashlib.sha256(states.tobytes() + actions.tobytes()).digest()


@dataclass
class RunAnalysis:
    """All oracles' words on one run, and what the first one's claims have become."""

    oracles: tuple[RunVerdict, ...]
    bugs: list[SafetyBug] = field(default_factory=list)
    """Accepted by the checker, in the order of the run, none of them known before."""
    sightings: list[Sighting] = field(default_factory=list)
    """Bugs in this run, new or known."""
    unproven: list[UnprovenRow] = field(default_factory=list)
    rejected: list[RejectedRow] = field(default_factory=list)
    unstable: list[UnstableRow] = field(default_factory=list)
    """Two answers of the policy on the way of what would have been bugs."""
    proof_seconds: float = 0.0
    """The time for writing and checking the certificates."""


class _UnprovenError(Exception):
    """The reason why a claim has no proof that the checker has accepted."""


class RunExaminer:
    """Analyses runs of one policy; the first oracle's claims become bugs once they are proven.

    - `proof_rows`: larger proofs are not written down, and their claims are not bugs.
    - `proven`: ids of bugs that are known already.
    - `unstable`: ids of claims on whose way the policy is known to change its answers.
    - `by_spec`: ids name a network by its spec, as those of earlier versions do.
    """

    def __init__(
        self,
        policy: ModelPolicy,
        specs: Sequence[str],
        *,
        limits: Limits = DEFAULT_LIMITS,
        proof_rows: int = DEFAULT_PROOF_ROWS,
        proven: Iterable[str] = (),
        unstable: Iterable[str] = (),
        by_spec: bool = False,
    ) -> None:
        self.policy = policy
        self.analyst = RunAnalyst(policy.model, policy, specs, limits=limits)
        self._proof_rows = proof_rows
        self._maker = SafetyBugMaker(policy, by_spec=by_spec)
        self._checker = _checker_of(policy)
        self._checked = KnownRows()
        self.asker = SafetyAsker(policy)
        self._proven = set(proven)
        self._unstable = set(unstable)
        self._recalled: frozenset[str] | None = None

    def recall(self, run: UnsafeRun, *, walk: int, unstable: frozenset[str]) -> None:
        """Analyse a run again that was analysed before; `unstable` is what came out of asking."""
        self._recalled = unstable
        try:
            self.analyse(run, walk=walk)
        finally:
            self._recalled = None

    def forget(self) -> None:
        """Know nothing of the runs before: each claim is proven again."""
        self.analyst.forget()
        self._proven.clear()
        self._unstable.clear()

    def analyse(self, run: UnsafeRun, *, walk: int | None = None) -> RunAnalysis:
        """Verdicts of all oracles on a run, and its bugs; `walk` is kept with them."""
        found = RunAnalysis(self.analyst.verdicts(run))
        start = time.perf_counter()
        first = found.oracles[0]
        for position, outcome in first.outcomes.items():
            self._prove(run, FoundInRun(position, walk), outcome, found)
        # If no decision could be proven to be the fault, prove that the danger was avoidable,
        # if the policy stands by its way there.
        if first.bugs and not found.sightings and not found.unstable:
            self._prove(run, FoundInRun(first.bugs[-1], walk), None, found)
        # Not earlier: a run whose analysis is stopped has proven nothing.
        self._proven.update(bug.id for bug in found.bugs)
        self._unstable.update(row.claim for row in found.unstable)
        found.sightings.sort(key=lambda sighting: sighting.position)
        found.proof_seconds = time.perf_counter() - start
        return found

    def _prove(
        self, run: UnsafeRun, place: FoundInRun, outcome: WordArray | None, found: RunAnalysis
    ) -> None:
        """Settle one claim: it is known, becomes a bug, or says why it does not."""
        check_stop()
        spec, position, walk = self.analyst.specs[0], place.position, place.walk or 0
        kind = AVOIDABLE if outcome is None else FAULT
        # The id names the decision, not its proof: a known one needs no second proof.
        name = self._maker.id(kind, run.states[position], int(run.actions[position]), spec.radius)
        if name in self._proven or any(bug.id == name for bug in found.bugs):
            found.sightings.append(Sighting(position, name))
            return
        if name in self._unstable or any(row.claim == name for row in found.unstable):
            return
        bug: SafetyBug | None = None
        try:
            with doing(f"proving what is said of state {position} of the run of walk {walk}"):
                bug, certificate = self._bug(run, place, outcome)
                change = self._change(walk, bug)
                if change is not None:
                    found.unstable.append(replace(change, position=position + change.position))
                    return
                self._check(certificate)
        except (BudgetError, _UnprovenError) as error:
            found.unproven.append(UnprovenRow(walk, str(spec), kind, str(error), position))
        except (CertificateError, InternalError) as error:
            refused = None if bug is None else dict(bug.certificate)
            rejected = RejectedRow(walk, str(spec), str(error), refused, position)
            found.rejected.append(rejected)
        else:
            found.bugs.append(bug)
            found.sightings.append(Sighting(position, bug.id))

    def _change(self, walk: int, bug: SafetyBug) -> UnstableRow | None:
        """The policy's other answer on the way; known of runs that are recalled."""
        if self._recalled is None:
            return self.asker.check(walk, bug)
        return UnstableRow(walk, 0, "", "", "", bug.id) if bug.id in self._recalled else None

    def _bug(
        self, run: UnsafeRun, place: FoundInRun, outcome: WordArray | None
    ) -> tuple[SafetyBug, LongCertificate]:
        """The claim with its certificate, which is not checked yet."""
        rest = UnsafeRun(run.states[place.position :], run.actions[place.position :])
        claim = self.analyst.claim(rest, outcome, most_rows=self._proof_rows)
        if isinstance(claim, int):
            raise _UnprovenError(
                f"the proof takes at least {counted(claim, 'row')}, more than the limit of "
                f"{self._proof_rows}: raise --proof-rows (in Python, proof_rows)"
            )
        certificate = self._maker.certificate(claim)
        spec = str(self.analyst.specs[0])
        return SafetyBug(bug_id(certificate), certificate, spec, place), certificate

    def _check(self, certificate: LongCertificate) -> None:
        """Have the rows checked that no accepted certificate had: the others are proven."""
        if isinstance(self._checker, RefusedModelError):
            raise _UnprovenError(f"the checker cannot read the model: {self._checker}")
        if self._checker.is_full:
            self._checker.forget()
            self._checked = KnownRows()
        new = self._checked.without(certificate.tables)
        with _no_collection():
            self._checker.check_next(certificate.with_rows(new))
        self._checked.add(new)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Inside, no circles of garbage are looked for, which cost a third of checking proofs.

    A proof has hundreds of thousands of lists and tuples, and none of them is part of a circle.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _checker_of(policy: ModelPolicy) -> SafetyBugChecker | RefusedModelError:
    """Reading the model takes long, and belongs to loading: no time limit counts yet."""
    try:
        return SafetyBugChecker(policy.model.document, poll=check_stop)
    except RefusedModelError as refusal:
        return refusal


@dataclass(frozen=True)
class StoredRuns:
    """The knowledge of earlier sessions about unsafe runs."""

    walks: dict[bytes, int] = field(default_factory=dict)
    """The first walk that found a run, by the digest of the run."""
    group: tuple[tuple[int, UnsafeRun], ...] = ()
    """The different runs since the oracles last forgot, with their walks."""
    proven: tuple[str, ...] = ()
    """Ids of the bugs found before this group."""
    judged_alone: frozenset[bytes] = frozenset()
    """States that were judged alone."""
    unstable: tuple[str, ...] = ()
    """Ids of the claims on whose way the policy changed its answers, before this group."""
    unstable_in_group: frozenset[str] = frozenset()
    by_spec: bool = False
    """True if the ids of the stored bugs name a network by its spec."""


class UnsafeRunMemory:
    """Examines each different unsafe run once, in the order of the walks.

    Where runs are judged `singly`, nothing that is said of one depends on those before.
    """

    def __init__(
        self,
        policy: ModelPolicy,
        specs: Sequence[str],
        stored: StoredRuns,
        *,
        limits: Limits = DEFAULT_LIMITS,
        proof_rows: int = DEFAULT_PROOF_ROWS,
        shared_runs: int = 32,
        alone: int = 0,
        singly: bool = False,
    ) -> None:
        self._known = set(stored.proven) if singly else None
        """Bugs that are stored already, where their proofs are made again for each run."""
        self._walks = dict(stored.walks)
        self._to_recall = stored.group
        self._unstable_in_group = stored.unstable_in_group
        self._judged_alone = set(stored.judged_alone)
        self._shared_runs = shared_runs
        self._alone_wanted = alone
        self._examiner = RunExaminer(
            policy,
            specs,
            limits=limits,
            proof_rows=proof_rows,
            proven=stored.proven,
            unstable=stored.unstable,
            by_spec=stored.by_spec,
        )

    @property
    def asker(self) -> SafetyAsker:
        """The asker that sees if the policy repeats its answers."""
        return self._examiner.asker

    @property
    def different_runs(self) -> int:
        """The number of different runs so far."""
        return len(self._walks)

    def of(self, walk: int, run: UnsafeRun) -> Finding | UnsafeRunRow:
        """The finding on the run of the next walk; its row if it was met before."""
        digest = run_digest(run)
        same_as = self._walks.get(digest)
        if same_as is not None:
            return UnsafeRunRow(walk, run, digest, same_as)
        self._remember()
        with doing(f"judging the run of walk {walk}"):
            found = self._examiner.analyse(run, walk=walk)
            alone = self._examiner.analyst.alone(run, self._lonely(run))
        visit = Visit(len(self._walks), walk)
        self._walks[digest] = walk
        return Finding(
            visit,
            UnsafeRunRow(walk, run, digest, None, alone, found.proof_seconds),
            found.oracles,
            tuple(_bug_row(visit, bug) for bug in self._new(found.bugs)),
            sightings=tuple(found.sightings),
            unproven=tuple(found.unproven),
            rejected=tuple(found.rejected),
            unstable=tuple(found.unstable),
        )

    def _new(self, bugs: Sequence[SafetyBug]) -> list[SafetyBug]:
        """The bugs that no run before has."""
        if self._known is None:
            return list(bugs)
        new = [bug for bug in bugs if bug.id not in self._known]
        self._known.update(bug.id for bug in new)
        return new

    def _remember(self) -> None:
        """Let the oracles know as much as they knew when the run before was analysed."""
        for walk, run in self._to_recall:
            with doing(f"recalling the run of walk {walk}"):
                self._examiner.recall(run, walk=walk, unstable=self._unstable_in_group)
        self._to_recall = ()
        if self._known is not None:
            self._examiner.forget()
        elif len(self._walks) % self._shared_runs == 0:
            self._examiner.analyst.forget()

    def _lonely(self, run: UnsafeRun) -> list[int]:
        """States of the run that are not judged alone yet, as far as any are wanted."""
        positions = []
        for position, state in enumerate(run.states[:-1]):
            key = state.tobytes()
            if len(self._judged_alone) < self._alone_wanted and key not in self._judged_alone:
                self._judged_alone.add(key)
                positions.append(position)
        return positions


def _bug_row(visit: Visit, bug: SafetyBug) -> SafetyBugRow:
    return SafetyBugRow(visit.case, bug, (bug.oracle,), visit.number, visit.number)
