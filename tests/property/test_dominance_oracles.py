"""No oracle that compares states by dominance ever lies: against h* of all states.

The suspects are all states of the full state space, reachable or not.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isnan
from random import Random

import pytest

from bugsieve.checkers.cost import Checker
from bugsieve.pipeline.bench import Suspects
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from tests.depth import examples
from tests.unit.dominance.plans import cost_of, is_goal, run
from tests.unit.oracles.dominance_cases import DominanceCase, batch, dominance_case

SPECS = {
    "quantitative": ("morph", "morph:1", "morph:all", "morph:all:factors", "local"),
    "qualitative": ("morph:2", "morph:all", "morph:all:factors"),
}
TASKS = examples(2000, quick=200)
CERTIFICATES = 3
"""To check of each oracle on each task."""


@pytest.mark.parametrize("objective", SPECS)
def test_every_bug_is_true(objective: str) -> None:
    seen: Counter[str] = Counter()
    for number in range(TASKS):
        case = dominance_case(number, objective)
        suspects = case.bench.suspects(batch(case.states))
        for spec in SPECS[objective]:
            verdicts = case.oracle(spec).judge(suspects)
            for row, verdict in enumerate(verdicts):
                check_verdict(case, suspects, row, verdict)
            check_certificates(case, suspects, verdicts, Random(number))
            seen.update(f"{spec} {verdict.outcome.value}" for verdict in verdicts)
    for spec in SPECS[objective]:
        assert seen[f"{spec} bug"] >= TASKS / 2, seen
        assert seen[f"{spec} implied"] <= seen[f"{spec} bug"] / 1000, "replay nearly always works"


def check_verdict(case: DominanceCase, suspects: Suspects, row: int, verdict: Verdict) -> None:
    """Bugs are bugs, passes are none, and gaps are bounds."""
    objective = case.bench.objective
    state, value = case.states[row], float(suspects.values[row])
    optimum = case.optimum(state)
    assert verdict.reason
    if verdict.outcome is Outcome.PASS:
        assert not objective.better(optimum, value)
    if verdict.outcome in (Outcome.BUG, Outcome.IMPLIED):
        assert not isnan(value) and objective.better(optimum, value)
        assert 0 < verdict.gap <= objective.gap(value, optimum)
    if verdict.is_bug:
        assert verdict.plan is not None
        assert is_goal(case.task, run(case.task, state, verdict.plan))
        if objective.costs_count:
            assert verdict.value == cost_of(case.task, verdict.plan)
            assert verdict.gap == objective.gap(value, verdict.value)


def check_certificates(
    case: DominanceCase, suspects: Suspects, verdicts: list[Verdict], random: Random
) -> None:
    """The checker accepts some of the certificates, after a journey through JSON."""
    checker = Checker(case.task.to_sas())
    bugs = [row for row, verdict in enumerate(verdicts) if verdict.is_bug]
    for row in random.sample(bugs, min(CERTIFICATES, len(bugs))):
        certificate = certificate_of(case.bench, suspects.states[row], verdicts[row])
        checker.check(json.loads(json.dumps(certificate)))
