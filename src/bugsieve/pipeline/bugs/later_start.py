"""The bug that begins in a later state of a policy's run, as its certificate proves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bugsieve.checkers.cost import bug_id
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.certificate import (
    KnownRun,
    certificate_of,
    from_json_number,
    path_part,
    same_policy,
)
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.policies.decisions import Ending

_LOOP = Ending.LOOP.label
_AT_ITS_COST = (Ending.SOLVED.label, Ending.STEP_LIMIT.label)
"""Endings of runs that are worth what they cost; one that was cut, at least that."""
_LOOKS_BACK = {
    "follows_plan": "the policy would make another plan there",
    "avoids_visited": "from there the policy would avoid fewer states",
    "chances": "its run there need not be the likeliest one that fails",
    "rules": "what came before counts for the rules",
}
"""Reasons, by keys of certificates, why a part of the run is not the policy's, or worth less."""


def objection(certificate: Mapping[str, Any]) -> str | None:
    """None, or why the rest of the run need not be the policy's run from a later state."""
    return next((why for key, why in _LOOKS_BACK.items() if key in certificate["run"]), None)


def starting_later(bench: Bench, bug: Bug, steps: int, plan: tuple[int, ...]) -> Bug | None:
    """The bug that begins after so many steps of the run, proven by a plan from there.

    The policy is not asked: it decides by the state alone. None if that plan is not better than
    the rest of the run. A loop may have been gone round by then.
    """
    certificate, task = bug.certificate, bench.task
    run = certificate["run"]
    start = np.array(certificate["state"], dtype=np.uint16)
    before = _steps(run, steps)
    state = path_states(task, start, before)[-1]
    known = _rest(bench, certificate, len(before))
    if not bench.objective.is_bug(known.value, bench.objective.plan_value(state, plan)):
        return None
    made = certificate_of(bench, state, Verdict(Outcome.BUG, plan=plan), run=known)
    made = same_policy(made, certificate)  # the bench need not have it
    found = bug.found_by
    if found is not None and found.path is not None:
        found = replace(found, path=(*found.path, *before))
    return Bug(bug_id(made), made, bug.oracle, bug.reason, found_by=found)


def _steps(run: Mapping[str, Any], count: int) -> tuple[int, ...]:
    """The first steps of the run; where a loop comes round again, those of its first round."""
    operators = tuple(run["operators"])
    if run["ending"] == _LOOP and count >= len(operators):
        first = int(run["loop_start"])
        count = first + (count - first) % (len(operators) - first)
    return operators[:count]


def _rest(bench: Bench, certificate: Mapping[str, Any], steps: int) -> KnownRun:
    run = certificate["run"]
    operators, first = tuple(run["operators"]), run["loop_start"]
    rest, loop_start = operators[steps:], None
    if run["ending"] == _LOOP:
        rest += operators[first : max(first, steps)]
        loop_start = max(0, first - steps)
    value = from_json_number(certificate["policy_value"])
    if run["ending"] in _AT_ITS_COST and bench.objective.costs_count:
        value = float(plan_cost(bench.task, rest))
    return KnownRun({**run, **path_part(bench.task, rest), "loop_start": loop_start}, value)
