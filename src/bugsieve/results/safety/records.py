"""Reads the records of a safety campaign: as columns for reports, as rows for people.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.bugs.safety.bug import FAULT, safety_bug_from_json
from bugsieve.judging.findings import Sighting
from bugsieve.judging.runs import SafetyBugRow
from bugsieve.oracles.safety.analysis import LoneVerdict, RunVerdict
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.results.records import CampaignRecords, columns_of
from bugsieve.results.tables import SAFETY
from bugsieve.tasks.jani.saved import SavedModel

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WalkColumns:
    """The walks, in order."""

    numbers: Integers
    outcomes: tuple[str, ...]
    steps: Integers
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """The unsafe runs, in the order of the walks that found them."""

    walks: Integers
    same_as: Integers
    """The first walk that found the same run: the walk itself for those that are different."""
    steps: Integers

    def __len__(self) -> int:
        return len(self.walks)


class SafetyRecords(CampaignRecords[SafetyBugRow]):
    """The records of one safety campaign, as they were when it was opened."""

    wanted_kind = SAFETY

    def case_count(self) -> int:
        """How many unsafe runs there are."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM runs")
        return int(count)

    def walks(self) -> WalkColumns:
        """All walks."""
        rows = self._rows("SELECT * FROM walks ORDER BY number")
        numbers, outcomes, steps, seconds = columns_of(rows, 4)
        return WalkColumns(
            np.array(numbers, dtype=np.int64),
            tuple(outcomes),
            np.array(steps, dtype=np.int64),
            np.array(seconds, dtype=np.float64),
        )

    def outcomes(self) -> dict[str, int]:
        """How many walks ended in each way that occurs, by values of `WalkOutcome`."""
        return dict(self._rows("SELECT outcome, COUNT(*) FROM walks GROUP BY 1 ORDER BY 1"))

    def walk_steps(self) -> tuple[int, int]:
        """The steps of the shortest and of the longest walk; 0 if there are no walks."""
        query = "SELECT IFNULL(MIN(steps), 0), IFNULL(MAX(steps), 0) FROM walks"
        ((least, most),) = self._rows(query)
        return least, most

    def runs(self) -> RunColumns:
        """All unsafe runs, without their states."""
        rows = self._rows("SELECT walk, IFNULL(same_as, walk), steps FROM runs ORDER BY walk")
        walks, same_as, steps = columns_of(rows, 3)
        return RunColumns(
            np.array(walks, dtype=np.int64),
            np.array(same_as, dtype=np.int64),
            np.array(steps, dtype=np.int64),
        )

    def run(self, walk: int) -> UnsafeRun:
        """The unsafe run that a walk found."""
        query = "SELECT states, actions FROM runs WHERE walk = ?"
        first = "SELECT IFNULL(same_as, walk) FROM runs WHERE walk = ?"
        ((same_as,),) = self._rows(first, walk)
        ((states, actions),) = self._rows(query, same_as)
        choices = np.frombuffer(actions, dtype="<i4").astype(np.int32)
        words = np.frombuffer(states, dtype="<u8").astype(np.uint64)
        return UnsafeRun(words.reshape(len(choices) + 1, -1), choices)

    def digests(self) -> dict[bytes, int]:
        """The digests of all different runs, with the first walk that found each, in order."""
        query = "SELECT digest, walk FROM runs WHERE same_as IS NULL ORDER BY walk"
        return dict(self._rows(query))

    def verdicts(self, oracle: str) -> dict[int, RunVerdict]:
        """What the oracle of this spec said of each different run, by the walk that found it."""
        rows = self._rows(
            "SELECT case_number, safety, faults, open_faults, reached, expanded, seconds"
            " FROM verdicts JOIN visits ON visit = visits.number WHERE oracle = ? ORDER BY visit",
            self._specs.index(oracle),
        )
        return {
            walk: RunVerdict(
                oracle,
                np.frombuffer(safety, dtype=np.int8),
                tuple(json.loads(faults)),
                tuple(json.loads(open_faults)),
                *rest,
            )
            for walk, safety, faults, open_faults, *rest in rows
        }

    def alone(self, oracle: str) -> list[tuple[int, LoneVerdict]]:
        """What the oracle said of single states without any memory, with the walks."""
        rows = self._rows(
            "SELECT walk, position, safety, reached, expanded, seconds FROM alone"
            " WHERE oracle = ? ORDER BY walk, position",
            self._specs.index(oracle),
        )
        return [(walk, LoneVerdict(position, oracle, *rest)) for walk, position, *rest in rows]

    def bug_visits(self) -> dict[str, int]:
        """The visits that found all bugs, by the ids of the bugs."""
        return dict(self._rows("SELECT id, found FROM bugs ORDER BY rowid"))

    def ranked(self) -> list[str]:
        """The ids of all bugs: faults first, those in most runs before others, then by steps."""
        runs = self.bug_runs()
        rows = self._rows("SELECT id, kind, steps FROM bugs ORDER BY rowid")
        rows.sort(key=lambda row: (row[1] != FAULT, -runs[row[0]], row[2]))
        return [name for name, _, _ in rows]

    def bug_runs(self) -> dict[str, int]:
        """In how many unsafe runs each bug occurs, by its id."""
        query = (
            "SELECT bug, COUNT(DISTINCT runs.walk) FROM sightings"
            " JOIN visits ON visit = visits.number"
            " JOIN runs ON IFNULL(runs.same_as, runs.walk) = case_number GROUP BY bug"
        )
        return dict(self._rows(query))

    def sightings(self) -> dict[int, tuple[Sighting, ...]]:
        """The bugs in each different run that has some, by the walk that found the run."""
        found: dict[int, tuple[Sighting, ...]] = {}
        query = (
            "SELECT case_number, position, bug FROM sightings JOIN visits"
            " ON visit = visits.number ORDER BY visit, position"
        )
        for walk, *sighting in self._rows(query):
            found[walk] = (*found.get(walk, ()), Sighting(*sighting))
        return found

    def proof_seconds(self) -> float:
        """How long writing and checking certificates took."""
        ((seconds,),) = self._rows("SELECT TOTAL(proof_seconds) FROM runs")
        return float(seconds)

    def _bug(self, case: int, data: Any, *rest: Any) -> SafetyBugRow:
        return SafetyBugRow(case, safety_bug_from_json(data, source=self._source), *rest)

    def _subject(self, meta: dict[str, Any]) -> SavedModel:
        return SavedModel(meta["model name"], meta["model"], tuple(json.loads(meta["actions"])))
