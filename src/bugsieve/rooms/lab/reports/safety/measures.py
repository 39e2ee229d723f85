"""Measures in the figures of papers/001: verdicts on states, and analyses of whole runs.

Rows are states or runs, columns are oracles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.lab.reports.safety.cards import SafetyCard, oracles_of
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.oracles.registry import parse_safety_spec
from bugsieve.rooms.safety.store.records import SafetyRecords

Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]
Codes = NDArray[np.int8]

NOT_ASKED = -2
"""In the place of a code of `Safety`: the campaign of the state does not have the oracle."""


@dataclass(frozen=True, eq=False)
class StateVerdicts:
    """The verdicts of oracles without any memory on states of unsafe runs."""

    oracles: tuple[str, ...]
    safety: Codes
    seconds: Reals

    @property
    def bugs(self) -> Mask:
        """States that an oracle has proven to be safe: an answer for some radius is enough."""
        return np.asarray((self.safety == Safety.SAFE).any(axis=1))

    @property
    def non_bugs(self) -> Mask:
        """States from which no policy at all avoids danger."""
        # Lost for a finite radius says only that no policy near the tested one avoids danger.
        unbounded = [parse_safety_spec(spec).radius is None for spec in self.oracles]
        return np.asarray((self.safety[:, unbounded] == Safety.LOST).any(axis=1))

    @property
    def undecided(self) -> int:
        """The number of states that are not decided."""
        return int((~self.bugs & ~self.non_bugs).sum())

    def proofs(self, oracle: str, *, of_bugs: bool) -> Proofs:
        """The results of the oracle on the bugs or on the other states."""
        column = self.oracles.index(oracle)
        asked = self.safety[:, column] != NOT_ASKED
        states = (self.bugs if of_bugs else self.non_bugs) & asked
        answer = Safety.SAFE if of_bugs else Safety.LOST
        proven = self.safety[states, column] == answer
        return Proofs(np.flatnonzero(states), proven, self.seconds[states, column])


@dataclass(frozen=True, eq=False)
class Proofs:
    """States that are all bugs, or all none, and whether an oracle says so; how long it took."""

    rows: NDArray[np.intp]
    proven: Mask
    seconds: Reals

    def __len__(self) -> int:
        return len(self.rows)

    def times(self) -> Reals:
        """The seconds that the proofs took, in ascending order."""
        return np.sort(self.seconds[self.proven])


@dataclass(frozen=True, eq=False)
class RunAnalyses:
    """The results of oracles on whole unsafe runs, each different run once."""

    oracles: tuple[str, ...]
    seconds: Reals
    """NaN where an oracle was not asked."""
    faults: Reals
    """The number of faults; NaN where an oracle was not asked."""
    is_open: Mask
    """True if a limit came before an answer."""

    def of(self, oracle: str) -> tuple[Reals, Reals, Mask]:
        """Seconds, faults and `is_open` of the runs that the oracle was asked about."""
        column = self.oracles.index(oracle)
        asked = ~np.isnan(self.seconds[:, column])
        return self.seconds[asked, column], self.faults[asked, column], self.is_open[asked, column]


def state_verdicts(cards: Sequence[SafetyCard]) -> StateVerdicts:
    """The verdicts on single states in these campaigns."""
    oracles = oracles_of(cards)
    safety = [np.empty((0, len(oracles)), dtype=np.int8)]
    seconds = [np.empty((0, len(oracles)))]
    for card in cards:
        with SafetyRecords(card.folder) as records:
            columns = {spec: records.alone(spec) for spec in card.oracles}
        count = len(columns[card.oracles[0]])
        codes = np.full((count, len(oracles)), NOT_ASKED, dtype=np.int8)
        times = np.full((count, len(oracles)), np.nan)
        for spec, rows in columns.items():
            codes[:, oracles.index(spec)] = [row.safety for _, row in rows]
            times[:, oracles.index(spec)] = [row.seconds for _, row in rows]
        safety.append(codes)
        seconds.append(times)
    return StateVerdicts(tuple(oracles), np.concatenate(safety), np.concatenate(seconds))


def run_analyses(cards: Sequence[SafetyCard]) -> RunAnalyses:
    """The analyses of the different unsafe runs in these campaigns."""
    oracles = oracles_of(cards)
    seconds, faults = ([np.empty((0, len(oracles)))] for _ in range(2))
    is_open = [np.empty((0, len(oracles)), dtype=np.bool_)]
    for card in cards:
        with SafetyRecords(card.folder) as records:
            columns = {spec: list(records.verdicts(spec).values()) for spec in card.oracles}
        count = len(columns[card.oracles[0]])
        times, numbers = (np.full((count, len(oracles)), np.nan) for _ in range(2))
        unsure = np.zeros((count, len(oracles)), dtype=np.bool_)
        for spec, rows in columns.items():
            column = oracles.index(spec)
            times[:, column] = [row.seconds for row in rows]
            numbers[:, column] = [len(row.faults) for row in rows]
            unsure[:, column] = [row.reached is not None for row in rows]
        seconds.append(times)
        faults.append(numbers)
        is_open.append(unsure)
    return RunAnalyses(
        tuple(oracles), np.concatenate(seconds), np.concatenate(faults), np.concatenate(is_open)
    )
