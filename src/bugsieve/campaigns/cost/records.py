"""Reads the records of a campaign of cost testing: as columns for reports, as rows for people.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.campaigns.cost.sample_records import SIGHTED, SampleRecords
from bugsieve.campaigns.store.records import BUGS, columns_of, json_of, text_of
from bugsieve.campaigns.store.schema import damaged, understood
from bugsieve.campaigns.store.tables import COST, COST_CONDITIONS, COST_TABLES
from bugsieve.pipeline.bugs.brief import BRIEF, in_full
from bugsieve.pipeline.bugs.bug import bug_from_json
from bugsieve.pipeline.bugs.certificate import RUN_SHAPE
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.judging.escalation import SEARCH, Outlay
from bugsieve.pipeline.judging.findings import CostBugRow, RunRow
from bugsieve.pipeline.objectives import OBJECTIVES, objective_class
from bugsieve.pipeline.pool.walk_counts import WalkCounts, counts_from
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PoolColumns:
    """The pool, one row per entry in order."""

    states: StateArray
    parents: Integers
    """-1 for roots."""
    walks: Integers
    """-1 for roots."""
    actions: NDArray[np.int32]
    """Those that lead to entry i from its parent are `actions[offsets[i]:offsets[i + 1]]`."""
    offsets: Integers
    seconds: Reals
    """Running time of the campaign when the entry was stored."""

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """The policy's runs from the pool states that have been judged, in the order of the pool."""

    numbers: Integers
    endings: NDArray[np.int8]
    """Codes of `Ending`."""
    steps: Integers
    costs: Integers
    values: Reals
    """Under the objective; NaN where the run does not determine it."""

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, eq=False)
class VerdictColumns:
    """What one oracle said, in the order of the pool."""

    oracle: str
    numbers: Integers
    outcomes: NDArray[np.str_]
    """Values of `Outcome`, such as "bug"."""
    reasons: tuple[str, ...]
    gaps: Reals
    values: Reals
    """Of the better run; NaN where there is none."""
    exact: NDArray[np.bool_]
    seconds: Reals

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class InitialRun:
    """What became of the initial state of the task."""

    ending: str
    steps: int
    cost: int
    outcome: str
    """What is known of it: a value of `Outcome`, the best proven one, or "unstable" where the
    policy changes its answers."""
    better: str
    """What is wrong with the run, if it is a bug."""


class CostRecords(SampleRecords):
    """The records of one campaign of cost testing, as they were when it was opened."""

    wanted_kind = COST
    tables = COST_TABLES
    conditions = COST_CONDITIONS

    def case_count(self) -> int:
        """How many states the pool has."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM pool")
        return int(count)

    def pool(self) -> PoolColumns:
        """All pool states and how they were reached."""
        rows = self._rows(
            "SELECT state, IFNULL(parent, -1), actions, IFNULL(walk, -1), seconds"
            " FROM pool ORDER BY number"
        )
        states, parents, actions, walks, seconds = columns_of(rows, 5)
        lengths = [len(piece) // 4 for piece in actions]
        return PoolColumns(
            self._checked_states(_state_array(states), len(rows)),
            np.array(parents, dtype=np.int64),
            np.array(walks, dtype=np.int64),
            self._operators("pool", b"".join(actions)),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
            np.array(seconds, dtype=np.float64),
        )

    def pool_seconds(self) -> float:
        """Running time when the last entry of the pool was stored."""
        ((seconds,),) = self._rows(
            "SELECT TOTAL(seconds) FROM (SELECT MAX(seconds) AS seconds FROM pool)"
        )
        return float(seconds)

    def states(self, most: int) -> StateArray:
        """The first states of the pool, as rows; with as many columns where there are none."""
        rows = self._rows("SELECT state FROM pool ORDER BY number LIMIT ?", most)
        width = len(self.header.subject.initial_values)
        return _state_array([state for (state,) in rows]) if rows else _no_states(width)

    def runs(self) -> RunColumns:
        """The policy's runs from the judged states."""
        rows = self._rows("SELECT number, ending, steps, cost, value FROM runs ORDER BY number")
        numbers, endings, steps, costs, values = columns_of(rows, 5)
        return RunColumns(
            np.array(numbers, dtype=np.int64),
            np.array(endings, dtype=np.int8),
            np.array(steps, dtype=np.int64),
            np.array(costs, dtype=np.int64),
            np.array(values, dtype=np.float64),
        )

    def first_actions(self) -> Integers:
        """The policy's actions in the judged states, where a graph has them; else -1."""
        rows = self._rows("SELECT IFNULL(action, -1) FROM runs ORDER BY number")
        return np.array([action for (action,) in rows], dtype=np.int64)

    def verdicts(self, oracle: str, level: int = 0) -> VerdictColumns:
        """What the oracle of this spec said at a level of effort; at 0, of each case."""
        rows = self._rows(
            "SELECT case_number, outcome, reason, gap, value, exact, seconds FROM verdicts"
            " JOIN visits ON visit = visits.number WHERE oracle = ? AND effort = ?"
            " ORDER BY visit",
            self._specs.index(oracle),
            level,
        )
        numbers, outcomes, reasons, gaps, values, exact, seconds = columns_of(rows, 7)
        return VerdictColumns(
            oracle,
            np.array(numbers, dtype=np.int64),
            np.array(outcomes, dtype=np.str_),
            tuple(reasons),
            np.array(gaps, dtype=np.float64),
            np.array(values, dtype=np.float64),
            np.array(exact, dtype=np.bool_),
            np.array(seconds, dtype=np.float64),
        )

    def levels(self) -> int:
        """The highest level of effort at which a case was visited."""
        ((level,),) = self._rows("SELECT IFNULL(MAX(effort), 0) FROM visits")
        return int(level)

    def cases_with(self, oracle: str, outcomes: Sequence[str]) -> Integers:
        """The states of which the oracle said one of these outcomes at first, by number."""
        marks = ", ".join("?" * len(outcomes))
        query = (
            "SELECT case_number FROM verdicts JOIN visits ON visit = visits.number"
            f" WHERE oracle = ? AND effort = 0 AND outcome IN ({marks}) ORDER BY visit"
        )
        rows = self._rows(query, self._specs.index(oracle), *outcomes)
        return np.array([number for (number,) in rows], dtype=np.int64)

    def flagged(self) -> tuple[Integers, Integers]:
        """The states that visits without more effort have shown to be bugs, be it at visits to
        others; then those that must be some, though nobody has a better run."""
        # A bug that escalation has found first counts once an oracle finds it, too.
        others = (
            "SELECT 1 FROM json_each(finders) AS finder JOIN oracles"
            f" ON finder.value = oracles.number WHERE spec <> '{SEARCH}'"
        )
        proven = (
            "SELECT bugs.case_number FROM bugs JOIN visits ON found = visits.number"
            f" WHERE effort = 0 OR EXISTS ({others})"
        )
        implied = (
            "SELECT case_number FROM verdicts JOIN visits ON visit = visits.number"
            " WHERE outcome = 'implied' AND effort = 0"
            " UNION SELECT bounds.case_number FROM bounds JOIN visits ON visit = visits.number"
            f" WHERE effort = 0 EXCEPT {proven}"
        )
        columns = ([number for (number,) in self._rows(query)] for query in (proven, implied))
        found, only_bounds = (np.array(column, dtype=np.int64) for column in columns)
        return found, only_bounds

    def plans(self, oracle: str, level: int = 0) -> dict[int, tuple[int, ...]]:
        """The better runs that the oracle found, by the number of the pool state."""
        query = (
            "SELECT case_number, plan FROM verdicts JOIN visits ON visit = visits.number"
            " WHERE oracle = ? AND effort = ? AND plan IS NOT NULL"
        )
        return {
            number: tuple(self._operators("verdicts", plan).tolist())
            for number, plan in self._rows(query, self._specs.index(oracle), level)
        }

    def outcomes(self) -> dict[str, dict[str, int]]:
        """For each oracle in use, how often it gave each outcome at the first visit to a case."""
        counts: dict[str, dict[str, int]] = {spec: {} for spec in self.header.used_oracles}
        query = (
            "SELECT oracle, outcome, COUNT(*) FROM verdicts JOIN visits ON visit = visits.number"
            " WHERE effort = 0 GROUP BY oracle, outcome"
        )
        for oracle, outcome, count in self._rows(query):
            counts[self._specs[oracle]][outcome] = count
        return counts

    def walked(self) -> WalkCounts | None:
        """What became of the states that walks offered; None where nobody counted."""
        rows = self._rows("SELECT detail FROM timeline WHERE event = 'walks'")
        with understood(self.directory):
            counts = [counts_from(detail) for (detail,) in rows]
        return sum(counts, WalkCounts()) if counts else None

    def judged(self) -> int:
        """How many cases were visited at least once, and all that was found there stored."""
        query = (
            "SELECT visits - (SELECT COUNT(*) FROM visits WHERE effort > 0"
            " AND number < progress.visits) FROM progress"
        )
        ((count,),) = self._rows(query)
        return int(count)

    def first_visits(self) -> dict[int, int]:
        """The numbers of the first visits, by case."""
        return dict(self._rows("SELECT case_number, number FROM visits WHERE effort = 0"))

    def outlays(self) -> list[Outlay]:
        """What escalation has to know of each visit, in order."""
        settled: dict[int, list[int]] = {}
        decided = "SELECT found, case_number FROM bugs UNION SELECT visit, case_number FROM bounds"
        decided += " UNION SELECT visit, case_number FROM unstable WHERE cause = '' ORDER BY 1, 2"
        for visit, case in self._rows(decided):
            settled.setdefault(visit, []).append(case)
        query = (
            "SELECT visits.number, case_number, effort,"
            " ending <> ? AND runs.value IS NOT NULL AND IFNULL(MIN(outcome = ?), 1),"
            " IFNULL(SUM(expanded), 0)"
            " FROM visits LEFT JOIN verdicts ON visit = visits.number"
            " JOIN runs ON runs.number = case_number"
            " WHERE visits.number < (SELECT visits FROM progress)"
            " GROUP BY visits.number ORDER BY visits.number"
        )
        rows = self._rows(query, int(Ending.SOLVED), Outcome.INCONCLUSIVE.value)
        return [
            Outlay(
                case,
                effort,
                bool(is_open) and case not in settled.get(visit, ()),
                expanded,
                tuple(other for other in settled.get(visit, ()) if other != case),
            )
            for visit, case, effort, is_open, expanded in rows
        ]

    def cut_cases(self) -> list[int]:
        """Other cases that were decided at a visit which was cut and will be made again."""
        query = (
            "SELECT case_number FROM bugs WHERE found >= (SELECT visits FROM progress)"
            " UNION SELECT case_number FROM bounds WHERE visit >= (SELECT visits FROM progress)"
            " UNION SELECT case_number FROM unstable"
            " WHERE cause = '' AND visit >= (SELECT visits FROM progress)"
            " EXCEPT SELECT case_number FROM visits WHERE number >= (SELECT visits FROM progress)"
        )
        return [case for (case,) in self._rows(query)]

    def undecided(self) -> dict[int, int]:
        """How many runs failed, and nobody knows whether they had to, by the codes of `Ending`."""
        query = (
            "SELECT ending, COUNT(*) FROM runs WHERE ending <> ? AND number NOT IN ("
            "SELECT case_number FROM verdicts JOIN visits ON visit = visits.number"
            " WHERE outcome IN ('pass', 'implied')"
            " UNION SELECT case_number FROM bounds UNION SELECT case_number FROM bugs"
            " UNION SELECT case_number FROM unstable WHERE cause = ''"
            f" UNION {SIGHTED})"
            " GROUP BY ending ORDER BY ending"
        )
        return dict(self._rows(query, int(Ending.SOLVED)))

    def escalated(self) -> dict[str, int]:
        """How often the search that escalates gave each outcome, at all levels together."""
        query = (
            "SELECT outcome, COUNT(*) FROM verdicts JOIN visits ON visit = visits.number"
            " WHERE effort > 0 GROUP BY outcome"
        )
        return dict(self._rows(query))

    def implied(self) -> int:
        """How many states some oracle says must be bugs, although nobody has a better run."""
        query = (
            "SELECT COUNT(*) FROM (SELECT case_number FROM verdicts JOIN visits"
            " ON visit = visits.number WHERE outcome = 'implied'"
            " UNION SELECT case_number FROM bounds)"
            f" WHERE case_number NOT IN (SELECT case_number FROM bugs UNION {SIGHTED})"
        )
        ((count,),) = self._rows(query)
        return int(count)

    def revised(self) -> int:
        """How many bugs became known at a visit to another case."""
        ((count,),) = self._rows(
            "SELECT COUNT(*) FROM bugs JOIN visits ON found = visits.number"
            " WHERE bugs.case_number <> visits.case_number"
        )
        return int(count)

    def carried(self) -> int:
        """How many states nobody had to judge, since a known bug was sighted on their runs."""
        ((count,),) = self._rows("SELECT COUNT(DISTINCT visit) FROM sightings")
        return int(count)

    def ranked(self) -> list[str]:
        """The ids of all bugs, largest gaps first; of equal ones those with the shorter run."""
        query = "SELECT id FROM bugs ORDER BY gap DESC, steps, rowid"
        return [name for (name,) in self._rows(query)]

    def endings(self) -> dict[int, int]:
        """How many runs ended in each way, by the codes of `Ending`."""
        return dict(self._rows("SELECT ending, COUNT(*) FROM runs GROUP BY ending"))

    def telling(self) -> int:
        """How many runs determine a value under the objective; the others say nothing."""
        ((count,),) = self._rows("SELECT COUNT(value) FROM runs")
        return int(count)

    def failures(self) -> dict[int, dict[str, int]]:
        """How often runs ended for which reason, the commonest first, by the code of `Ending`."""
        found: dict[int, dict[str, int]] = {}
        query = (
            "SELECT ending, detail, COUNT(*) FROM runs WHERE detail <> ''"
            " GROUP BY ending, detail ORDER BY ending, COUNT(*) DESC, MIN(number)"
        )
        for ending, detail, count in self._rows(query):
            found.setdefault(ending, {})[detail] = count
        return found

    def trace(self, number: int) -> str:
        """The traceback and the last words of the crash that ended the run from a pool state."""
        query = "SELECT text FROM traces JOIN runs ON digest = trace WHERE number = ?"
        return "".join(text for (text,) in self._rows(query, number))

    def first_trace(self, ending: int) -> str:
        """The trace of the first run that ended so and has one."""
        query = (
            "SELECT number FROM runs WHERE ending = ? AND trace IS NOT NULL"
            " ORDER BY number LIMIT 1"
        )
        return "".join(self.trace(number) for (number,) in self._rows(query, ending))

    def decided_runs(self) -> tuple[int, int]:
        """How many runs asked the policy, and how many of them got past the first decision."""
        query = "SELECT COUNT(*), TOTAL(steps > 0) FROM runs WHERE NOT (ending = ? AND steps = 0)"
        ((decided, begun),) = self._rows(query, int(Ending.SOLVED))
        return decided, int(begun)

    def whole_runs(self) -> dict[int, RunRow]:
        """The policy's whole runs by the numbers of their cases, where they were kept."""
        query = "SELECT number, ending, steps, cost, value, detail, whole FROM runs"
        with understood(self.directory):
            return {
                number: RunRow(ending, steps, cost, _value(value), detail, _whole_run(whole))
                for number, ending, steps, cost, value, detail, whole in self._rows(query)
                if whole is not None
            }

    @cached_property
    def task(self) -> Task:
        """The task, ready for use."""
        task: Task = self.header.subject.load()
        return task

    def first_wrong_case(self) -> tuple[int, str] | None:
        """The first entry of the pool whose state or actions are none of the task."""
        seen: set[bytes] = set()
        sizes, operators = self.task.domain_sizes, self.task.num_operators
        query = "SELECT state, actions FROM pool ORDER BY number"
        for number, (state, actions) in enumerate(self._rows(query)):
            values, choices = np.frombuffer(state, "<u2"), np.frombuffer(actions, "<i4")
            is_state = len(values) == len(sizes) and bool((values < sizes).all())
            is_new = state not in seen or self.is_sample
            if not is_state or not is_new or ((choices < 0) | (choices >= operators)).any():
                return number, f"table pool, row {number}: is no new state of the task"
            seen.add(state)
        return None

    def _checked_states(self, values: StateArray, count: int) -> StateArray:
        """The states, each of them one of the task; none there twice, unless they are tests."""
        sizes = self.task.domain_sizes
        if values.size == count * len(sizes):
            states = values.reshape(count, len(sizes))
            are_different = len({state.tobytes() for state in states}) == count
            if (states < sizes).all() and (are_different or self.is_sample):
                return states
        wrong = self.first_wrong_case()
        raise damaged(self.directory, "table pool" if wrong is None else wrong[1])

    def _operators(self, table: str, content: bytes) -> NDArray[np.int32]:
        """Operators as they are stored, each of them one of the task."""
        operators = np.frombuffer(content, dtype="<i4").astype(np.int32)
        if (
            len(operators)
            and not 0 <= operators.min() <= operators.max() < self.task.num_operators
        ):
            raise damaged(self.directory, f"table {table}: an operator is none of the task")
        return operators

    def initial_run(self) -> InitialRun | None:
        """The policy's run from the initial state; None if that is not the first test state."""
        runs = self._rows(
            "SELECT state, ending, steps, cost FROM pool JOIN runs USING (number) WHERE number = 0"
        )
        if not runs:
            return None
        ((state, ending, steps, cost),) = runs
        if tuple(np.frombuffer(state, dtype="<u2").tolist()) != self.header.subject.initial_values:
            return None
        said = {
            outcome
            for (outcome,) in self._rows(
                "SELECT outcome FROM verdicts JOIN visits ON visit = visits.number"
                " WHERE case_number = 0 UNION SELECT 'implied' FROM bounds WHERE case_number = 0"
                " UNION SELECT 'unstable' FROM unstable WHERE case_number = 0 AND cause = ''"
            )
        }
        bugs = [self._bug_row(row).bug for row in self._rows(f"{BUGS} WHERE case_number = 0")]
        # A verdict alone is no bug: the policy may have changed its answers since.
        ranks = ("pass", "unstable", "implied")
        known = [Outcome.BUG.value] if bugs else [rank for rank in ranks if rank in said]
        return InitialRun(
            Ending(ending).label,
            steps,
            cost,
            known[0] if known else Outcome.INCONCLUSIVE.value,
            bugs[0].in_words if bugs else "",
        )

    def _bug(self, case: int, data: Any, *rest: Any) -> CostBugRow:
        is_brief = isinstance(data, dict) and BRIEF in data
        if is_brief:
            data = self._in_full(case, data)
        bug = bug_from_json(data, source=self._source)
        if bug.certificate["objective"] != self.header.objective or bug.kind not in self._kinds:
            raise damaged(self.directory, f"table bugs, row {bug.id}: is of another objective")
        return replace(CostBugRow(case, bug, *rest), is_brief=is_brief)

    def _in_full(self, case: int, data: dict[str, Any]) -> dict[str, Any]:
        """The JSON of a bug of which the store has the runs alone."""
        rows = self._rows("SELECT state FROM pool WHERE number = ?", case)
        try:
            ((state,),) = rows
            return in_full(data, self.task, self.task.checked_state(np.frombuffer(state, "<u2")))
        except (UsageError, LookupError, TypeError, ValueError):
            raise damaged(self.directory, "table bugs: a bug is none of the task") from None

    def _require_objective(self, spec: str) -> None:
        """Summaries ask it for its words, whatever else they need of a campaign."""
        try:
            _, objective, argument = OBJECTIVES.parse(spec)
            objective.check_stored(argument)
        except UsageError as error:
            why = "unless the package that has it is not installed"
            raise damaged(self.directory, f"table meta: {error}, {why}") from None

    @cached_property
    def _kinds(self) -> Collection[str]:
        return objective_class(self.header.objective).kinds

    def _subject(self, meta: dict[str, Any]) -> SavedTask:
        self._require_objective(text_of(meta, "objective"))
        objects = json_of(meta, "task objects", [[str]])
        task = SavedTask(
            text_of(meta, "task name"),
            text_of(meta, "task sas"),
            tuple((name, kind) for name, kind in objects),
            tuple(json_of(meta, "task static facts", [str])),
            _file_of(meta, "domain"),
            _file_of(meta, "problem"),
            unit_cost=meta.get("task unit cost") == "1",
        )
        if task.sha256 != meta["task sha256"]:
            raise ValueError("the task is not the one that was stored")
        return task


def _whole_run(text: str) -> Any:
    return fitting(parse_json(text), RUN_SHAPE)


def _file_of(meta: dict[str, Any], name: str) -> bytes | None:
    if not isinstance(meta[name], (bytes, type(None))):
        raise TypeError(f"{name} is no file")
    content: bytes | None = meta[name]
    return content


def _state_array(rows: Sequence[bytes]) -> StateArray:
    values = np.frombuffer(b"".join(rows), dtype="<u2").astype(np.uint16)
    return values.reshape(len(rows), -1) if rows else _no_states(0)


def _no_states(width: int) -> StateArray:
    return np.empty((0, width), dtype=np.uint16)


def _value(stored: float | None) -> float:
    """SQLite keeps what is no number as nothing."""
    return math.nan if stored is None else stored
