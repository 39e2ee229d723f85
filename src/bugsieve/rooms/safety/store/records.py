"""Reads the records of a safety campaign: as columns for reports, as rows for people.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.files_and_processes.foreign_json import fitting, parse_json
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.records import (
    CampaignRecords,
    columns_of,
    json_of,
    stored_cause,
    text_of,
)
from bugsieve.campaigns.store.schema import damaged, understood
from bugsieve.campaigns.store.tables import SAFETY
from bugsieve.explanation.causes.groups import Group
from bugsieve.explanation.causes.tree import where
from bugsieve.pipeline.judging.findings import Sighting
from bugsieve.rooms.jani.model.model import JaniModel, Valuations, WordArray
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import FAULT, SafetyBug, safety_bug_from_json
from bugsieve.rooms.safety.oracles.analysis import LoneVerdict, RunVerdict
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.proofs import ProofReader
from bugsieve.rooms.safety.store.tables import SAFETY_CONDITIONS, SAFETY_TABLES
from bugsieve.rooms.safety.walks.run_examiner import SafetyBugRow, run_digest

Integers = NDArray[np.int64]

_RUNS_READ = 300
"""The number of runs that the descriptions of causes are made from."""


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
class UnsafeRunColumns:
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
    tables = SAFETY_TABLES
    conditions = SAFETY_CONDITIONS

    def _header(self, oracles: list[Any]) -> CampaignHeader:
        header = super()._header(oracles)
        if not header.used_oracles:
            raise ValueError("there is no oracle")
        return header

    def case_count(self) -> int:
        """The number of unsafe runs."""
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
        """The number of walks that ended in each way that occurs, by values of `WalkOutcome`."""
        return dict(self._rows("SELECT outcome, COUNT(*) FROM walks GROUP BY 1 ORDER BY 1"))

    def walk_steps(self) -> tuple[int, int]:
        """The steps of the shortest and of the longest walk; 0 if there are no walks."""
        query = "SELECT IFNULL(MIN(steps), 0), IFNULL(MAX(steps), 0) FROM walks"
        ((least, most),) = self._rows(query)
        return least, most

    def runs(self) -> UnsafeRunColumns:
        """All unsafe runs, without their states."""
        rows = self._rows("SELECT walk, IFNULL(same_as, walk), steps FROM runs ORDER BY walk")
        walks, same_as, steps = columns_of(rows, 3)
        return UnsafeRunColumns(
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
        run = UnsafeRun(words.reshape(len(choices) + 1, -1), choices)
        if not self._is_possible(run):
            raise damaged(self.directory, f"table runs, row {same_as}: is no run of the model")
        return run

    def digests(self) -> dict[bytes, int]:
        """The digests of all different runs, with the first walk that found each, in order."""
        query = "SELECT digest, walk FROM runs WHERE same_as IS NULL ORDER BY walk"
        return dict(self._rows(query))

    def verdicts(self, oracle: str) -> dict[int, RunVerdict]:
        """The verdict of this oracle on each different run, by the walk that found it."""
        rows = self._rows(
            "SELECT case_number, safety, faults, open_faults, reached, expanded, seconds"
            " FROM verdicts JOIN visits ON visit = visits.number WHERE oracle = ? ORDER BY visit",
            self._specs.index(oracle),
        )
        with understood(self.directory):
            return {walk: _verdict(oracle, *rest) for walk, *rest in rows}

    def alone(self, oracle: str) -> list[tuple[int, LoneVerdict]]:
        """The verdicts of this oracle on single states without any memory, with the walks."""
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
            "WITH times AS"
            " (SELECT IFNULL(same_as, walk) AS first, COUNT(*) AS runs FROM runs GROUP BY first)"
            " SELECT bug, SUM(runs) FROM"
            " (SELECT DISTINCT bug, case_number FROM sightings"
            " JOIN visits ON visit = visits.number) JOIN times ON first = case_number GROUP BY bug"
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

    def causes(self) -> list[Group]:
        """All bugs by their causes, with where they lie among the good decisions of the runs."""
        groups = super().causes()
        if not groups:
            return groups
        faults, others = self._decisions()
        return [
            replace(group, cause=replace(group.cause, traits=(place,) if place else ()))
            for group in groups
            for place in [where(self.model.variables, faults[group.cause.id], others)]
        ]

    def _decisions(self) -> tuple[dict[str, Valuations], Valuations]:
        """The states of bugs by their causes, and those of good decisions, in the first runs."""
        rows = self._rows("SELECT id, cause, traits FROM bugs")
        with understood(self.directory):
            causes = {name: stored_cause(*cause).id for name, *cause in rows}
        verdicts = self.verdicts(self.header.used_oracles[0])
        faults: dict[str, list[WordArray]] = {cause: [] for cause in causes.values()}
        others: list[WordArray] = []
        for walk, sightings in list(self.sightings().items())[:_RUNS_READ]:
            states, safe = self.run(walk).states, verdicts[walk].safety == Safety.SAFE
            for sighting in sightings:
                faults[causes[sighting.bug]].append(states[sighting.position])
            seen = {sighting.position for sighting in sightings}
            good = np.flatnonzero(safe[:-1] & safe[1:])
            others += [states[place] for place in good.tolist() if place not in seen]
        return {cause: self._different(rows) for cause, rows in faults.items()}, self._different(
            others
        )

    def _different(self, states: list[WordArray]) -> Valuations:
        """The values of different states."""
        if not states:
            return np.empty((0, self.model.num_variables))
        return self.model.unpack(np.unique(np.stack(states), axis=0))

    def proof_seconds(self) -> float:
        """The time for writing and checking certificates."""
        ((seconds,),) = self._rows("SELECT TOTAL(proof_seconds) FROM runs")
        return float(seconds)

    @cached_property
    def model(self) -> JaniModel:
        """The model, ready for use."""
        model: JaniModel = self.header.subject.load(source=str(self.directory))
        if model.actions != self.header.subject.actions:
            raise damaged(self.directory, "table meta, row actions: are not those of the model")
        return model

    def first_wrong_case(self) -> tuple[int, str] | None:
        """The first unsafe run that is not a run of the model."""
        for digest, walk in self.digests().items():
            try:
                run = self.run(walk)
            except InputError as error:
                return walk, str(error)
            if run_digest(run) != digest:
                return walk, f"table runs, row {walk}: is another run than its digest says"
        return None

    def _is_possible(self, run: UnsafeRun) -> bool:
        """Return true if states and actions are those of the model; oracles check its steps."""
        if len(run.actions) and not 0 <= run.actions.min() <= run.actions.max() < len(
            self.model.actions
        ):
            return False
        try:
            return bool((self.model.pack(self.model.unpack(run.states)) == run.states).all())
        except (BugsieveError, ValueError):
            return False

    def _bug(self, case: int, data: Any, *rest: Any) -> SafetyBugRow:
        bug = safety_bug_from_json(
            data, source=self._source, certificate_of=self._proofs.certificate
        )
        if bug.found_in is None or not self._has_actions(bug):
            raise damaged(
                self.directory,
                f"table bugs, row {bug.id}: the certificate does not hold of the model's actions",
            )
        return SafetyBugRow(case, bug, *rest)

    @cached_property
    def _proofs(self) -> ProofReader:
        return ProofReader(self._rows)

    def _has_actions(self, bug: SafetyBug) -> bool:
        """Return true if the decisions in the bug's state are actions of the model."""
        numbers = [bug.action, bug.safe_action]
        return min(numbers) >= 0 and max(numbers) < len(self.header.subject.actions)

    def _subject(self, meta: dict[str, Any]) -> SavedModel:
        json_of(meta, "model", {})
        return SavedModel(
            text_of(meta, "model name"),
            text_of(meta, "model"),
            tuple(json_of(meta, "actions", [str])),
        )


def _verdict(oracle: str, safety: bytes, faults: str, open_faults: str, *rest: Any) -> RunVerdict:
    codes = np.frombuffer(safety, dtype=np.int8)
    if not np.isin(codes, list(Safety)).all():
        raise ValueError("table verdicts: safety has an unknown code")
    found, unknown = (tuple(fitting(parse_json(text), [int])) for text in (faults, open_faults))
    if any(not 0 <= position < len(codes) for position in (*found, *unknown)):
        raise ValueError("table verdicts: a fault is none of the run")
    return RunVerdict(oracle, codes, found, unknown, *rest)
