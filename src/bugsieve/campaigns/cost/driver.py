"""Drives cost testing: rounds of walks fill a pool, whose states are judged in its order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.campaigns.cost.bench import CostEquipment, plan_of
from bugsieve.campaigns.cost.first_decisions import fails_alike
from bugsieve.campaigns.cost.green import certify
from bugsieve.campaigns.cost.measuring import cost_figures
from bugsieve.campaigns.cost.patterns import pattern_notes
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.small_examples import examples_made, examples_of_causes
from bugsieve.campaigns.cost.store import PoolPart
from bugsieve.campaigns.cost.summary import summarise
from bugsieve.campaigns.cost.taken_pool import restored_pool
from bugsieve.campaigns.cost.whole import NO_PLAN, Certificates, whole_note
from bugsieve.campaigns.measured import low_risk
from bugsieve.campaigns.options import INTERLEAVED, POOL, CostOptions
from bugsieve.campaigns.session import Counts, Driver, Session, known_order
from bugsieve.campaigns.session_clock import without_reserve
from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.schema import STORE_FILE, damaged
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.cases import Parcel, StateCase, Visit
from bugsieve.pipeline.judging.determinism import CostDeterminism, JudgedRuns
from bugsieve.pipeline.judging.escalation import Due, Escalation, outlay_of
from bugsieve.pipeline.judging.findings import DeterminismCheck, Finding
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.ledger import Ledger, StoredVisit
from bugsieve.pipeline.judging.stability import CostAsker, SetOrder
from bugsieve.pipeline.judging.workers import (
    Answer,
    Judges,
    WorkerSetup,
    judged,
    make_judges,
    parcel_size,
)
from bugsieve.pipeline.measuring.figures import Figures
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.novelty import Loosened
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.pipeline.pool.sample import Sample, SampleFuzzer
from bugsieve.pipeline.pool.whole import WholePool, WholeSpace
from bugsieve.policies.foreign.conversation import policy_notes

POOL_TAKEN = "the pool that was taken over is judged"


class CostDriver(Driver):
    """Fuzzes and judges, on one core or several, and visits again what was left open."""

    def __init__(
        self,
        options: CostOptions,
        fuzzer: Fuzzer | SampleFuzzer | WholeSpace,
        judges: Judges,
        again: Judge,
        ledger: Ledger,
        escalation: Escalation,
        order: SetOrder,
        records: CostRecords,
    ) -> None:
        self.seed = options.fuzz.seed
        self.workers = judges.count
        self._options = options
        self._fuzzer = fuzzer
        self._judges = judges
        self._again = again
        """Makes the visits that come between others, whatever the judges are doing."""
        self._ledger = ledger
        self._escalation = escalation
        self._order = order
        self._directory = records.directory
        self._reachable = records.header.reachable
        self._bugs = set(records.bug_kinds())
        """Ids of all bugs, by which a measurement knows those of states that come again."""
        known = (member.cause for member in records.members_of_causes())
        self._certificates = Certificates(known) if self._is_whole else None
        self._before = records.progress()
        self._judged = records.judged()
        """Pool entries that were visited; the next one has this number."""
        self._stored = len(fuzzer.pool)
        self._counted = fuzzer.counts
        self._worker_calls = 0
        self._worker_again = 0
        self.asks_again = not CostDeterminism(again.bench).is_exempt
        self._seconds_per_state: float | None = None
        self._calls_per_state: float | None = None
        self._recalled = 0
        """Calls by which the determinism check made runs again; it counts them itself."""
        rules = without_reserve(options.stop) if self.asks_again else options.stop
        self._most_calls = rules.max_calls

    def left_nothing(self, progress: Progress) -> str | None:
        """A reason if no plan exists, so that no run could be better than the policy's."""
        has_no_plan = self._reachable is not None and self._reachable.why == NO_PLAN
        return NO_PLAN if has_no_plan else None

    def step(self, session: Session) -> str | None:
        """Judge what is due, or else make one round; a reason if there is nothing to do."""
        complete = POOL_TAKEN if self._options.pool_from is not None else self._fuzzer.finished
        is_pending = self._judged < len(self._fuzzer.pool)
        if complete is None and not is_pending:
            complete = self._low_risk()
        if complete is not None and not is_pending:
            rest = self._escalation.rest()
            if not rest:
                return complete
            self._judge(session, map(self._parcel_again, filter(self._escalation.awaits, rest)))
            return None
        if self._escalation.due() is not None:  # the last session was cut before it
            self._escalate(session)
            session.commit()
        elif is_pending and (self._options.mode == INTERLEAVED or complete is not None):
            self._judge(session, self._parcels())
        else:
            self._round(session)
        return None

    def _low_risk(self) -> str | None:
        """A reason if a measurement has come to a look at which its risk is low enough."""
        return low_risk(self._options.stop, self._fuzzer.walks_done, self._figures)

    def _figures(self) -> Figures:
        with CostRecords(self._directory) as records:
            return cost_figures(records)

    def fresh_cases(self) -> PoolPart | None:
        """The pool entries since the last call."""
        numbers = range(self._stored, len(self._fuzzer.pool))
        self._stored = len(self._fuzzer.pool)
        if not numbers:
            return None
        pool = self._fuzzer.pool
        return PoolPart([pool.entry(number) for number in numbers], pool.states(numbers))

    def walked(self) -> str:
        """What became of the states that walks have offered since the last call."""
        before, self._counted = self._counted, self._fuzzer.counts
        return str(self._counted - before) if self._counted != before else ""

    def counts(self, progress: Progress) -> Counts:
        """The size of the pool or of the sample, and how much of it is judged."""
        options, cases, judged = self._options, len(self._fuzzer.pool), self._judged
        if options.measures:
            return Counts(cases, options.stop.most_tests, judged, judged, "tests")
        limit = cases if self._is_whole else options.fuzz.pool_size
        return Counts(cases, limit, judged, judged)

    @property
    def _is_whole(self) -> bool:
        return self._reachable is not None and self._reachable.is_whole

    def progress(self, progress: Progress) -> Progress:
        """The progress with the counters of walks and policy calls."""
        before, fuzzer = self._before, self._fuzzer
        return replace(
            progress,
            walks=fuzzer.walks_done,
            loosened=fuzzer.loosened.times,
            loosened_walks=fuzzer.loosened.walks,
            steps=before.steps + fuzzer.steps_done,
            policy_calls=self._calls,
            asked_again=self._calls_again,
        )

    @property
    def _calls(self) -> int:
        """Questions to the policy in all sessions."""
        here = self._fuzzer.bench.decisions_taken - self._recalled + self._worker_calls
        return self._before.policy_calls + here

    @property
    def _calls_again(self) -> int:
        """Those beside them, which compare answers."""
        here = self._fuzzer.bench.source.calls.again + self._recalled + self._worker_again
        return self._before.asked_again + here

    def notes(self) -> tuple[str, ...]:
        """Of the policy that walks ask, and of oracles that learn."""
        told = (whole_note(self._reachable),) if self._reachable and self._is_whole else ()
        return (*told, *policy_notes(self._fuzzer.bench.policy), *self._ledger.notes())

    def ask_again(self, until: StopToken) -> DeterminismCheck | None:
        """Ask again about a sample of the runs, or in every state where all are tested."""
        with CostRecords(self._directory) as records:
            before, summary = records.check(), summarise(records)
            judged = _judged_runs(records, self._fuzzer.pool)
        is_settled = before is not None and before.settles(len(judged))
        if is_settled or not len(judged) or not (summary.bugs or summary.is_telling):
            return None
        bench, most = self._again.bench, self._options.stop.max_calls
        if most is not None:
            bench.limit_calls(most - self._calls - self._calls_again)
        if summary.bugs:
            with suppress(Stopped), until.active():
                return fails_alike(bench, summary, judged)
            return None
        again = CostDeterminism(bench, self.seed)
        everywhere = self._is_whole and len(judged) == len(self._fuzzer.pool)
        with until.active():
            check = again.check(judged, calls=self._calls, everywhere=everywhere)
        self._recalled += again.calls_of_runs
        return check.joined(before)

    def patterns(self, *, search: bool) -> Mapping[str, Any]:
        """The rules that explain several bugs."""
        with CostRecords(self._directory) as records:
            return pattern_notes(records, self._again.bench, search=search)

    def conclude(self) -> tuple[str, ...]:
        """Certify that there is no bug, or make the smallest example of each cause listed."""
        with CostRecords(self._directory) as records:
            summary = summarise(records)
            if summary.is_whole_green:
                if summary.check is not None and not summary.check.is_complete:
                    why = summary.check.cut
                    return (f"no certificate: not asked again in every state ({why})",)
                return certify(records, self._again.bench)
        if not self._options.examples or self._most_calls is not None:
            return ()  # examples ask the policy, too
        with CostRecords(self._directory) as records:
            header, bugs = records.header, examples_of_causes(records)
        bench, most = self._again.bench, self._options.examples
        return examples_made(self._directory, header, bench, bugs, candidates=most)

    def close(self, *, at_once: bool) -> None:
        """End the processes that judge."""
        self._judges.close(at_once=at_once)

    def _round(self, session: Session) -> None:
        """Let some walks look for new test states."""
        with doing(f"making walks from number {self._fuzzer.walks_done} on"):
            entries = self._fuzzer.round()
        session.progress = replace(session.progress, rounds=session.progress.rounds + 1)
        if not entries:
            # A round that found nothing is not worth storing at once: it can be made again.
            session.commit_if_due()
        elif self._options.mode != INTERLEAVED:
            session.commit()

    def _judge(self, session: Session, parcels: Iterator[Parcel]) -> None:
        """Make visits in order and store them, together with the round they are from."""
        each = self._options.mode != INTERLEAVED
        if session.progress.visits == 0:
            session.note_news()
        for answer in self._judges.judge(parcels, until=session.deadline):
            if not self._take(session, answer) or session.stop_reason() is not None:
                break
            if each:
                session.commit()
            else:
                session.commit_if_due()
        session.commit()

    def _take(self, session: Session, answer: Answer) -> bool:
        """Complete findings one after the other; False if a stop rule holds."""
        parcel, said = answer
        if self._judges.count > 1:
            self._worker_calls += said.policy_calls
            self._worker_again += said.asked_again
        if not parcel.effort:
            self._seconds_per_state = said.seconds / len(said.findings)
            self._calls_per_state = said.policy_calls / len(said.findings)
        return all(
            self._accept(session, parcel.case(row), finding)
            and (parcel.effort > 0 or self._escalate(session))
            for row, finding in enumerate(said.findings)
            if self._is_wanted(finding.visit)
        )

    def _is_wanted(self, visit: Visit) -> bool:
        """Whether a visit is to be made after all: one with more effort may have become idle."""
        return not visit.effort or self._escalation.awaits(Due(visit.case, visit.effort))

    def _accept(self, session: Session, case: StateCase, finding: Finding) -> bool:
        """Number and complete a finding; False if there are enough bugs."""
        made = session.progress.visits
        complete = self._order.looked_at(self._ledger.complete(case, finding.at(made)))
        if self._options.measures:
            complete = complete.with_sightings(self._bugs)
        with doing(f"naming the causes of bugs at state {case.number}"):
            complete = complete.with_causes(partial(cause_of, self._again.bench))
        if self._certificates is not None:
            complete = self._certificates.trimmed(complete)
        self._judged += not finding.visit.effort
        goes_on = session.accept(complete)
        if session.progress.visits == made:  # cut in the middle of its bugs
            self._judged -= not finding.visit.effort
        else:
            self._escalation.note(outlay_of(complete))
            if self._certificates is not None:
                self._certificates.note(complete)
            self._bugs.update(row.id for row in complete.bugs)
        return goes_on

    def _escalate(self, session: Session) -> bool:
        """Visit again what comes before the next case; False if a stop rule holds."""
        while (due := self._escalation.due()) is not None:
            parcel = self._parcel_again(due)
            answer = judged(self._again, parcel)
            goes_on = self._accept(session, parcel.case(0), answer.findings[0])
            if not goes_on or session.stop_reason() is not None:
                return False
            session.commit_if_due()
        return True

    def _parcel_again(self, due: Due) -> Parcel:
        return Parcel.of(self._fuzzer.pool, due.case, due.case + 1, effort=due.level)

    def _parcels(self) -> Iterator[Parcel]:
        pool, start = self._fuzzer.pool, self._judged
        while start < len(pool):
            size = parcel_size(
                len(pool) - start,
                self._judges.count,
                self._options.batch_size,
                self._seconds_per_state,
            )
            if self._most_calls is not None:
                size = min(size, self._affordable(self._most_calls))
            yield Parcel.of(pool, start, start + size)
            start += size

    def _affordable(self, most: int) -> int:
        """So few states that they do not spend the calls that are left; at least one."""
        if self._calls_per_state is None:
            return 1
        left = most - self._calls - self._calls_again
        return max(1, int(left / (4 * self._judges.count * max(self._calls_per_state, 1.0))))


def drive(equipment: CostEquipment, options: CostOptions, records: CostRecords) -> CostDriver:
    """The driver that goes on where the records end."""
    bench, oracles = equipment.bench, equipment.oracles
    _limit_calls(bench, options, records)
    plan = replace(plan_of(options), recorded=equipment.recorded)
    pool = restored_pool(_empty_pool(bench, options, records), records.pool())
    carries = options.fuzz.along_runs and options.mode != POOL
    ledger = Ledger(bench, oracles, carries=carries)
    if ledger.remembers:
        _recall(ledger, records, pool)
    plain = [oracle for oracle in oracles if not oracle.learns]
    fuzzer = _fuzzer(bench, options, pool, records.progress())
    specs = tuple(oracle.spec for oracle in plain)
    whole_runs = ledger.remembers or options.mode == POOL
    kept = {"whole_runs": whole_runs, "carries": carries, "repeats": options.measures}
    setup = WorkerSetup(equipment.saved, plan, specs, **kept)
    judge = Judge(bench, plain, plan.escalating(bench), **kept)
    escalation = Escalation(plan.escalation, at_once=options.measures)
    if records.levels() > len(plan.escalation):
        raise damaged(records.directory, "table visits: there is more effort than was asked for")
    for outlay in records.outlays():
        escalation.note(outlay)
    escalation.settle(records.cut_cases())
    order = SetOrder(CostAsker(bench), **known_order(records))
    judges = make_judges(judge, setup, options.workers)
    return CostDriver(options, fuzzer, judges, judge, ledger, escalation, order, records)


def _limit_calls(bench: Bench, options: CostOptions, records: CostRecords) -> None:
    """Leave the work what the budget of calls has for it; the rest is for asking again."""
    is_exempt = CostDeterminism(bench).is_exempt
    most = (options.stop if is_exempt else without_reserve(options.stop)).max_calls
    if most is not None:
        bench.limit_calls(most - records.progress().all_calls - bench.decisions_taken)


def _judged_runs(records: CostRecords, pool: Pool) -> JudgedRuns:
    runs = records.runs()
    ends = zip(runs.endings.tolist(), runs.steps.tolist(), runs.costs.tolist(), strict=True)
    numbers = range(len(runs))
    return JudgedRuns(numbers, pool.states(numbers), list(ends))


def _empty_pool(bench: Bench, options: CostOptions, records: CostRecords) -> Pool:
    if options.measures:
        return Sample(bench.task)
    reachable = records.header.reachable
    is_whole = reachable is not None and reachable.is_whole
    return WholePool(bench.exact_costs()) if is_whole else Pool(bench.task)


def _fuzzer(
    bench: Bench, options: CostOptions, pool: Pool, before: Progress
) -> Fuzzer | SampleFuzzer | WholeSpace:
    """Who makes the cases: nobody where all states are known, walks, or a measurement."""
    if isinstance(pool, WholePool):
        return WholeSpace(bench, pool)
    if not isinstance(pool, Sample):
        loosened = Loosened(before.loosened, before.loosened_walks)
        return Fuzzer(bench, options.fuzz, pool=pool, walks_done=before.walks, loosened=loosened)
    most = options.stop.most_tests
    return SampleFuzzer(
        bench, options.fuzz, options.part, most, pool=pool, walks_done=before.walks
    )


def _recall(ledger: Ledger, records: CostRecords, pool: Pool) -> None:
    """Make the memory of oracles again; InputError where nobody could have learnt that."""
    visits = _stored_visits(records, pool)
    try:
        ledger.recall(visits, records.bugs(), records.bounds(), records.unstable())
    except InputError as error:
        raise InputError(
            f"{records.directory / STORE_FILE}: is damaged (table lessons: {error}); its bugs can "
            "be shown, but it cannot go on"
        ) from None
    except (UsageError, OverflowError):
        raise damaged(records.directory, "table runs: a run is none of the task") from None


def _stored_visits(records: CostRecords, pool: Pool) -> list[StoredVisit]:
    """The first visits of earlier sessions, each with what oracles learnt there.

    A visit that was cut in the middle of its bugs is made again, so it is none of them.
    """
    runs, lessons, visits = records.whole_runs(), records.lessons(), records.first_visits()
    count = records.judged()
    lost = next((n for n in range(count) if n not in runs or n not in visits), None)
    if lost is not None:
        raise damaged(records.directory, f"table runs, row {lost}: the whole run is missing")
    parcel = Parcel.of(pool, 0, count)
    return [
        StoredVisit(parcel.case(number), runs[number], lessons.get(visits[number], ()))
        for number in range(count)
    ]
