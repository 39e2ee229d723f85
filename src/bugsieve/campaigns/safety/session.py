"""One session of a safety campaign: walk, analyse, store, until there is a reason to stop.

What is stored is always the first so many walks, with all that was found out about their runs. So
it does not matter where a session is cut: the next one goes on with the next walk.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bugsieve.campaigns.events import (
    ClaimRejected,
    Event,
    Listener,
    SafetyBugFound,
    SafetyRoundDone,
    SafetyStarted,
)
from bugsieve.campaigns.folder_session import FolderSession
from bugsieve.campaigns.safety.findings import Findings
from bugsieve.campaigns.safety.options import SafetyOptions
from bugsieve.fuzzing.unsafe_runs import UnsafeRunFuzzer, Walk
from bugsieve.policies.models.troubles import Troubles
from bugsieve.results.safety.folder import write_safety_timeline
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import (
    Finding,
    SafetyAddition,
    SafetyBugRow,
    SafetyHeader,
    SafetyProgress,
    SafetyTimelineRow,
    WalkRow,
)
from bugsieve.results.safety.store import SafetyStore
from bugsieve.tasks.jani.findings import ModelError

ALL_WALKS = "all walks made"
MODEL_FAULT = "the model is faulty"

_FIRST_WALKS = 4
_SHORT_ROUND, _LONG_ROUND = 0.25, 1.0


@dataclass
class SafetyCounters:
    """What the store holds already."""

    progress: SafetyProgress
    runs: int
    bugs: Counter[str]
    """By kind."""

    @classmethod
    def read(cls, records: SafetyRecords) -> SafetyCounters:
        """Those of a store."""
        kinds = records.bug_kinds().values()
        return cls(records.progress(), len(records.runs()), Counter(kinds))


class SafetySession(FolderSession):
    """Runs a safety campaign from where the store stands."""

    def __init__(
        self,
        store: SafetyStore,
        header: SafetyHeader,
        options: SafetyOptions,
        fuzzer: UnsafeRunFuzzer,
        findings: Findings,
        counters: SafetyCounters,
        troubles: Troubles,
        listener: Listener,
    ) -> None:
        super().__init__(store.directory, options.stop, counters.progress.seconds, listener)
        self._store = store
        self._header = header
        self._options = options
        self._fuzzer = fuzzer
        self._findings = findings
        self._counters = counters
        self._troubles = troubles
        self._before = counters.progress
        self._progress = counters.progress
        self._round_size = min(_FIRST_WALKS, options.round_walks)
        self._walks: list[WalkRow] = []
        self._fresh: list[Finding] = []
        """Walks and findings that are not stored yet."""

    def run(self) -> str:
        """Work until there is a reason to stop; returns it."""
        self._announce()
        reason = self._stop()
        try:
            while reason is None:
                reason = self._round() or self._stop()
        except ModelError as error:
            self._finish(MODEL_FAULT, str(error))
            raise
        self._finish(reason, reason)
        return reason

    def _announce(self) -> None:
        header, before = self._header, self._before
        resumed = before.seconds > 0
        self._tell(
            SafetyStarted(
                header.name,
                header.policy,
                self._options.fuzz.seed,
                header.oracles,
                resumed,
                before.walks,
                self._found,
            )
        )
        self._commit("resume" if resumed else "start")

    def _round(self) -> str | None:
        """Make some walks and analyse their runs; a reason if there are none left."""
        done, most = self._progress.walks, self._options.fuzz.walks
        if done >= most:
            return ALL_WALKS
        start = time.monotonic()
        for walk, seconds in self._made(range(done, min(done + self._round_size, most))):
            self._take(walk, seconds)
            if self._stop() is not None:
                break
            if self._commits.is_due():
                self._commit("round")
        self._commit("round")
        self._resize(time.monotonic() - start)
        return None

    def _made(self, numbers: range) -> Iterator[tuple[Walk, float]]:
        """The walks of these numbers, with the seconds that each took on average.

        If the model is faulty, those before the fault come first, as if they were made one by one.
        """
        start = time.perf_counter()
        try:
            walks = self._fuzzer.run(numbers)
        except ModelError:
            if len(numbers) == 1:
                raise
            for number in numbers:
                yield from self._made(range(number, number + 1))
            return
        seconds = time.perf_counter() - start
        self._progress = replace(
            self._progress, fuzz_seconds=self._progress.fuzz_seconds + seconds
        )
        for walk in walks:
            yield walk, seconds / len(walks)

    def _take(self, walk: Walk, seconds: float) -> None:
        finding = self._findings.of(walk)
        progress = replace(
            self._progress, walks=walk.number + 1, steps=self._progress.steps + walk.steps
        )
        if finding is not None and finding.bugs:
            now = self._watch.elapsed()
            progress = replace(progress, news_seconds=now, news_walk=walk.number + 1)
            bugs = tuple(replace(row, seconds=now) for row in finding.bugs)
            finding = replace(finding, bugs=bugs)
            self._counters.bugs.update(row.bug.kind for row in bugs)
        if finding is not None:
            self._counters.runs += 1
            self._fresh.append(finding)
        self._walks.append(
            WalkRow(walk.number, walk.outcome.value, walk.is_stopped, walk.steps, seconds)
        )
        self._progress = progress

    def _resize(self, seconds: float) -> None:
        """Rounds long enough to be worth it, and short enough to be stored soon."""
        if seconds < _SHORT_ROUND:
            self._round_size = min(2 * self._round_size, self._options.round_walks)
        elif seconds > _LONG_ROUND:
            self._round_size = max(self._round_size // 2, 1)

    def _stop(self) -> str | None:
        return self._watch.reason(
            bugs=self._found,
            news_seconds=self._progress.news_seconds if self._progress.walks else None,
        )

    @property
    def _found(self) -> int:
        return self._counters.bugs.total()

    def _commit(self, event: str, detail: str = "", *, finished: str | None = None) -> None:
        """Store what is not stored yet, then tell about it."""
        walks, self._walks = self._walks, []
        fresh, self._fresh = self._fresh, []
        self._progress = replace(
            self._progress,
            seconds=self._watch.elapsed(),
            troubles=_merged(self._before.troubles, self._troubles),
            finished=finished,
        )
        bugs = [row for finding in fresh for row in finding.bugs]
        events = [*self._bug_events(bugs), self._event(event, detail)]
        self._store.add(SafetyAddition(self._progress, walks, fresh, events))
        self._commits.done()
        news: list[Event] = [SafetyBugFound(bug) for bug in bugs]
        news += (ClaimRejected(row) for finding in fresh for row in finding.rejected)
        self._publish(bugs, [*news, self._round_done()] if event == "round" else news)

    def _event(self, event: str, detail: str) -> SafetyTimelineRow:
        progress = self._progress
        return SafetyTimelineRow(
            progress.seconds, event, progress.walks, self._counters.runs, self._found, detail
        )

    def _bug_events(self, bugs: list[SafetyBugRow]) -> Iterator[SafetyTimelineRow]:
        for count, row in enumerate(bugs, self._found - len(bugs) + 1):
            event = self._event("bug", f"{row.id} {row.bug.kind}")
            yield replace(event, seconds=row.seconds, walks=row.walk + 1, bugs=count)

    def _round_done(self) -> SafetyRoundDone:
        progress = self._progress
        spent = max(self._watch.session_seconds(), 1e-9)
        return SafetyRoundDone(
            walks=progress.walks,
            walk_limit=self._options.fuzz.walks,
            runs=self._counters.runs,
            different_runs=self._findings.different_runs,
            bugs=dict(self._counters.bugs),
            seconds=progress.seconds,
            walks_per_second=(progress.walks - self._before.walks) / spent,
            last_bug_seconds=progress.news_seconds if self._found else None,
        )

    def _write_timeline(self) -> None:
        with SafetyRecords(self._store.directory) as records:
            write_safety_timeline(records)


def _merged(before: str, troubles: Troubles) -> str:
    """What the policy did wrong in earlier sessions and in this one."""
    merged: dict[str, Any] = json.loads(before)
    for kind, trouble in troubles.to_json().items():
        known = merged.get(kind, {"answers": 0, "first": trouble["first"]})
        merged[kind] = {**known, "answers": known["answers"] + trouble["answers"]}
    return json.dumps(merged)
