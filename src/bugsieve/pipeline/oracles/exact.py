"""`exact`: compares every run with the exact cost of a best plan, known of all reachable states.

It judges tasks that are tested whole. Its verdicts leave nothing open but runs that a limit cut.
"""

from __future__ import annotations

import math
from dataclasses import replace

from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive, passed
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.search import TooLargeError
from bugsieve.tasks.search.exact import SPACE_LIMITS

_NOT_REACHABLE = inconclusive("the state cannot be reached from the initial state")
_LOST = passed("no plan exists")
_OPTIMAL = passed("no plan is better")
_LIMITS = replace(SPACE_LIMITS, seconds=None)
"""A campaign that was begun must go on, however slow the machine has become."""


class ExactOracle(Oracle):
    """Explores the whole state space of a small task: all verdicts and gaps are exact.

    For tasks of at most 200 000 reachable states, and plans that are judged by cost or success.
    """

    usage = "exact"

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """None where plans count by cost or success alone and all states can be explored."""
        if (reason := objection_to_objective(bench)) is not None:
            return reason
        try:
            bench.exact_costs(_LIMITS)
        except TooLargeError as error:
            return str(error)
        return None

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        rows = self.bench.exact_costs(_LIMITS).find(suspects.states)
        return [self._judge(suspects, place, row) for place, row in enumerate(rows.tolist())]

    def _judge(self, suspects: Suspects, place: int, row: int) -> Verdict:
        exact, objective = self.bench.exact_costs(), self.bench.objective
        if row < 0:
            return _NOT_REACHABLE
        cost = int(exact.costs[row])
        if cost < 0:
            return _LOST
        best = float(cost) if objective.costs_count else objective.best
        value, runs = float(suspects.values[place]), suspects.runs
        ending = Ending(int(runs.endings[place])).label
        least = objective.at_best(value, ending, int(runs.costs[place]))
        if objective.is_bug(least, best):
            is_exact = not math.isnan(value)  # else the run was cut, and would have cost more
            why = f"a best plan costs {cost}"
            gap = objective.gap(least, best)
            return Verdict(Outcome.BUG, why, exact.plan(row), best, gap, is_exact)
        if math.isnan(value):
            return inconclusive(f"the value of the policy's run is unknown ({ending})")
        return _OPTIMAL


def objection_to_objective(bench: Bench) -> str | None:
    """None, or why exact costs of plans do not decide what is a bug."""
    objective = bench.objective
    if objective.spec in ("quantitative", "qualitative"):
        return None
    return f"exact costs say nothing of the objective {objective.shown(objective.spec)}"
