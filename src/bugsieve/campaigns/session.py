"""One session of a campaign: fuzz, judge, store, until a stop rule holds or nothing is left.

What is stored is always a whole number of rounds, and of the pool entries the first `judged` have
their run and verdicts. So it does not matter where a session is cut: the next one goes on with the
entries that are not judged yet, and then with the next round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bugsieve.campaigns.events import (
    BugFound,
    CertificateRejected,
    Event,
    Listener,
    OracleSkipped,
    RoundDone,
    Started,
)
from bugsieve.campaigns.folder_session import FolderSession
from bugsieve.campaigns.judging import Parcel
from bugsieve.campaigns.options import INTERLEAVED, CampaignOptions
from bugsieve.campaigns.workers import Judges, parcel_size
from bugsieve.fuzzing.fuzzer import Fuzzer
from bugsieve.results.folder import write_timeline
from bugsieve.results.records import Records
from bugsieve.results.rows import (
    Addition,
    BugRow,
    CampaignHeader,
    Judgement,
    Progress,
    TimelineRow,
)
from bugsieve.results.store import Store


@dataclass
class Counters:
    """What the store holds already."""

    progress: Progress
    stored: int
    """Pool entries in the store."""
    bugs: Counter[str]
    """By kind."""


class Session(FolderSession):
    """Runs a campaign from where the store stands."""

    def __init__(
        self,
        store: Store,
        header: CampaignHeader,
        options: CampaignOptions,
        fuzzer: Fuzzer,
        judges: Judges,
        counters: Counters,
        listener: Listener,
    ) -> None:
        super().__init__(store.directory, options.stop, counters.progress.seconds, listener)
        self._store = store
        self._header = header
        self._options = options
        self._fuzzer = fuzzer
        self._judges = judges
        self._counters = counters
        self._before = counters.progress
        self._progress = counters.progress
        self._worker_calls = 0
        self._seconds_per_state: float | None = None
        self._found = counters.bugs.total()
        """Bugs, those included that are not stored yet."""
        self._fresh: list[Judgement] = []
        """Judgements that are not stored yet."""

    def run(self) -> str:
        """Work until there is a reason to stop; returns it."""
        self._announce()
        reason = self._stop()
        while reason is None:
            reason = self._step() or self._stop()
        self._finish(reason, reason)
        return reason

    def _announce(self) -> None:
        header, options = self._header, self._options
        resumed = self._before.seconds > 0
        self._tell(
            Started(
                header.task.name,
                header.policy,
                options.fuzz.seed,
                header.used_oracles,
                self._judges.count,
                resumed,
                len(self._fuzzer.pool),
                self._found,
            )
        )
        for oracle in header.oracles:
            if oracle.objection is not None:
                self._tell(OracleSkipped(oracle.spec, oracle.objection))
        self._commit("resume" if resumed else "start")

    def _step(self) -> str | None:
        """Judge what is due, or else make one round; a reason if there is nothing to do."""
        interleaved = self._options.mode == INTERLEAVED
        pending = self._progress.judged < len(self._fuzzer.pool)
        if interleaved and pending:
            self._judge_pending()
            return None
        complete = self._fuzzer.finished
        if complete is not None and pending:
            self._judge_pending()
            return None
        if complete is not None:
            return complete
        entries = self._fuzzer.round()
        self._progress = replace(self._progress, rounds=self._progress.rounds + 1)
        # A round that found nothing is not worth storing at once: it can be made again.
        if (entries and not interleaved) or (not entries and self._commits.is_due()):
            self._commit("round")
        return None

    def _judge_pending(self) -> None:
        """Judge pool entries in order and store them, together with the round they are from."""
        each = self._options.mode != INTERLEAVED
        if self._progress.judged == 0:
            self._note_news()
        for result in self._judges.judge(self._parcels(), until=self._watch.deadline()):
            self._worker_calls += result.policy_calls if self._judges.count > 1 else 0
            self._seconds_per_state = result.seconds / len(result.judgements)
            self._accept(result.judgements)
            if self._stop() is not None:
                break
            if each or self._commits.is_due():
                self._commit("round")
        self._commit("round")

    def _parcels(self) -> Iterator[Parcel]:
        pool, start = self._fuzzer.pool, self._progress.judged
        while start < len(pool):
            size = parcel_size(
                len(pool) - start,
                self._judges.count,
                self._options.batch_size,
                self._seconds_per_state,
            )
            yield Parcel.of(pool, start, start + size)
            start += size

    def _accept(self, judgements: list[Judgement]) -> None:
        """Take the judgements, up to the one that brings the last bug that is wanted."""
        most = self._options.stop.max_bugs
        for judgement in judgements:
            if most is not None and self._found >= most:
                return
            if judgement.bug is not None:
                self._found += 1
                judgement = replace(judgement, bug=self._dated(judgement.bug))
            self._fresh.append(judgement)
            self._progress = replace(self._progress, judged=judgement.number + 1)

    def _dated(self, bug: BugRow) -> BugRow:
        self._note_news()
        return replace(bug, seconds=self._progress.news_seconds)

    def _note_news(self) -> None:
        rounds = self._progress.rounds
        self._progress = replace(
            self._progress, news_seconds=self._watch.elapsed(), news_round=rounds
        )

    def _stop(self) -> str | None:
        """Which stop rule holds, those that do not depend on the clock first."""
        judging = self._progress.judged > 0
        return self._watch.reason(
            bugs=self._found,
            news_seconds=self._progress.news_seconds if judging else None,
            is_stale=self._has_stale_rounds(),
        )

    def _has_stale_rounds(self) -> bool:
        """Whether so many rounds in a row have been judged without a bug that it is enough."""
        most, progress = self._options.stop.stale_rounds, self._progress
        complete = progress.judged == len(self._fuzzer.pool)
        stale = progress.rounds - progress.news_round
        return most is not None and complete and stale >= most

    def _commit(self, event: str, detail: str = "", *, finished: str | None = None) -> None:
        """Store the entries and judgements that are not stored yet, then tell about them."""
        pool, counters = self._fuzzer.pool, self._counters
        fresh, self._fresh = self._fresh, []
        self._progress = self._current_progress(finished)
        numbers = range(counters.stored, len(pool))
        bugs = [judgement.bug for judgement in fresh if judgement.bug is not None]
        self._store.add(
            Addition(
                self._progress,
                [pool.entry(number) for number in numbers],
                pool.states(numbers),
                fresh,
                [*self._bug_events(bugs), self._event(event, detail)],
            )
        )
        self._commits.done()
        counters.stored = len(pool)
        counters.bugs.update(bug.bug.kind for bug in bugs)
        news: list[Event] = [BugFound(bug) for bug in bugs]
        news += (CertificateRejected(row) for judgement in fresh for row in judgement.rejected)
        self._publish(bugs, [*news, self._round_done()] if event == "round" else news)

    def _current_progress(self, finished: str | None) -> Progress:
        before, fuzzer = self._before, self._fuzzer
        calls = before.policy_calls + fuzzer.bench.decisions_taken + self._worker_calls
        return replace(
            self._progress,
            walks=fuzzer.walks_done,
            steps=before.steps + fuzzer.steps_done,
            policy_calls=calls,
            seconds=self._watch.elapsed(),
            finished=finished,
        )

    def _event(self, event: str, detail: str) -> TimelineRow:
        progress = self._progress
        pool = len(self._fuzzer.pool)
        return TimelineRow(
            progress.seconds, event, progress.walks, pool, progress.judged, self._found, detail
        )

    def _bug_events(self, bugs: list[BugRow]) -> Iterator[TimelineRow]:
        for count, row in enumerate(bugs, self._found - len(bugs) + 1):
            event = self._event("bug", f"{row.id} {row.bug.kind}")
            yield replace(event, seconds=row.seconds, judged=row.number + 1, bugs=count)

    def _round_done(self) -> RoundDone:
        progress, before = self._progress, self._before
        spent = max(self._watch.session_seconds(), 1e-9)
        return RoundDone(
            pool=len(self._fuzzer.pool),
            pool_size=self._options.fuzz.pool_size,
            judged=progress.judged,
            walks=progress.walks,
            rounds=progress.rounds,
            bugs=dict(self._counters.bugs),
            seconds=progress.seconds,
            states_per_second=(progress.judged - before.judged) / spent,
            policy_calls=progress.policy_calls,
            last_bug_seconds=progress.news_seconds if self._found else None,
        )

    def _write_timeline(self) -> None:
        with Records(self._store.directory) as records:
            write_timeline(self._store.directory, TimelineRow, records.timeline())
