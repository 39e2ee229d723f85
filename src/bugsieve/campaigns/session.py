"""One session of a campaign of whatever kind: a fold over visits, stored as it goes.

What is stored is always a whole number of rounds of cases, and of visits the first `visits` with
all that was found out at them. So it does not matter where a session is cut: the next one goes on
with the visit after them. The driver of the kind makes cases and findings; here they are counted,
dated, stored and told about.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import SubjectError
from bugsieve.base.stopping import Stopped, StopToken, postponed
from bugsieve.campaigns.events import (
    AnswersDiffer,
    BugFound,
    BugImproved,
    ClaimRejected,
    Event,
    Finished,
    Listener,
    Noted,
    OracleSkipped,
    RoundDone,
    Started,
)
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.session_clock import (
    MAX_CALLS,
    MAX_TIME,
    Pace,
    StopWatch,
    seconds_to_check,
    without_reserve,
)
from bugsieve.campaigns.store.folder import BUGS_IN_FILES, write_bugs, write_timeline
from bugsieve.campaigns.store.progress import Addition, CampaignHeader, Progress, TimelineRow
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.store import Store
from bugsieve.explanation.causes.pattern import NOTE
from bugsieve.pipeline.judging.findings import BugRow, DeterminismCheck, Finding
from bugsieve.policies.call_counter import CallsSpent

MODEL_FAULT = "the model is faulty"

_COMMIT_SECONDS = 1.0
"""A round that takes longer is stored in parts, so that little is lost when we die."""
_TIMELINE_SECONDS = 10.0


@dataclass(frozen=True)
class Counts:
    """Where the driver of a campaign stands."""

    cases: int
    limit: int
    judged: int
    """Pool states that were judged, or different unsafe runs."""
    done: int
    """What the speed is measured in: judged pool states, or walks."""
    noun: str = "pool"
    """What people are told that the cases are."""


def known_order(records: CampaignRecords[Any]) -> dict[str, Any]:
    """What earlier sessions know of the order of sets, for `SetOrder`."""
    is_known = any(row.cause for row in records.unstable())
    return {"bugs": sum(records.bugs_by_kind().values()), "is_known": is_known}


class Driver(ABC):
    """What a kind of campaigns does in a session: makes cases, and has them examined."""

    seed: int = 0
    workers: int = 1
    asks_again: bool = False
    """True if the policy is asked again at the end, for which time and calls are kept."""

    @abstractmethod
    def step(self, session: Session) -> str | None:
        """Do some of the work, and hand the findings to the session; a reason if none is left."""

    def left_nothing(self, progress: Progress) -> str | None:
        """A reason if no work is left whatever the clock says; None if `step` has to find out."""
        return None

    @abstractmethod
    def fresh_cases(self) -> Any:
        """The cases since the last call, in the form that the store takes; None for none."""

    @abstractmethod
    def counts(self, progress: Progress) -> Counts:
        """Where it stands."""

    def progress(self, progress: Progress) -> Progress:
        """The progress with the counters that the driver keeps."""
        return progress

    def walked(self) -> str:
        """What became of walks since the last call, for the timeline; empty for nothing."""
        return ""

    def notes(self) -> tuple[str, ...]:
        """What users should know of the policy or an oracle although no run shows it."""
        return ()

    def ask_again(self, until: StopToken) -> DeterminismCheck | None:
        """Ask the policy again about runs without a bug, all of which are stored.

        None if there is no need to. The driver counts these calls in its progress.
        """
        return None

    def patterns(self, *, search: bool) -> Mapping[str, Any]:
        """What bugs have in common, as notes by their ids; searches only where it may."""
        return {}

    def conclude(self) -> tuple[str, ...]:
        """Do what is left when no work is, and all is stored; notes on it."""
        return ()

    def close(self, *, at_once: bool) -> None:  # noqa: B027 - most hold nothing
        """Let go of everything; `at_once` if there may be work under way."""


class Session:
    """Runs a campaign from where the store stands."""

    def __init__(
        self,
        kind: str,
        store: Store,
        records: CampaignRecords[Any],
        options: CampaignOptions,
        driver: Driver,
        listener: Listener,
    ) -> None:
        self.progress = records.progress()
        """How far the campaign has come; drivers change what concerns them."""
        self._kind = kind
        self._store = store
        self._read = type(records)
        self._header: CampaignHeader = records.header
        self._options = options
        self._driver = driver
        self._tell = listener
        self._before = self.progress
        self._is_resumed = any(True for _ in records.each_moment())
        rules = without_reserve(options.stop) if driver.asks_again else options.stop
        self._watch = StopWatch(rules, self.progress.seconds)
        self._commits = Pace(_COMMIT_SECONDS)
        # Rarely, and ever more so: the file is written anew each time.
        self._timeline = Pace(_TIMELINE_SECONDS, share=0.25)
        self._bugs = Counter(records.bugs_by_kind())
        self._found = self._bugs.total()
        """Bugs, those included that are not stored yet."""
        self._cut = records.bugs_of_visit(self.progress.visits)
        """Bugs of a visit that was cut in their middle and is made again."""
        self._has_room = True
        """Whether another bug gets a file of its own."""
        self._fresh: list[Finding] = []
        """Findings that are not stored yet."""
        self._noted: set[str] = set()
        self._dates: dict[str, float] = {}
        """When the bugs that are not stored yet were found, by their ids."""
        self._judged: dict[str, int] = {}
        """How many cases had been judged when bugs that are not stored yet were found."""
        self._done_before = driver.counts(self.progress).done

    def run(self) -> str:
        """Work until there is a reason to stop; returns it."""
        self._announce()
        reason = self._driver.left_nothing(self.progress) or self.stop_reason()
        try:
            with StopToken(self.deadline).active():
                while reason is None:
                    reason = self._driver.step(self) or self.stop_reason()
        except CallsSpent:
            reason = MAX_CALLS
        except Stopped:
            reason = MAX_TIME  # the visit or round under way is dropped, and made again later
        except SubjectError as error:
            self._finish(MODEL_FAULT, str(error))
            raise
        self._finish(reason, reason)
        return reason

    @property
    def deadline(self) -> float | None:
        """When work must stop, on the monotonic clock."""
        return self._watch.deadline()

    def accept(self, finding: Finding) -> bool:
        """Take the next finding; False once there are as many bugs as are wanted.

        The finding that brings more is taken up to the last bug that is wanted. Its visit does
        not count as made then: should more bugs be wanted later, it is made again.
        """
        bugs = [row for row in finding.bugs if row.id not in self._cut]
        most = self._options.stop.max_bugs
        room = len(bugs) if most is None else max(0, most - self._found)
        if not room and bugs:
            return False
        is_whole = len(bugs) <= room
        dropped = {row.id for row in bugs[room:]}
        sightings = tuple(s for s in finding.sightings if s.bug not in dropped)
        dated = tuple(self._dated(row) for row in bugs[:room])
        self._found += len(dated)
        self._dates.update((row.id, row.seconds) for row in dated)
        judged = self._driver.counts(self.progress).judged
        self._judged.update((row.id, judged) for row in dated)
        improved = tuple(replace(row, seconds=self._date(row.id)) for row in finding.improved)
        changed = replace(finding, bugs=dated, improved=improved, sightings=sightings)
        self._fresh.append(changed)
        if is_whole:
            self.progress = replace(self.progress, visits=finding.visit.number + 1)
            self._cut = frozenset()
        return is_whole and (most is None or self._found < most)

    def note_news(self) -> None:
        """The time without news begins now."""
        self.progress = replace(
            self.progress, news_seconds=self._watch.elapsed(), news_round=self.progress.rounds
        )

    def stop_reason(self) -> str | None:
        """Which stop rule holds, those that do not depend on the clock first."""
        has_begun = self._driver.counts(self.progress).done > 0
        return self._watch.reason(
            bugs=self._found,
            news_seconds=self.progress.news_seconds if has_begun else None,
            is_stale=self._has_stale_rounds(),
            calls=self._driver.progress(self.progress).all_calls,
        )

    def commit_if_due(self) -> None:
        """Store what there is if that was not done for some time."""
        if self._commits.is_due():
            self.commit()

    def commit(
        self,
        event: str = "round",
        detail: str = "",
        finished: str | None = None,
        check: DeterminismCheck | None = None,
    ) -> None:
        """Store what is not stored yet, in one transaction, then tell about it."""
        with postponed(), doing("storing what was found"):
            self._commit(event, detail, finished, check)

    def _commit(
        self, event: str, detail: str, finished: str | None, check: DeterminismCheck | None
    ) -> None:
        fresh, self._fresh = self._fresh, []
        self.progress = replace(
            self._driver.progress(self.progress),
            seconds=self._watch.elapsed(),
            finished=finished,
        )
        bugs = [row for finding in fresh for row in finding.bugs]
        improved = [
            row
            for finding in fresh
            for row in finding.improved
            if row.changed == finding.visit.number  # else it has only one more finder
        ]
        events = [*self._bug_moments(bugs, improved)]
        if walked := self._driver.walked():
            events.append(self._moment("walks", walked))
        events.append(self._moment(event, detail))
        cases = self._driver.fresh_cases()
        self._store.add(Addition(self.progress, cases, fresh, events, check))
        self._commits.done()
        self._dates.clear()
        room = max(0, BUGS_IN_FILES - self._bugs.total())
        self._bugs.update(row.bug.kind for row in bugs)
        room = room if self._has_room else 0
        is_open = write_bugs(self._directory, bugs[:room], improved)
        self._has_room = self._has_room and is_open
        self._publish(fresh, bugs, improved, is_round=event == "round")

    def _publish(
        self,
        fresh: Sequence[Finding],
        bugs: Sequence[BugRow[Any]],
        improved: Sequence[BugRow[Any]],
        *,
        is_round: bool,
    ) -> None:
        """Tell what has just been stored."""
        news: list[Event] = [BugFound(row) for row in bugs]
        news += (BugImproved(row) for row in improved)
        news += (ClaimRejected(row) for finding in fresh for row in finding.rejected)
        news += (AnswersDiffer(row) for finding in fresh for row in finding.unstable)
        for event in [*news, self._round_done()] if is_round else news:
            self._tell(event)
        for note in self._driver.notes():
            if note not in self._noted:
                self._noted.add(note)
                self._tell(Noted(note))
        if self._timeline.is_due():
            self._renew_timeline()

    def _announce(self) -> None:
        header, before = self._header, self._before
        resumed = self._is_resumed
        self._tell(
            Started(
                header.subject.name,
                header.policy,
                self._driver.seed,
                header.used_oracles,
                self._driver.workers,
                resumed,
                before.walks,
                self._driver.counts(before).cases,
                self._found,
            )
        )
        for oracle in header.oracles:
            if oracle.objection is not None:
                self._tell(OracleSkipped(oracle.spec, oracle.objection))
        self.commit("resume" if resumed else "start")

    def _finish(self, reason: str, detail: str) -> None:
        """Ask the policy again, then store and tell why the session ends."""
        check = None if reason == MODEL_FAULT else self._check()
        self.commit("end", detail, reason, check)
        for row in () if check is None else check.rows:
            self._tell(AnswersDiffer(row))
        self._renew_timeline()
        if reason != MODEL_FAULT:
            self._find_patterns(search=reason != MAX_TIME)
        if reason not in (MAX_CALLS, MAX_TIME, MODEL_FAULT):
            self._conclude()
        self._tell(Finished(reason))

    def _check(self) -> DeterminismCheck | None:
        """Ask the policy again about the runs that are stored."""
        if not self._driver.asks_again:
            return None
        if self._fresh:
            self.commit()
        seconds = seconds_to_check(self._options.stop, self._watch.elapsed())
        until = None if seconds is None else time.monotonic() + seconds
        with doing("asking the policy again"):
            return self._driver.ask_again(StopToken(until))

    def _find_patterns(self, *, search: bool) -> None:
        """Find out what all bugs have in common, unless that is known of the same ones."""
        visits = self.progress.visits
        if self._found and self._store.notes_after(NOTE) != visits:
            with doing("finding what bugs have in common"):
                found = self._driver.patterns(search=search)
                self._store.put_notes(NOTE, found, visits=visits if search else None)

    def _conclude(self) -> None:
        """What is left, in the time that is; the next session does what this one does not."""
        with suppress(Stopped), StopToken(self.deadline).active():
            for note in self._driver.conclude():
                self._tell(Noted(note))

    def _dated(self, row: BugRow[Any]) -> BugRow[Any]:
        self.note_news()
        return replace(row, seconds=self.progress.news_seconds)

    def _date(self, bug: str) -> float:
        """When a bug was found, be it stored already or not."""
        known = self._dates.get(bug)
        return self._store.found_at(bug) if known is None else known

    def _has_stale_rounds(self) -> bool:
        """Whether so many rounds in a row have been judged without a bug that it is enough."""
        most, progress = self._options.stop.stale_rounds, self.progress
        if most is None:
            return False
        counts = self._driver.counts(progress)
        stale = progress.rounds - progress.news_round
        return counts.judged == counts.cases and stale >= most

    def _moment(self, event: str, detail: str) -> TimelineRow:
        progress = self.progress
        counts = self._driver.counts(progress)
        return TimelineRow(
            progress.seconds,
            event,
            progress.walks,
            counts.cases,
            counts.judged,
            self._found,
            detail,
        )

    def _bug_moments(
        self, bugs: Sequence[BugRow[Any]], improved: Sequence[BugRow[Any]]
    ) -> Iterator[TimelineRow]:
        for count, row in enumerate(bugs, self._found - len(bugs) + 1):
            moment = self._moment("bug", f"{row.id} {row.bug.kind}")
            judged = self._judged.pop(row.id)
            yield replace(moment, seconds=row.seconds, judged=judged, bugs=count)
        for row in improved:
            yield self._moment("better", f"{row.id} {row.bug.kind}")

    def _round_done(self) -> RoundDone:
        progress = self.progress
        counts = self._driver.counts(progress)
        spent = max(self._watch.session_seconds(), 1e-9)
        return RoundDone(
            kind=self._kind,
            walks=progress.walks,
            rounds=progress.rounds,
            cases=counts.cases,
            limit=counts.limit,
            noun=counts.noun,
            judged=counts.judged,
            bugs=dict(self._bugs),
            seconds=progress.seconds,
            per_second=(counts.done - self._done_before) / spent,
            policy_calls=progress.policy_calls,
            last_bug_seconds=progress.news_seconds if self._found else None,
        )

    @property
    def _directory(self) -> Path:
        return self._store.directory

    def _renew_timeline(self) -> None:
        with self._read(self._directory) as records:
            write_timeline(self._directory, records.each_moment())
        self._timeline.done()
