"""Judges pool states: the policy's run, every oracle's verdict, and a checked certificate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.basis.closing import Closing
from bugsieve.basis.errors import InternalError, UnsupportedError, UsageError
from bugsieve.benches.bench import Bench, Origin, Suspects
from bugsieve.benches.objectives import make_objective
from bugsieve.bugs.cost.bug import Bug, FoundBy, make_bug
from bugsieve.checkers.cost import CertificateError, Checker
from bugsieve.fuzzing.pool import Pool
from bugsieve.oracles.oracle import Oracle
from bugsieve.oracles.registry import make_oracle
from bugsieve.policies.policy import BoundPolicy, Policy
from bugsieve.policies.registry import make_policy
from bugsieve.policies.worker import WorkerLimits
from bugsieve.results.rows import BugRow, Judgement, OracleRow, RejectedRow, RunRow, VerdictRow
from bugsieve.search import Limits
from bugsieve.tasks.fdr.task import StateArray, Task


@dataclass(frozen=True)
class BenchPlan:
    """How to make a bench and its oracles for a task, in whatever process."""

    policy: str
    policy_seed: int
    policy_limits: WorkerLimits
    objective: str
    step_limit: int
    limits: Limits

    def bench(self, task: Task, policy: Policy | None = None) -> Bench:
        """The bench; the policy is made from its spec unless it is given."""
        if policy is None:
            seed, limits = self.policy_seed, self.policy_limits
            policy = make_policy(self.policy, task, seed=seed, limits=limits)
        try:
            objective = make_objective(self.objective, task)
            return Bench(task, policy, objective, step_limit=self.step_limit)
        except BaseException:
            close_policy(policy)
            raise

    def oracles(self, bench: Bench, specs: Sequence[str]) -> list[Oracle]:
        """The oracles of these specs; UnsupportedError if one of them cannot judge here."""
        return [make_oracle(spec, bench, limits=self.limits) for spec in specs]

    def examined(self, bench: Bench, specs: Sequence[str]) -> list[Oracle | OracleRow]:
        """The oracles of these specs; where one cannot judge on the bench, why not."""
        made: list[Oracle | OracleRow] = []
        for spec in specs:
            try:
                made.append(make_oracle(spec, bench, limits=self.limits))
            except UnsupportedError as error:
                made.append(OracleRow(spec, str(error)))
        if not any(isinstance(item, Oracle) for item in made):
            reasons = "; ".join(
                str(item.objection) for item in made if isinstance(item, OracleRow)
            )
            raise UnsupportedError(f"there is no oracle left: {reasons}")
        return made


@dataclass(frozen=True, eq=False)
class Parcel:
    """Pool states on their way to a judge; row i belongs to the entry `numbers[i]`."""

    numbers: tuple[int, ...]
    walks: tuple[int | None, ...]
    states: StateArray
    origins: tuple[Origin | None, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def of(cls, pool: Pool, start: int, stop: int) -> Parcel:
        """The entries `start` to `stop - 1` of the pool."""
        numbers = tuple(range(start, stop))
        walks = tuple(pool.entry(number).walk for number in numbers)
        origins = tuple(pool.origin(number) for number in numbers)
        return cls(numbers, walks, pool.states(numbers), origins)

    @classmethod
    def given(cls, states: StateArray, first: int = 0) -> Parcel:
        """States that came from no pool, numbered from `first`."""
        numbers = tuple(range(first, first + len(states)))
        nothing = (None,) * len(states)
        return cls(numbers, nothing, states, nothing)


class Judge(Closing):
    """Judges parcels on one bench; what it says of a state does not depend on the others."""

    def __init__(self, bench: Bench, oracles: Sequence[Oracle]) -> None:
        self.bench = bench
        self.oracles = oracles
        self._checker = Checker(bench.task.to_sas())

    def judge(self, parcel: Parcel) -> list[Judgement]:
        """One judgement per state, in order."""
        suspects = self.bench.suspects(parcel.states, parcel.origins)
        columns = [self._verdicts(oracle, suspects) for oracle in self.oracles]
        return [
            self._judgement(parcel, suspects, row, verdicts)
            for row, verdicts in enumerate(zip(*columns, strict=True))
        ]

    def close(self) -> None:
        """Let go of what the oracles hold."""
        for oracle in self.oracles:
            oracle.close()

    def _verdicts(self, oracle: Oracle, suspects: Suspects) -> list[VerdictRow]:
        """The oracle's verdicts; it works on all of them together, so each took the mean time."""
        start = time.perf_counter()
        verdicts = oracle.judge(suspects)
        if len(verdicts) != len(suspects):
            raise InternalError(f"oracle {oracle.spec} left out some of the states")
        seconds = (time.perf_counter() - start) / len(suspects)
        return [VerdictRow(oracle.spec, verdict, seconds) for verdict in verdicts]

    def _judgement(
        self, parcel: Parcel, suspects: Suspects, row: int, verdicts: tuple[VerdictRow, ...]
    ) -> Judgement:
        number, origin = parcel.numbers[row], parcel.origins[row]
        found_by = FoundBy(number, parcel.walks[row], origin.from_initial if origin else None)
        bugs, rejected = [], []
        for verdict in verdicts:
            if verdict.verdict.is_bug:
                proof = self._proof(parcel.states[row], verdict, found_by)
                if isinstance(proof, Bug):
                    bugs.append(proof)
                else:
                    rejected.append(proof)
        run = self._run_row(suspects, row)
        return Judgement(number, run, verdicts, _merged(number, bugs), tuple(rejected))

    def _run_row(self, suspects: Suspects, row: int) -> RunRow:
        runs = suspects.runs
        ending = int(runs.endings[row])
        failure = self.bench.graph.failure(int(runs.ids[row]))
        is_end = failure is not None and failure.ending == ending  # no limit came before it
        return RunRow(
            ending,
            int(runs.steps[row]),
            int(runs.costs[row]),
            float(suspects.values[row]),
            failure.detail if failure is not None and is_end else "",
        )

    def _proof(self, state: StateArray, row: VerdictRow, found_by: FoundBy) -> Bug | RejectedRow:
        number = found_by.number
        try:
            bug = make_bug(self.bench, state, row.verdict, oracle=row.oracle, found_by=found_by)
        except (InternalError, UsageError) as error:  # no plan, or one that cannot be followed
            return RejectedRow(number, row.oracle, str(error))
        try:
            self._checker.check(bug.certificate)
        except CertificateError as error:
            return RejectedRow(number, row.oracle, str(error), bug.certificate)
        return bug


def close_policy(policy: Policy) -> None:
    """Let go of a policy that we made."""
    if isinstance(policy, BoundPolicy):
        policy.close()


def _merged(number: int, bugs: Sequence[Bug]) -> BugRow | None:
    """The bug with the largest gap; of equal ones the first oracle's."""
    if not bugs:
        return None
    best = max(bugs, key=lambda bug: bug.gap)  # the first of equal ones
    return BugRow(number, best, tuple(bug.oracle for bug in bugs))
