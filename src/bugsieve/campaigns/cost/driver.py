"""Drives cost testing: rounds of walks fill a pool, whose states are judged in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bugsieve.campaigns.cost.bench import CostEquipment, plan_of
from bugsieve.campaigns.options import INTERLEAVED, CostOptions
from bugsieve.campaigns.session import Counts, Driver, Session
from bugsieve.fuzzing.fuzzer import Fuzzer
from bugsieve.fuzzing.pool import Pool
from bugsieve.judging.cases import Parcel
from bugsieve.judging.judge import Judge
from bugsieve.judging.ledger import Ledger, Remembered
from bugsieve.judging.workers import Answer, Judges, WorkerSetup, make_judges, parcel_size
from bugsieve.results.cost.records import CostRecords, PoolColumns
from bugsieve.results.cost.store import PoolPart
from bugsieve.results.progress import Progress
from bugsieve.tasks.fdr.task import Task


class CostDriver(Driver):
    """Fuzzes and judges, on one core or several."""

    def __init__(
        self,
        options: CostOptions,
        fuzzer: Fuzzer,
        judges: Judges,
        ledger: Ledger,
        before: Progress,
    ) -> None:
        self.seed = options.fuzz.seed
        self.workers = judges.count
        self._options = options
        self._fuzzer = fuzzer
        self._judges = judges
        self._ledger = ledger
        self._before = before
        self._stored = len(fuzzer.pool)
        self._worker_calls = 0
        self._seconds_per_state: float | None = None

    def step(self, session: Session) -> str | None:
        """Judge what is due, or else make one round; a reason if there is nothing to do."""
        interleaved = self._options.mode == INTERLEAVED
        pending = session.progress.judged < len(self._fuzzer.pool)
        if interleaved and pending:
            self._judge_pending(session)
            return None
        complete = self._fuzzer.finished
        if complete is not None and pending:
            self._judge_pending(session)
            return None
        if complete is not None:
            return complete
        entries = self._fuzzer.round()
        session.progress = replace(session.progress, rounds=session.progress.rounds + 1)
        if not entries:
            # A round that found nothing is not worth storing at once: it can be made again.
            session.commit_if_due()
        elif not interleaved:
            session.commit()
        return None

    def fresh_cases(self) -> PoolPart | None:
        """The pool entries since the last call."""
        numbers = range(self._stored, len(self._fuzzer.pool))
        self._stored = len(self._fuzzer.pool)
        if not numbers:
            return None
        pool = self._fuzzer.pool
        return PoolPart([pool.entry(number) for number in numbers], pool.states(numbers))

    def counts(self, progress: Progress) -> Counts:
        """The size of the pool, and how much of it is judged."""
        judged = progress.judged
        return Counts(len(self._fuzzer.pool), self._options.fuzz.pool_size, judged, judged)

    def progress(self, progress: Progress) -> Progress:
        """The progress with the counters of walks and policy calls."""
        before, fuzzer = self._before, self._fuzzer
        calls = before.policy_calls + fuzzer.bench.decisions_taken + self._worker_calls
        return replace(
            progress,
            walks=fuzzer.walks_done,
            steps=before.steps + fuzzer.steps_done,
            policy_calls=calls,
        )

    def close(self, *, at_once: bool) -> None:
        """End the processes that judge."""
        self._judges.close(at_once=at_once)

    def _judge_pending(self, session: Session) -> None:
        """Judge pool entries in order and store them, together with the round they are from."""
        each = self._options.mode != INTERLEAVED
        if session.progress.judged == 0:
            session.note_news()
        parcels = self._parcels(session.progress.judged)
        for answer in self._judges.judge(parcels, until=session.deadline):
            if not self._take(session, answer) or session.stop_reason() is not None:
                break
            if each:
                session.commit()
            else:
                session.commit_if_due()
        session.commit()

    def _take(self, session: Session, answer: Answer) -> bool:
        """Complete findings one after the other; False if there are enough bugs."""
        parcel, judged = answer
        self._worker_calls += judged.policy_calls if self._judges.count > 1 else 0
        self._seconds_per_state = judged.seconds / len(judged.findings)
        return all(
            session.accept(self._ledger.complete(parcel.case(row), finding))
            for row, finding in enumerate(judged.findings)
        )

    def _parcels(self, start: int) -> Iterator[Parcel]:
        pool = self._fuzzer.pool
        while start < len(pool):
            size = parcel_size(
                len(pool) - start,
                self._judges.count,
                self._options.batch_size,
                self._seconds_per_state,
            )
            yield Parcel.of(pool, start, start + size)
            start += size


def drive(equipment: CostEquipment, options: CostOptions, records: CostRecords) -> CostDriver:
    """The driver that goes on where the records end."""
    before = records.progress()
    bench, oracles = equipment.bench, equipment.oracles
    pool = _restored_pool(bench.task, records.pool())
    ledger = Ledger(bench, oracles)
    if ledger.learns:
        ledger.recall(_remembered(records, pool), records.bugs(), records.bounds())
    plain = [oracle for oracle in oracles if not oracle.learns]
    fuzzer = Fuzzer(bench, options.fuzz, pool=pool, walks_done=before.walks)
    specs = tuple(oracle.spec for oracle in plain)
    setup = WorkerSetup(equipment.saved, plan_of(options), specs, ledger.learns)
    judge = Judge(bench, plain, whole_runs=ledger.learns)
    judges = make_judges(judge, setup, options.workers)
    return CostDriver(options, fuzzer, judges, ledger, before)


def _remembered(records: CostRecords, pool: Pool) -> list[Remembered]:
    """The visits of earlier sessions, each with what oracles learnt there.

    A visit that was cut in the middle of its bugs is made again, so it is none of them.
    """
    runs, lessons = records.whole_runs(), records.lessons()
    judged = records.progress().judged
    parcel = Parcel.of(pool, 0, judged)
    return [
        Remembered(
            parcel.case(number),
            runs[parcel.visits[number].case],
            lessons.get(parcel.visits[number].number, ()),
        )
        for number in range(judged)
    ]


def _restored_pool(task: Task, columns: PoolColumns) -> Pool:
    pool = Pool(task)
    for number, state in enumerate(columns.states):
        parent, walk = int(columns.parents[number]), int(columns.walks[number])
        start, stop = columns.offsets[number : number + 2]
        pool.add(
            state,
            parent=None if parent < 0 else parent,
            actions=columns.actions[start:stop].tolist(),
            walk=None if walk < 0 else walk,
        )
    return pool
