"""Reads the records of a campaign of cost testing: as columns for reports, as rows for people.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.bugs.cost.bug import bug_from_json
from bugsieve.results.rows import (
    BugRow,
    CampaignHeader,
    OracleRow,
    Progress,
    RejectedRow,
    TimelineRow,
)
from bugsieve.results.saved_task import SavedTask
from bugsieve.results.schema import STORE_FILE
from bugsieve.results.store_file import StoreReader, columns_of
from bugsieve.results.tables import COST
from bugsieve.tasks.fdr.task import StateArray

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

_BUGS = "SELECT number, bug, finders, seconds FROM bugs"


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


class Records(StoreReader):
    """The records of one campaign, as they were when it was opened."""

    wanted_kind = COST

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        super().__init__(directory)
        self.header = self._header()
        self._specs = [oracle.spec for oracle in self.header.oracles]

    def progress(self) -> Progress:
        """How far the campaign has come."""
        (row,) = self._rows("SELECT * FROM progress")
        return Progress(*row[1:])

    def pool_size(self) -> int:
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
        values = np.frombuffer(b"".join(states), dtype="<u2").astype(np.uint16)
        lengths = [len(piece) // 4 for piece in actions]
        return PoolColumns(
            values.reshape(len(rows), -1) if rows else np.empty((0, 0), dtype=np.uint16),
            np.array(parents, dtype=np.int64),
            np.array(walks, dtype=np.int64),
            np.frombuffer(b"".join(actions), dtype="<i4").astype(np.int32),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
            np.array(seconds, dtype=np.float64),
        )

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

    def verdicts(self, oracle: str) -> VerdictColumns:
        """What the oracle of this spec said."""
        rows = self._rows(
            "SELECT number, outcome, reason, gap, value, exact, seconds"
            " FROM verdicts WHERE oracle = ? ORDER BY number",
            self._specs.index(oracle),
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

    def plans(self, oracle: str) -> dict[int, tuple[int, ...]]:
        """The better runs that the oracle found, by the number of the pool state."""
        query = "SELECT number, plan FROM verdicts WHERE oracle = ? AND plan IS NOT NULL"
        return {
            number: tuple(np.frombuffer(plan, dtype="<i4").tolist())
            for number, plan in self._rows(query, self._specs.index(oracle))
        }

    def bugs(self) -> list[BugRow]:
        """All bugs, in the order of the pool."""
        return list(map(self._bug, self._rows(f"{_BUGS} ORDER BY number")))

    def bug(self, name: str) -> BugRow | None:
        """The bug of this id, or of the only one that begins so."""
        rows = self._rows(f"{_BUGS} WHERE substr(id, 1, ?) = ?", len(name), name)
        return self._bug(rows[0]) if len(rows) == 1 else None

    def bugs_by_kind(self) -> dict[str, int]:
        """How many bugs there are of each kind that occurs."""
        return dict(self._rows("SELECT kind, COUNT(*) FROM bugs GROUP BY kind ORDER BY kind"))

    def outcomes(self) -> dict[str, dict[str, int]]:
        """For each oracle in use, how often it gave each outcome."""
        counts: dict[str, dict[str, int]] = {spec: {} for spec in self.header.used_oracles}
        query = "SELECT oracle, outcome, COUNT(*) FROM verdicts GROUP BY oracle, outcome"
        for oracle, outcome, count in self._rows(query):
            counts[self._specs[oracle]][outcome] = count
        return counts

    def implied(self) -> int:
        """How many states some oracle says must be bugs, although nobody has a better run."""
        query = (
            "SELECT COUNT(DISTINCT number) FROM verdicts WHERE outcome = 'implied'"
            " AND number NOT IN (SELECT number FROM bugs)"
        )
        ((count,),) = self._rows(query)
        return int(count)

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
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'failures'"):
            return found  # written before reasons were kept
        query = (
            "SELECT ending, detail, COUNT(*) FROM failures JOIN runs USING (number)"
            " GROUP BY ending, detail ORDER BY ending, COUNT(*) DESC, MIN(number)"
        )
        for ending, detail, count in self._rows(query):
            found.setdefault(ending, {})[detail] = count
        return found

    def rejected(self) -> list[RejectedRow]:
        """Claims of oracles that the checker did not accept."""
        rows = self._rows("SELECT number, oracle, reason, certificate FROM rejected")
        return [
            RejectedRow(number, self._specs[oracle], reason, json.loads(certificate or "null"))
            for number, oracle, reason, certificate in rows
        ]

    def timeline(self) -> list[TimelineRow]:
        """What happened when."""
        return [TimelineRow(*row) for row in self._rows("SELECT * FROM timeline ORDER BY rowid")]

    def _bug(self, row: tuple[Any, ...]) -> BugRow:
        number, bug, finders, seconds = row
        specs = tuple(self._specs[finder] for finder in json.loads(finders))
        source = str(self.directory / STORE_FILE)
        return BugRow(number, bug_from_json(json.loads(bug), source=source), specs, seconds)

    def _header(self) -> CampaignHeader:
        meta = self._meta
        task = SavedTask(
            meta["task name"],
            meta["task sas"],
            tuple((name, kind) for name, kind in json.loads(meta["task objects"])),
            tuple(json.loads(meta["task static facts"])),
            meta["domain"],
            meta["problem"],
        )
        oracles = self._rows("SELECT spec, objection FROM oracles ORDER BY number")
        return CampaignHeader(
            meta["options"],
            task,
            meta["policy"],
            meta["policy is object"] == "1",
            meta["objective"],
            tuple(OracleRow(*row) for row in oracles),
        )
