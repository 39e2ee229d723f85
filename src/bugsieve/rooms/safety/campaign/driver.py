"""Drives safety testing: walks into danger, whose unsafe runs are examined in their order."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from bugsieve.base.current_activity import doing
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.campaigns.measured import low_risk
from bugsieve.campaigns.session import Counts, Driver, Session, known_order
from bugsieve.campaigns.store.progress import Progress, WalkRow
from bugsieve.pipeline.judging.findings import DeterminismCheck, Finding
from bugsieve.pipeline.judging.questions import FEWEST_RUNS
from bugsieve.pipeline.judging.stability import SetOrder
from bugsieve.pipeline.measuring.figures import Figures
from bugsieve.pipeline.measuring.looks import look_from
from bugsieve.policies.foreign.conversation import policy_notes
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.policies.model_policy_failures import Troubles
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import NETWORK
from bugsieve.rooms.safety.campaign.green import (
    NO_DANGER,
    Explored,
    certify,
    explored,
    is_impossible,
    is_wanted,
    without_green,
)
from bugsieve.rooms.safety.campaign.measuring import safety_figures
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import SafetyEquipment
from bugsieve.rooms.safety.causes import safety_cause_of
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.store.store import WalkPart
from bugsieve.rooms.safety.walks.determinism import SafetyDeterminism
from bugsieve.rooms.safety.walks.run_examiner import StoredRuns, UnsafeRunMemory, UnsafeRunRow
from bugsieve.rooms.safety.walks.stability import SafetyAsker
from bugsieve.rooms.safety.walks.unsafe_runs import UnsafeRunFuzzer, Walk
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

ALL_WALKS = "all walks made"

_FIRST_WALKS = 4
_SHORT_ROUND, _LONG_ROUND = 0.25, 1.0


class SafetyDriver(Driver):
    """Makes walks, some at a time, and has their unsafe runs examined."""

    def __init__(
        self,
        options: SafetyOptions,
        fuzzer: UnsafeRunFuzzer,
        memory: UnsafeRunMemory,
        order: SetOrder,
        policy: ModelPolicy,
        records: SafetyRecords,
        pending: tuple[tuple[int, UnsafeRun], ...],
    ) -> None:
        self.seed = options.fuzz.seed
        self._options = options
        self._fuzzer = fuzzer
        self._memory = memory
        self._order = order
        self._policy = policy
        self._most = options.stop.most_tests if options.measures else options.fuzz.walks
        self._directory = records.directory
        self._before = records.progress()
        self._runs = records.case_count()
        self._pending = pending
        """Runs whose visit was cut in the middle of its bugs: it is made again."""
        self._round_size = min(_FIRST_WALKS, options.fuzz.round_walks)
        self._explored: Explored | None = None
        self._walks: list[WalkRow] = []
        self._repeated: list[UnsafeRunRow] = []
        self.asks_again = not SafetyDeterminism(policy).is_exempt
        self._asked_again = 0

    def step(self, session: Session) -> str | None:
        """Make some walks and examine their runs; a reason if there are none left."""
        for number, run in self._pending:
            finding = self._memory.of(number, run)
            assert isinstance(finding, Finding)
            self._accept(session, finding)
        self._pending = ()
        done, most = session.progress.walks, self._most
        if session.stop_reason() is not None and done < most:
            return None
        if done >= most:
            return self._explore(session) or ALL_WALKS
        if self._options.measures and (reason := self._low_risk(done)) is not None:
            return reason
        start = time.monotonic()
        end = min(done + self._round_size, most, look_from(done + 1))
        for walk, seconds in self._made(session, range(done, end)):
            self._take(session, walk, seconds)
            if session.stop_reason() is not None:
                break
            session.commit_if_due()
        session.commit()
        self._resize(time.monotonic() - start)
        return None

    def left_nothing(self, progress: Progress) -> str | None:
        """A reason if there is no danger that a policy could meet."""
        return NO_DANGER if is_impossible(self._policy.model) else None

    def _explore(self, session: Session) -> str | None:
        """Look at all that the policy can come to; a reason if that shows nothing was tested."""
        with SafetyRecords(self._directory) as records:
            if self._explored is not None or not is_wanted(self._options, records):
                return None
        found = self._explored = explored(self._policy, self._options)
        if found.way is not None:
            self._take_way(session, found.way)
        return found.untested or None

    def _take_way(self, session: Session, way: UnsafeRun) -> None:
        """Take a way into danger that no walk found as that of one more walk."""
        if len(way) > self._options.step_limit:
            words = f"danger is {len(way)} steps away, beyond the limit on steps"
            self._explored = replace(self._explored or Explored(), way=None, why=words)
            return
        walk = Walk(session.progress.walks, WalkOutcome.UNSAFE, way, len(way))
        self._take(session, walk, 0.0)
        session.commit()

    def conclude(self) -> tuple[str, ...]:
        """Certify that the policy is safe, where the exploration has shown it."""
        found = self._explored
        if found is None:
            return ()
        if found.green is not None:
            with SafetyRecords(self._directory) as records:
                return certify(records, found.green, self._options)
        return without_green(found.why, self._options) if found.why else ()

    def _low_risk(self, done: int) -> str | None:
        """A reason if a measurement has come to a look at which its risk is low enough."""
        return low_risk(self._options.stop, done, self._figures)

    def _figures(self) -> Figures:
        with SafetyRecords(self._directory) as records:
            return safety_figures(records)

    def fresh_cases(self) -> WalkPart | None:
        """The walks since the last call."""
        part = WalkPart(self._walks, self._repeated) if self._walks else None
        self._walks, self._repeated = [], []
        return part

    def counts(self, progress: Progress) -> Counts:
        """The numbers of walks and of unsafe runs."""
        return Counts(self._runs, self._most, self._memory.different_runs, progress.walks)

    def progress(self, progress: Progress) -> Progress:
        """The progress with what the policy was asked and did wrong."""
        before, memory, order = self._before, self._memory, self._order
        beside = self._explored or Explored()
        again = memory.asker.calls + order.asked_again + beside.asked_again
        return replace(
            progress,
            policy_calls=before.policy_calls + self._fuzzer.decisions + beside.asked,
            asked_again=before.asked_again + again + self._asked_again,
            troubles=_merged(before.troubles, self._policy.troubles),
        )

    def ask_again(self, until: StopToken) -> DeterminismCheck | None:
        """Ask again in a sample of the states in which walks have asked."""
        with SafetyRecords(self._directory) as records:
            before, progress = records.check(), records.progress()
            if records.bugs_by_kind() or not progress.walks:
                return None
        if before is not None and before.settles(progress.walks):
            return None
        again, calls = SafetyDeterminism(self._policy, self.seed), self._fuzzer.decisions
        with until.active():
            if not len(self._policy.given()[0]):  # the last session was cut before it
                with suppress(Stopped):
                    self._fuzzer.run(range(min(FEWEST_RUNS, progress.walks)))
            check = again.check(
                progress.walks,
                steps=progress.steps,
                calls=progress.policy_calls + calls,
                everywhere=self._explored is not None,
            )
        self._asked_again += check.calls
        return self._with_explored(check).joined(before)

    def _with_explored(self, check: DeterminismCheck) -> DeterminismCheck:
        """The check with the answers that changed while all was explored, if these are more."""
        explored = self._explored
        if explored is None or explored.changed <= check.differing:
            return check
        states = max(check.states, explored.asked)
        return replace(check, states=states, differing=explored.changed)

    def notes(self) -> tuple[str, ...]:
        """The notes of the policy that walks ask."""
        return policy_notes(self._policy)

    def _made(self, session: Session, numbers: range) -> Iterator[tuple[Walk, float]]:
        """The walks of these numbers, with the seconds that each took on average.

        If the model is faulty, those before the fault come first, as if they were made one by one.
        """
        start = time.perf_counter()
        try:
            with doing(f"making walks from number {numbers.start} on"):
                walks = self._fuzzer.run(numbers)
        except ModelError:
            if len(numbers) == 1:
                raise
            for number in numbers:
                yield from self._made(session, range(number, number + 1))
            return
        seconds = time.perf_counter() - start
        spent = session.progress.fuzz_seconds + seconds
        session.progress = replace(session.progress, fuzz_seconds=spent)
        for walk in walks:
            yield walk, seconds / len(walks)

    def _take(self, session: Session, walk: Walk, seconds: float) -> None:
        """Note the walk, and have its run examined if it is unsafe."""
        found = None if walk.run is None else self._memory.of(walk.number, walk.run)
        session.progress = replace(
            session.progress,
            walks=walk.number + 1,
            steps=session.progress.steps + walk.steps,
            rounds=walk.number + 1,
        )
        self._walks.append(WalkRow(walk.number, walk.outcome.value, walk.steps, seconds))
        self._runs += found is not None
        if isinstance(found, Finding):
            self._accept(session, found)
        elif found is not None:
            self._repeated.append(found)

    def _accept(self, session: Session, finding: Finding) -> None:
        looked_at = self._order.looked_at(finding)
        session.accept(looked_at.with_causes(partial(safety_cause_of, self._policy.model)))

    def _resize(self, seconds: float) -> None:
        """Rounds long enough to be worth it, and short enough to be stored soon."""
        if seconds < _SHORT_ROUND:
            self._round_size = min(2 * self._round_size, self._options.fuzz.round_walks)
        elif seconds > _LONG_ROUND:
            self._round_size = max(self._round_size // 2, 1)


def drive(
    equipment: SafetyEquipment, options: SafetyOptions, records: SafetyRecords
) -> SafetyDriver:
    """The driver that goes on where the records end."""
    policy, judged = equipment.policy, records.progress().visits
    walks = list(records.digests().items())
    pending = tuple((walk, records.run(walk)) for _, walk in walks[judged:])
    stored = _stored_runs(records, dict(walks[:judged]), options.shared_runs)
    memory = UnsafeRunMemory(
        policy,
        options.oracles,
        stored,
        limits=options.limits,
        proof_rows=options.proof_rows,
        shared_runs=options.shared_runs,
        alone=options.alone,
        singly=options.measures,
    )
    order = SetOrder(SafetyAsker(policy), **known_order(records))
    return SafetyDriver(options, equipment.fuzzer, memory, order, policy, records, pending)


def _stored_runs(records: SafetyRecords, walks: dict[bytes, int], shared_runs: int) -> StoredRuns:
    first_of_group = len(walks) // shared_runs * shared_runs
    group = list(walks.values())[first_of_group:]
    done = set(walks.values())
    alone = records.alone(records.header.used_oracles[0])
    unstable = [(v, row.claim) for v, row in records.unstable_visits() if not row.cause]
    return StoredRuns(
        walks,
        tuple((walk, records.run(walk)) for walk in group),
        tuple(bug for bug, visit in records.bug_visits().items() if visit < first_of_group),
        frozenset(
            records.run(walk).states[row.position].tobytes() for walk, row in alone if walk in done
        ),
        tuple(claim for visit, claim in unstable if visit < first_of_group),
        frozenset(claim for visit, claim in unstable if first_of_group <= visit < len(walks)),
        any(NETWORK not in row.bug.certificate for row in records.first_bugs(1)),
    )


def _merged(before: str, troubles: Troubles) -> str:
    """The policy's failures in earlier sessions and in this one."""
    merged: dict[str, Any] = json.loads(before)
    for kind, trouble in troubles.to_json().items():
        known = merged.get(kind, {**trouble, "answers": 0})
        merged[kind] = {**known, "answers": known["answers"] + trouble["answers"]}
    return json.dumps(merged)
