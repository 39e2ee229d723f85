"""`bounds:h,H`: the policy between an optimistic and a pessimistic bound (Section 4, papers/000).

h never says worse than the optimum, H is the value of some run. Propositions 8, 10 and 11 are
pure functions of such values; by Theorem 12 the latter two confirm nothing that 8 does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, passed
from bugsieve.pipeline.objectives.objective import Objective
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.planners import PLANNERS, check_planner
from bugsieve.pipeline.oracles.registry import ORACLES, make_oracle
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits

DEFAULT_NAMES = ("lmcut", "ehc")
ADMISSIBLE = ("blind", "hmax", "lmcut")


@dataclass(frozen=True)
class Point:
    """A state as the propositions see it."""

    policy: float  # V^π
    optimistic: float  # h
    pessimistic: float  # H


def point(objective: Objective, policy: float, optimistic: float, found: float | None) -> Point:
    """The point of a state where another run of value `found` is known, or none.

    The policy's own run attains its value, which bounds the others from both sides.
    """
    h = policy if objective.better(policy, optimistic) else optimistic
    return Point(policy, h, policy if found is None else found)


def proposition_8(objective: Objective, s: Point) -> float:
    """A lower bound on the gap of s; above 0, it confirms s as a bug."""
    if objective.better(s.policy, s.pessimistic):
        return 0.0
    return objective.gap(s.policy, s.pessimistic)  # L


def proposition_10(objective: Objective, s: Point, s0: Point) -> bool:
    """Return true if the policy is worse in s than in s0 by more than the optimum can change."""
    # |V*(s) - V*(s0)| cannot exceed the larger of these two: whichever optimum is better, one of
    # the pairs lies outside both (papers/000, proof of Proposition 10).
    change = max(  # U(s, s0)
        objective.gap(s.optimistic, s0.pessimistic), objective.gap(s.pessimistic, s0.optimistic)
    )
    worse = not objective.better(s.policy, s0.policy)
    return worse and objective.gap(s.policy, s0.policy) > change


def proposition_11(objective: Objective, s: Point, s0: Point) -> bool:
    """Return true if the optimum improves from s0 to s by more than the policy's value changes."""
    if not objective.better(s.pessimistic, s0.optimistic):
        return False
    # H(s) is better than h(s0), so the intervals between the bounds are disjoint. This is the
    # least that the optima can be apart (papers/000, Proposition 11).
    change = objective.gap(s.pessimistic, s0.optimistic)  # L(s, s0)
    if math.isinf(s.policy) and math.isinf(s0.policy):
        return math.isinf(change)  # the gap of s is infinite, and that of s0 must not be
    return objective.gap(s.policy, s0.policy) < change


class BoundsOracle(Oracle):
    """Compares the policy with an optimistic and a pessimistic bound on the best run."""

    usage = "bounds[:h,H] (default lmcut,ehc)"
    examples = ("bounds", "bounds:hmax,gbfs-100", "bounds:blind,aras")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self._heuristic, self._pessimist = _names(spec.partition(":")[2])
        self._other = make_oracle(_pessimist_spec(self._pessimist), bench, limits=limits)
        self._alternatives = bench.objective.alternatives()

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names an admissible heuristic, or that and a planner."""
        _names(argument or "")

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The reach of the oracle that H comes from."""
        return ORACLES.reach_of(_pessimist_spec(_names(argument or "")[1]))

    def close(self) -> None:
        """Close the oracle that H comes from."""
        self._other.close()

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        verdicts = {
            row: verdict
            for row in range(len(suspects))
            if (verdict := self.settled(suspects, row)) is not None
        }
        optimistic = self.optimistic(suspects.states)
        # h is the best that any run could be: if even that is not better than the policy's run,
        # nothing is, and H need not be computed.
        for row, (value, h) in enumerate(zip(suspects.values, optimistic, strict=True)):
            if row not in verdicts and not self.bench.objective.better(h, float(value)):
                verdicts[row] = passed(f"{self._heuristic} shows that no run is better")
        rows = [row for row in range(len(suspects)) if row not in verdicts]
        judged = self._other.judge(suspects.rows(rows)) if rows else []
        for row, verdict in zip(rows, judged, strict=True):
            verdicts[row] = self._judged(suspects, row, optimistic[row], verdict)
        return [verdicts[row] for row in range(len(suspects))]

    def optimistic(self, states: StateArray) -> list[float]:
        """h of each state, the worst value where nothing acceptable can be reached."""
        objective = self.bench.objective
        starts = [self._alternatives.start(state) for state in states]
        known = [start for start in starts if start is not None]
        if not known:
            return [objective.worst] * len(starts)
        found = iter(self._alternatives.task.heuristic(self._heuristic).evaluate(np.stack(known)))
        values = (DEAD_END if start is None else int(next(found)) for start in starts)
        return [
            objective.worst
            if value == DEAD_END
            else (float(value) if objective.costs_count else objective.best)
            for value in values
        ]

    def _judged(self, suspects: Suspects, row: int, h: float, verdict: Verdict) -> Verdict:
        if verdict.value is None:
            return verdict
        s = point(self.bench.objective, float(suspects.values[row]), h, verdict.value)
        confirming = ["8", *self._compared(s, suspects, row)]
        names = f"Proposition{'s' if len(confirming) > 1 else ''} {' and '.join(confirming)}"
        reason = f"{names} with H from {self._pessimist}"
        # If H meets h, both are the optimum, and the gap is exact.
        return replace(verdict, reason=reason, exact=verdict.exact or verdict.value == h)

    def _compared(self, s: Point, suspects: Suspects, row: int) -> Sequence[str]:
        """The propositions that confirm s relative to the start of its walk.

        Asked only for bugs by Proposition 8: by Theorem 12 they confirm no others.
        """
        origin = suspects.origins[row]
        if origin is None:
            return ()
        objective = self.bench.objective
        start = self.bench.suspects(origin.start)
        value = float(start.values[0])
        if math.isnan(value):
            return ()
        found = self._other.judge(start)[0].value
        (h,) = self.optimistic(start.states)
        s0 = point(objective, value, h, found)
        propositions = {"10": proposition_10, "11": proposition_11}
        return [name for name, holds in propositions.items() if holds(objective, s, s0)]


def _pessimist_spec(name: str) -> str:
    """The oracle that finds H."""
    return name if name == "aras" else f"planner:{name}"


def _names(argument: str) -> tuple[str, str]:
    """The heuristic and the planner of `h,H`; either may be left out."""
    heuristic, comma, pessimist = (part.strip() for part in argument.partition(","))
    if comma and not pessimist:
        raise UsageError(f"name a planner after the comma, one of aras, {', '.join(PLANNERS)}")
    heuristic = heuristic or DEFAULT_NAMES[0]
    if heuristic not in ADMISSIBLE:
        raise UsageError(no_such("admissible heuristic", heuristic, ADMISSIBLE))
    if pessimist not in ("", "aras"):
        check_planner(pessimist)
    return heuristic, pessimist or DEFAULT_NAMES[1]
