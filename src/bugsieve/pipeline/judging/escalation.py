"""Tells which failing cases to visit again with more effort, and when.

A case in which the policy fails and that all oracles left open is given to one designated search.
Its limit grows tenfold from level to level. What comes next depends on counts of visits and
expansions alone, never on a clock or on the speed of workers. So a campaign that is cut is the
beginning of one that was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.policies.decisions import Ending

SEARCH = "planner:gbfs"
"""The oracle that escalates: greedy search with h^FF, which is complete."""


@dataclass(frozen=True)
class Outlay:
    """Data of one visit on which the order of escalation depends."""

    case: int
    effort: int
    is_open: bool
    """True if the policy fails from the case and it was left undecided at this visit."""
    expanded: int
    settled: tuple[int, ...] = ()
    """Cases that were decided at this visit by what an oracle has learnt."""


class Due(NamedTuple):
    """A visit that comes next."""

    case: int
    level: int


class Escalation:
    """The open cases of a campaign and the levels at which they wait.

    With `at_once`, each goes up all levels before the next case, at any expense.
    """

    def __init__(self, limits: tuple[int, ...], *, at_once: bool = False) -> None:
        self.limits = limits
        self._at_once = at_once
        # Cases come to a level in the order of their age, which a dict keeps.
        self._waiting: list[dict[int, None]] = [{} for _ in limits]
        self._first: int | None = None
        self._judging = 0
        """Expansions of visits at level 0."""
        self._spent = 0
        """Expansions of visits at higher levels, without those of the first case."""

    def note(self, outlay: Outlay) -> None:
        """Take in a visit, all of them in order."""
        case, level = outlay.case, outlay.effort
        if level:
            self._waiting[level - 1].pop(case, None)
            self._spent += 0 if case == self._first else outlay.expanded
        else:
            self._judging += outlay.expanded
        if outlay.is_open and level < len(self.limits):
            self._first = case if self._first is None else self._first
            self._waiting[level][case] = None
        self.settle(outlay.settled)

    def settle(self, decided: Iterable[int]) -> None:
        """Visit these cases no more."""
        for case in decided:
            for cases in self._waiting:
                cases.pop(case, None)

    def awaits(self, visit: Due) -> bool:
        """Return true if the case still waits for this visit: another one may have decided it."""
        return visit.case in self._waiting[visit.level - 1]

    def due(self) -> Due | None:
        """The visit that comes before the next case, if escalation may spend that much by now.

        The first open case goes up all levels at once: it says soon whether the policy's failures
        are bugs. After that, escalation spends no more than judging has.
        """
        for level, cases in enumerate(self._waiting, 1):
            if self._first in cases:
                return Due(self._first, level)
        following = self.rest()
        if following and self._at_once:
            return following[0]
        if following and self._spent + self.limits[following[0].level - 1] <= self._judging:
            return following[0]
        return None

    def rest(self) -> list[Due]:
        """All that wait at the lowest level, the oldest first; what is left when all is judged."""
        for level, cases in enumerate(self._waiting, 1):
            if cases:
                return [Due(case, level) for case in cases]
        return []


def outlay_of(finding: Finding) -> Outlay:
    """The outlay of a finding, as escalation needs it."""
    visit, run = finding.visit, finding.run
    fails = run.ending != Ending.SOLVED and not math.isnan(run.value)
    said = [row.verdict for row in finding.verdicts]
    settled = {*(row.case for row in finding.bugs), *(row.case for row in finding.bounds)}
    settled |= {row.case for row in finding.unstable if not row.cause}  # it could not be proven
    is_open = all(verdict.outcome is Outcome.INCONCLUSIVE for verdict in said)
    return Outlay(
        visit.case,
        visit.effort,
        fails and is_open and visit.case not in settled,
        sum(verdict.expanded for verdict in said),
        tuple(sorted(settled - {visit.case})),
    )
