"""Reads the records that campaigns of every kind have.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.base.wording import kind_in_words
from bugsieve.campaigns.store.certificate_blobs import unpacked
from bugsieve.campaigns.store.progress import CampaignHeader, Progress, Reachable, TimelineRow
from bugsieve.campaigns.store.schema import (
    STORE_FILE,
    Patience,
    check_schema,
    connect_reader,
    damaged,
    explained,
    understood,
)
from bugsieve.campaigns.store.tables import CHECK
from bugsieve.campaigns.store.validation import Guard, Layout, layout_of
from bugsieve.explanation.causes.groups import BugInGroup, Group, grouped
from bugsieve.explanation.causes.pattern import NOTE, Pattern, pattern_from
from bugsieve.pipeline.bugs.cause import UNNAMED, Cause, cause_from
from bugsieve.pipeline.judging.findings import (
    BoundRow,
    BugRow,
    DeterminismCheck,
    Lesson,
    OracleRow,
    RejectedRow,
    UnprovenRow,
    UnstableRow,
)

RowT = TypeVar("RowT", bound=BugRow[Any])

BUGS = (
    "SELECT id, kind, case_number, bug, finders, cause, traits, found, changed, seconds FROM bugs"
)
_ROWS_AT_ONCE = 100
_TROUBLES = {"*": {"answers": int, "first": str}}
_REACHABLE = {
    "states": int,
    "is_counted": bool,
    "with_plan": (int, None),
    "tested_with_plan": (int, None),
    "is_whole": bool,
    "why": str,
}
_CHECK = {
    "cases": int,
    "states": int,
    "wanted": int,
    "calls": int,
    "differing": int,
    "rows": [{field.name: int if field.type == "int" else str for field in fields(UnstableRow)}],
    "cut": str,
    "alike": int,
}


class ListedBug(NamedTuple):
    """What lists say of a bug."""

    id: str
    kind: str
    steps: int
    seconds: float
    """Running time when it was found."""
    finders: tuple[str, ...]
    cause: Cause


class StoreReader(Closing):
    """Reads the store of a campaign, as it was when it was opened."""

    wanted_kind: ClassVar[str | None] = None
    """The kind of campaigns it reads; None for all."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self._guard: Guard | None = None
        with explained(self.directory):
            self._connection = connect_reader(self.directory)
            self._patience = Patience(self._connection, self.directory)
        try:
            self._meta: dict[str, Any] = dict(self._rows("SELECT name, value FROM meta"))
            with understood(self.directory):
                self.kind = text_of(self._meta, "kind")
            self._require_kind()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _require_kind(self) -> None:
        if self.wanted_kind is not None and self.wanted_kind != self.kind:
            raise InputError(
                f"{self.directory}: is a campaign of {kind_in_words(self.kind)}, which this "
                f"command does not take; it takes those of {kind_in_words(self.wanted_kind)}"
            )

    def _rows(self, query: str, *values: Any) -> list[Any]:
        """What a query gives; InputError if a table that it reads holds what cannot be."""
        with explained(self.directory):
            self._patience.renew()
            rows = self._connection.execute(query, values).fetchall()
        self._check_read(query)
        return rows

    def _check_read(self, query: str) -> None:
        """InputError if a table that was read for the first time holds what cannot be."""
        with explained(self.directory):
            self._patience.renew()
            complaint = None if self._guard is None else self._guard.complaint(query)
        if complaint is not None:
            raise damaged(self.directory, complaint)

    def _each(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows one after the other: some tables are larger than the memory should be."""
        with explained(self.directory):
            self._patience.renew()
            cursor = self._connection.execute(query, values)
            rows = cursor.fetchmany(_ROWS_AT_ONCE)
        self._check_read(query)
        while rows:
            yield from rows
            with explained(self.directory):
                self._patience.renew()
                rows = cursor.fetchmany(_ROWS_AT_ONCE)


class CampaignRecords(StoreReader, Generic[RowT]):
    """The records of one campaign, as they were when it was opened."""

    tables: ClassVar[str]
    """SQL that makes the tables which only this kind of campaigns has."""
    conditions: ClassVar[Mapping[str, str]] = {}
    """What must hold of the values in them, see `results.tables`."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        super().__init__(directory)
        try:
            self._guard = self._guarded(layout_of(self.tables, self.conditions))
            oracles = self._rows("SELECT spec, objection, level FROM oracles ORDER BY number")
            self._specs = [str(spec) for spec, *_ in oracles]
            with understood(self.directory):
                self.header = self._header(oracles)
        except BaseException:
            self.close()
            raise

    def _guarded(self, layout: Layout) -> Guard:
        with explained(self.directory):
            check_schema(self._connection, self.directory, layout)
            return Guard(self._connection, layout)

    def _header(self, oracles: list[Any]) -> CampaignHeader:
        meta = self._meta
        for name in ("options", "policy is object", "policy fingerprint", "objective"):
            text_of(meta, name)
        # What is shown must be what would be started: there is one place for both.
        policy = parse_toml(meta["options"], self._source).get("policy", "")
        if not isinstance(policy, str):
            raise TypeError("policy is no text")
        return CampaignHeader(
            meta["options"],
            self._subject(meta),
            policy,
            meta["policy is object"] == "1",
            tuple(OracleRow(*row) for row in oracles),
            meta["policy fingerprint"],
            meta["objective"],
            _reachable(meta),
        )

    @abstractmethod
    def _subject(self, meta: dict[str, Any]) -> Any:
        """What the policy is tested on, from what the store writes of it."""

    @abstractmethod
    def _bug(self, case: int, data: Any, *rest: Any) -> RowT:
        """The row of a bug, which is given as JSON data."""

    @abstractmethod
    def case_count(self) -> int:
        """How many cases there are: pool states or unsafe runs."""

    @cached_property
    def is_sample(self) -> bool:
        """Whether its cases are tests of a measurement, in which the same may come again."""
        return parse_toml(self.header.options, self._source).get("sample") is not None

    def progress(self) -> Progress:
        """How far the campaign has come."""
        with understood(self.directory):
            (row,) = self._rows("SELECT * FROM progress")
            progress = Progress(*row[1:])
            fitting(parse_json(progress.troubles), _TROUBLES)
            return progress

    def bugs(self) -> list[RowT]:
        """All bugs, in the order in which they were found."""
        return list(self.each_bug())

    def each_bug(self) -> Iterator[RowT]:
        """The same one after the other: their certificates need not fit into the memory."""
        return map(self._bug_row, self._each(f"{BUGS} ORDER BY rowid"))

    def first_bugs(self, most: int) -> Iterator[RowT]:
        """The bugs that were found first, one after the other."""
        return map(self._bug_row, self._each(f"{BUGS} ORDER BY rowid LIMIT ?", most))

    def improved_bugs(self) -> Iterator[RowT]:
        """The bugs that have got a better certificate since they were found."""
        return map(self._bug_row, self._each(f"{BUGS} WHERE changed > found ORDER BY rowid"))

    def bug(self, name: str) -> RowT | None:
        """The bug of this id, or of the only one that begins so."""
        rows = self._rows(
            f"{BUGS} WHERE id BETWEEN ? AND ? LIMIT 2", name, f"{name}{chr(sys.maxunicode)}"
        )
        return self._bug_row(rows[0]) if len(rows) == 1 else None

    def ranked(self) -> list[str]:
        """The ids of all bugs, those first that matter most."""
        return [name for (name,) in self._rows("SELECT id FROM bugs ORDER BY rowid")]

    def named(self, names: Iterable[str]) -> Iterator[RowT]:
        """The bugs of these ids, one after the other."""
        for name in names:
            yield from map(self._bug_row, self._rows(f"{BUGS} WHERE id = ?", name))

    def first_wrong_bug(self, check: Callable[[Any], None]) -> tuple[int, str] | None:
        """The visit that found the first bug which cannot be read or whose certificate the check
        does not accept, and why; it says so by a ValueError."""
        for row in self._rows(f"{BUGS} ORDER BY found, rowid"):
            try:
                check(self._bug_row(row).bug.certificate)
            except (BugsieveError, ValueError) as error:
                return int(row[7]), f"table bugs, row {row[0]}: {error}"
        return None

    def first_wrong_case(self) -> tuple[int, str] | None:
        """The first case that is none of the subject, and why."""
        return None

    def causes(self) -> list[Group]:
        """All bugs by what causes them, the largest group first; none where they have no causes.

        Those of one pattern are one line, the others are grouped by their causes.
        """
        return grouped(self.members_of_causes())

    def groups_by_cause(self) -> list[Group]:
        """The bugs by their causes alone, which mean the same in other campaigns."""
        members = (one._replace(pattern=None) for one in self.members_of_causes())
        return [one for group in grouped(members) for one in group]

    def cause_count(self) -> int:
        """How many lines these are; it reads neither traits nor certificates."""
        query = (
            "SELECT COUNT(DISTINCT IFNULL((SELECT data FROM notes WHERE notes.bug = bugs.id"
            " AND notes.changed = bugs.changed AND name = ?), cause)) FROM bugs WHERE cause <> ?"
        )
        ((count,),) = self._rows(query, NOTE, UNNAMED.key)
        return int(count)

    def members_of_causes(self) -> list[BugInGroup]:
        """The bugs that have causes, with these and with their patterns."""
        patterns = self.patterns()
        with understood(self.directory):
            members = [
                BugInGroup(name, steps, stored_cause(key, traits), patterns.get(name))
                for name, steps, key, traits in self._rows(
                    "SELECT id, steps, cause, traits FROM bugs ORDER BY rowid"
                )
            ]
        return [member for member in members if member.cause != UNNAMED]

    def cause_keys(self) -> set[str]:
        """The keys of the causes that bugs have; equal for equal causes."""
        keys = {key for (key,) in self._rows("SELECT DISTINCT cause FROM bugs")}
        return keys - {UNNAMED.key}

    def patterns(self) -> dict[str, Pattern]:
        """The patterns of bugs by their ids, as far as they were found."""
        query = (
            "SELECT id, data FROM bugs JOIN notes"
            " ON notes.bug = bugs.id AND notes.changed = bugs.changed WHERE name = ?"
        )
        rows = self._rows(query, NOTE)
        with understood(self.directory):
            made = {text: pattern_from(parse_json(text)) for text in {text for _, text in rows}}
            return {name: made[text] for name, text in rows}

    def bug_kinds(self) -> dict[str, str]:
        """The kinds of all bugs by their ids, in the order in which they were found."""
        return dict(self._rows("SELECT id, kind FROM bugs ORDER BY rowid"))

    def bugs_by_kind(self) -> dict[str, int]:
        """How many bugs there are of each kind that occurs."""
        return dict(self._rows("SELECT kind, COUNT(*) FROM bugs GROUP BY kind ORDER BY kind"))

    def listed_bugs(self) -> list[ListedBug]:
        """All bugs without their certificates, in the order in which they were found."""
        query = "SELECT id, kind, steps, seconds, finders, cause, traits FROM bugs ORDER BY rowid"
        with understood(self.directory):
            return [
                ListedBug(name, kind, steps, seconds, self._finders(finders), stored_cause(*rest))
                for name, kind, steps, seconds, finders, *rest in self._rows(query)
            ]

    def bug_times(self) -> list[tuple[str, float]]:
        """The kinds of all bugs and the running time when each was found."""
        return list(self._rows("SELECT kind, seconds FROM bugs ORDER BY rowid"))

    def bugs_of_visit(self, visit: int) -> frozenset[str]:
        """The ids of the bugs that were found at a visit."""
        return frozenset(
            row[0] for row in self._rows("SELECT id FROM bugs WHERE found = ?", visit)
        )

    def notes(self, bug: str) -> dict[str, Any]:
        """What was noted of a bug with its present certificate, by name."""
        query = (
            "SELECT name, data FROM notes JOIN bugs"
            " ON notes.bug = bugs.id AND notes.changed = bugs.changed WHERE id = ? ORDER BY name"
        )
        with understood(self.directory):
            return {name: parse_json(data) for name, data in self._rows(query, bug)}

    def bounds(self) -> list[BoundRow]:
        """What is known of cases that must be bugs, in the order in which it was found out."""
        query = "SELECT case_number, oracle, gap, reason FROM bounds ORDER BY visit, case_number"
        return [
            BoundRow(case, self._specs[oracle], gap, reason)
            for case, oracle, gap, reason in self._rows(query)
        ]

    def green(self) -> tuple[bytes, str | None] | None:
        """The certificate that there is no bug, packed, with its seal; None without one."""
        rows = self._rows("SELECT content, seal FROM greens")
        return (bytes(rows[0][0]), rows[0][1]) if rows else None

    def lessons(self) -> dict[int, tuple[Lesson, ...]]:
        """What learning oracles want to be told again, by visit."""
        found: dict[int, tuple[Lesson, ...]] = {}
        query = "SELECT visit, oracle, content, of_task FROM lessons ORDER BY visit, oracle"
        for visit, oracle, *parts in self._rows(query):
            found[visit] = (*found.get(visit, ()), Lesson(self._specs[oracle], *parts))
        return found

    def unproven(self) -> list[UnprovenRow]:
        """Claims that are no bugs, since their proofs are too large or cannot be checked."""
        query = (
            "SELECT case_number, oracle, kind, reason, position FROM unproven"
            " ORDER BY visit, place"
        )
        return [
            UnprovenRow(case, self._specs[oracle], kind, reason, position)
            for case, oracle, kind, reason, position in self._rows(query)
        ]

    def rejected(self) -> list[RejectedRow]:
        """Claims of oracles that the checker did not accept."""
        query = (
            "SELECT case_number, oracle, reason, certificate, position FROM rejected"
            " ORDER BY visit, place"
        )
        with understood(self.directory):
            return [
                RejectedRow(
                    case, self._specs[oracle], reason, parse_json(certificate or "null"), position
                )
                for case, oracle, reason, certificate, position in self._rows(query)
            ]

    def check(self) -> DeterminismCheck | None:
        """The result of asking the policy again about runs without a bug; None if it was not."""
        if CHECK not in self._meta:
            return None
        with understood(self.directory):
            found = json_of(self._meta, CHECK, _CHECK)
            if min(found[name] for name, kind in _CHECK.items() if kind is int) < 0:
                raise ValueError("a count of the determinism check is negative")
            return DeterminismCheck(
                **{**found, "rows": tuple(UnstableRow(**row) for row in found["rows"])}
            )

    def unstable(self) -> list[UnstableRow]:
        """Where the policy gave two answers, in the order in which it was found out."""
        return [row for _, row in self.unstable_visits()]

    def unstable_visits(self) -> list[tuple[int, UnstableRow]]:
        """The same with the visits."""
        query = (
            "SELECT visit, case_number, position, state, first, second, claim, cause"
            " FROM unstable ORDER BY visit, place"
        )
        return [(visit, UnstableRow(*row)) for visit, *row in self._rows(query)]

    def timeline(self) -> list[TimelineRow]:
        """What happened when."""
        return list(self.each_moment())

    def each_moment(self) -> Iterator[TimelineRow]:
        """The same, one after the other."""
        rows = self._each("SELECT * FROM timeline ORDER BY rowid")
        return (TimelineRow(*row) for row in rows)

    def _bug_row(self, row: tuple[Any, ...]) -> RowT:
        name, kind, case, bug, finders, key, traits, *rest = row
        with understood(self.directory):
            specs = self._finders(finders)
            data = unpacked(bug)
            cause = stored_cause(key, traits)
        made = self._bug(case, data, specs, *rest, cause)
        if (made.id, made.bug.kind, made.bug.oracle in self._specs) != (name, kind, True):
            raise damaged(self.directory, f"table bugs, row {name}: is about another bug")
        return made

    def _finders(self, text: str) -> tuple[str, ...]:
        return tuple(self._specs[finder] for finder in fitting(parse_json(text), [int]))

    @property
    def _source(self) -> str:
        return str(self.directory / STORE_FILE)


def stored_cause(key: str, traits: str) -> Cause:
    """The cause of a bug as the store has it; ValueError if it is none of ours."""
    return replace(cause_from(key), traits=tuple(fitting(parse_json(traits), [str])))


def kind_of(directory: str | os.PathLike[str]) -> str:
    """The kind of the campaign in a folder, such as "cost" or "safety"; what it is, is not
    imported."""
    folder = Path(directory)
    first = min(folder.glob(f"*/{STORE_FILE}"), default=None)
    if first is not None and not (folder / STORE_FILE).exists():
        raise InputError(f"{folder}: holds several campaigns, name one: {first.parent}")
    with StoreReader(directory) as reader:
        return reader.kind


def columns_of(rows: list[Any], width: int) -> list[tuple[Any, ...]]:
    """The columns of rows that have this width."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


def _reachable(meta: Mapping[str, Any]) -> Reachable | None:
    """What was counted before the campaign; ValueError where that cannot be."""
    if "reachable" not in meta:
        return None
    found = Reachable(**json_of(meta, "reachable", _REACHABLE))
    plans = [n for n in (found.with_plan, found.tested_with_plan) if n is not None]
    if not all(0 <= number <= found.states for number in plans) or found.states < 0:
        raise ValueError("a number of reachable states is out of range")
    return found


def text_of(meta: Mapping[str, Any], name: str) -> str:
    """The text of this name in the table `meta`; LookupError or TypeError if there is none."""
    if not isinstance(meta[name], str):
        raise TypeError(f"{name} is no text")
    return str(meta[name])


def json_of(meta: Mapping[str, Any], name: str, shape: Any) -> Any:
    """The JSON data of this name there, which must have the shape; ValueError if it has not."""
    return fitting(parse_json(text_of(meta, name)), shape)
