"""Takes from a damaged store what is whole: a prefix of its visits.

Rows are copied one by one in the order of their keys, as far as SQLite can read them, into a store
of its own. There the conditions of `tables` find the first visit and the first case of which
something is missing or wrong, and everything from there on is removed.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bugsieve.base.files_and_processes.foreign_json import parse_json
from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.schema import STORE_FILE, Patience, create_file, damaged
from bugsieve.campaigns.store.tables import AGES, SHARED_TABLES
from bugsieve.campaigns.store.validation import Layout, first_broken_row, layout_of
from bugsieve.explanation.causes.pattern import NOTE, pattern_from

_NEVER = 2**62
_NOT_LIMITING = (
    *("meta", "oracles", "progress", "history", "timeline", "greens", "notes", "traces"),
)


@dataclass(frozen=True)
class Loss:
    """The first visit and the first case of which something is missing, and what it is."""

    visit: int = _NEVER
    case: int = _NEVER
    what: str | None = None

    def and_(self, other: Loss) -> Loss:
        """Both losses; of two descriptions the first."""
        visit, case = min(self.visit, other.visit), min(self.case, other.case)
        return Loss(visit, case, self.what or other.what)


class Salvage(ABC):
    """Copies the store of one kind of campaigns into a work folder, and cuts it there."""

    tables: ClassVar[str]
    conditions: ClassVar[Mapping[str, str]]
    cases: ClassVar[Mapping[str, str]]
    """Tables whose rows belong to a case, and the column with its number; the first has all."""
    whole: ClassVar[str]
    """SQL that is true of a visit about which everything is there."""
    given: ClassVar[tuple[str, ...]] = ()
    """Tables that were filled before the first visit: if a row is lost, nothing can go on."""

    def __init__(self, source: Path, work: Path) -> None:
        self.source = source
        # The progress may be ahead of the visits that could be read, or behind them if it is lost.
        conditions = {
            **self.conditions,
            **dict.fromkeys(
                ("progress.visits", "progress.walks", "visits.number", "walks.number"), "1"
            ),
            "pool.walk": "1",
        }
        self._layout: Layout = layout_of(self.tables, conditions)
        self.connection = create_file(work / STORE_FILE, SHARED_TABLES + self.tables)
        self.has_all_cases = True
        """Whether the last case that was stored is among those that were read."""
        try:
            self.loss = self._copied(source)
        except BaseException:
            self.connection.close()
            raise

    def close(self) -> None:
        """Fold everything into the main file and let go of it."""
        self.connection.close()

    def cut(self, loss: Loss) -> None:
        """Keep what came before the loss, and before whatever else is not whole."""
        self.loss = self.loss.and_(loss).and_(self._broken()).and_(self._missing())
        kept = _NEVER
        # A row that hides when it came is missed where it belongs only when it is gone.
        while self.loss != Loss() and (visits := self._keep_before_loss()) < kept:
            kept = visits
            self.loss = self.loss.and_(self._broken()).and_(self._missing())
        self._drop_unreadable_patterns()

    def _keep_before_loss(self) -> int:
        """Remove all from the loss on; returns how many visits remain."""
        judged = self.judged()
        beyond = self._first("visits", f"case_number >= {self.loss.case}")
        visits = min(self.loss.visit, beyond, judged)
        self.connection.execute("BEGIN")
        visits = self.cut_cases(visits)
        for table in self._by_visit():
            self.keep_before(table, self._age(table), visits)
        self.connection.execute("DELETE FROM notes WHERE bug NOT IN (SELECT id FROM bugs)")
        self.connection.execute("COMMIT")
        return visits

    def _drop_unreadable_patterns(self) -> None:
        """Bugs without a pattern are named by their causes until resuming finds it again."""
        query = "SELECT bug, data FROM notes WHERE name = ? AND bug <> ''"
        patterns = self.connection.execute(query, (NOTE,)).fetchall()
        lost = [(bug, NOTE) for bug, data in patterns if not _is_pattern(data)]
        made = [("", NOTE)] if lost else []
        self.connection.executemany("DELETE FROM notes WHERE bug = ? AND name = ?", [*lost, *made])

    @abstractmethod
    def cut_cases(self, visits: int) -> int:
        """Keep so many visits at most, and the cases and the progress that go with them.

        Returns how many visits remain; their rows, and those that belong to them, go after this.
        """

    def judged(self) -> int:
        """How many visits were made, as far as is known."""
        return max((row.visits for _, row in self.progresses()), default=0)

    def keep_before(self, table: str, column: str, end: int) -> None:
        """Keep the rows of a table whose number in the column is one from 0 up to this end."""
        is_before = f"typeof({column}) = 'integer' AND {column} >= 0 AND {column} < {end}"
        self.connection.execute(f"DELETE FROM {table} WHERE NOT ({is_before})")

    def progresses(self) -> list[tuple[int, Progress]]:
        """How far the campaign had come at each commit, with their numbers."""
        rows = self.connection.execute("SELECT * FROM history ORDER BY number").fetchall()
        found = [(row[0], Progress(*row[1:])) for row in rows]
        now = self.connection.execute("SELECT * FROM progress").fetchone()
        if now is not None and (not found or found[-1][1] != Progress(*now[1:])):
            found.append((found[-1][0] + 1 if found else 1, Progress(*now[1:])))
        return found

    def keep_progress(self, visits: int, last: tuple[int, Progress] | None) -> int:
        """Make this progress the last one, with so many visits; returns how many."""
        number, progress = (0, Progress()) if last is None else last
        rows = dict(self.progresses())
        is_end = number == max(rows, default=0) and visits == progress.visits
        if not is_end:
            before = rows.get(number - 1, Progress())
            progress = self._without_news(progress, before, visits)
        self.connection.execute(
            "DELETE FROM history WHERE number >= ? OR visits > ?", (number, visits)
        )
        self.connection.execute(
            "DELETE FROM timeline WHERE judged > ? OR walks > ?", (visits, progress.walks)
        )
        marks = ", ".join("?" * (1 + len(astuple(progress))))
        for table, key in (("history", number), ("progress", 0)):
            self.connection.execute(
                f"REPLACE INTO {table} VALUES ({marks})", (key, *astuple(progress))
            )
        return visits

    def _without_news(self, progress: Progress, before: Progress, visits: int) -> Progress:
        """The progress of a campaign that goes on, with the last bug that is kept as its news."""
        query = "SELECT MAX(seconds) FROM bugs WHERE found >= ? AND found < ?"
        found = self.value(query, before.visits, visits)
        news = (before.news_seconds, before.news_round)
        if found is not None:
            news = (found, progress.rounds)
        return replace(
            progress, visits=visits, finished=None, news_seconds=news[0], news_round=news[1]
        )

    def value(self, query: str, *values: Any) -> Any:
        """The only value of a query."""
        return self.connection.execute(query, values).fetchone()[0]

    def _copied(self, source: Path) -> Loss:
        """Copy all rows that can be read; what could not."""
        reader = sqlite3.connect(f"{(source / STORE_FILE).absolute().as_uri()}?mode=rw", uri=True)
        reader.execute("PRAGMA trusted_schema = OFF")
        reader.execute("PRAGMA query_only = ON")
        patience, loss = Patience(reader, source), Loss()
        try:
            for table in self._layout.columns:
                patience.renew()
                loss = loss.and_(self._copied_table(reader, table))
        finally:
            reader.close()
        return loss

    def _copied_table(self, reader: sqlite3.Connection, table: str) -> Loss:
        width, key = len(self._layout.columns[table]), ", ".join(self._layout.key(table))
        insert = f"INSERT INTO {table} VALUES ({', '.join('?' * width)})"
        self.connection.execute("BEGIN")
        count = 0
        try:
            for row in reader.execute(f"SELECT * FROM {table} ORDER BY {key}"):
                self.connection.execute(insert, row)
                count += 1
        except (sqlite3.Error, OverflowError) as error:
            return self._unread(table, f"table {table}, after {count} rows: {error}")
        finally:
            self.connection.execute("COMMIT")
        return Loss()

    def _unread(self, table: str, what: str) -> Loss:
        """What is lost where the rows of a table end too early."""
        if table in self.given:
            raise damaged(self.source, what)
        if table in _NOT_LIMITING:
            return Loss(what=what)
        age = self._age(table)
        last = self.value(f"SELECT IFNULL(MAX({age}), -1) FROM {table}")
        if not isinstance(last, int):
            last = -1
        if table not in self.cases:
            # The visit of the last row may have had more of them; one of `visits` has one.
            return Loss(visit=max(last, 0) if table != "visits" else last + 1, what=what)
        self.has_all_cases &= table != next(iter(self.cases))
        is_one_row = self._layout.key(table) == (age,)
        return Loss(case=last + 1 if is_one_row else max(last, 0), what=what)

    def _broken(self) -> Loss:
        """The first visit and the first case with a row that cannot be."""
        loss = Loss()
        for table in self._layout.columns:
            what = first_broken_row(self.connection, self._layout, table)
            if what is None:
                continue
            if table in self.given:
                raise damaged(self.source, what)
            if table in _NOT_LIMITING:
                broken = self._layout.broken(table)
                self.connection.execute(f"DELETE FROM {table} WHERE {broken}")
                loss = loss.and_(Loss(what=what))
                continue
            first = self._first(table, self._layout.broken(table))
            is_case = table in self.cases
            loss = loss.and_(Loss(*((_NEVER, first) if is_case else (first, _NEVER)), what))
        return loss

    def _missing(self) -> Loss:
        """The first visit and the first case that is not there, or not whole."""
        loss = Loss()
        if not self.value("SELECT COUNT(*) FROM progress"):
            loss = Loss(what="table progress: is empty")
        table, column = next(iter(self.cases.items()))
        gap = self._gap(table, column)
        if gap is not None:
            loss = Loss(case=gap, what=f"table {table}: row {gap} is missing")
        gap = self._gap("visits", "number")
        if gap is not None:
            loss = loss.and_(Loss(visit=gap, what=f"table visits: row {gap} is missing"))
        judged = self.judged()
        first = self._first("visits", f"number < {judged} AND NOT ({self.whole})")
        if first != _NEVER:
            loss = loss.and_(Loss(visit=first, what=f"visit {first}: records of it are missing"))
        count = self.value("SELECT COUNT(*) FROM visits")
        if count < judged:
            loss = loss.and_(Loss(visit=count, what=f"table visits: row {count} is missing"))
        return loss

    def _gap(self, table: str, column: str) -> int | None:
        """The first number from 0 on that is not there although a later one is."""
        query = f"SELECT {column} FROM {table} ORDER BY {column}"
        for place, (number,) in enumerate(self.connection.execute(query)):
            if number != place:
                return place if isinstance(number, int) and number > place else 0
        return None

    def _first(self, table: str, condition: str) -> int:
        """The least age of the rows of which the condition holds; for ever if there are none."""
        age = self._age(table)
        first = self.value(f"SELECT MIN({age}) FROM {table} WHERE {condition}")
        if first is None:
            return _NEVER
        return max(first, 0) if isinstance(first, int) else 0

    def _by_visit(self) -> list[str]:
        others = (*_NOT_LIMITING, *self.given, *self.cases)
        return [table for table in self._layout.columns if table not in others]

    def _age(self, table: str) -> str:
        return self.cases.get(table) or AGES.get(table, "visit")


def _is_pattern(data: Any) -> bool:
    try:
        pattern_from(parse_json(data))
    except (LookupError, TypeError, ValueError):
        return False
    return True
