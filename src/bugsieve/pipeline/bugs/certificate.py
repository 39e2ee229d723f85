"""Certificates: everything that proves a bug, as plain JSON data.

`checkers.cost` says what must hold of one, and checks it with nothing but the task's text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.base.errors import InternalError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.objectives.objective import Objective, path_states, plan_cost
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.fingerprints import network_key
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.policies.run_table import RunSource, RunTable
from bugsieve.policies.runs import runs_of
from bugsieve.policies.traces import raised_at
from bugsieve.tasks.grounded.task import StateArray, Task

VERSION = 1

NETWORK = "network"
"""The key of a policy's network; certificates of earlier versions lack it."""

_PATH_SHAPE = {"operators": [int], "actions": [str], "cost": int}
RUN_SHAPE = {
    **_PATH_SHAPE,
    "ending": str,
    "loop_start": (int, None),
    "chosen": (int, None),
    "detail": str,
}
SHAPE = {
    "certificate": int,
    "kind": str,
    "task": {"name": str, "sha256": str},
    "objective": str,
    "policy": str,
    "state": [int],
    "facts": [str],
    "run": RUN_SHAPE,
    "plan": _PATH_SHAPE,
    "policy_value": (int, float, None),
    "value": (int, None),
    "gap": (int, float, None),
}
"""The shape of the JSON of certificates; what it proves is the checker's matter."""


@dataclass(frozen=True)
class KnownRun:
    """The policy's run from a state: as certificates have it, and its value."""

    part: Mapping[str, Any]
    value: float

    @classmethod
    def of(cls, bench: Bench, start: StateArray) -> KnownRun:
        """The run as the bench knows it."""
        runs = bench.runs(start)
        return cls(run_part(bench, runs), float(bench.values(runs)[0]))


def certificate_of(
    bench: Bench, state: StateArray, verdict: Verdict, *, run: KnownRun | None = None
) -> dict[str, Any]:
    """The certificate of a bug that an oracle found; InternalError if the verdict proves none.

    `run` is the policy's run from the state, where that is known.
    """
    task, objective = bench.task, bench.objective
    start = task.checked_state(state)
    known = KnownRun.of(bench, start) if run is None else run
    policy_value = objective.at_best(known.value, known.part["ending"], known.part["cost"])
    plan = verdict.plan
    if plan is None or not task.is_goal(path_states(task, start, plan)[-1]).all():
        raise InternalError("a bug was claimed without a plan that reaches the goal")
    value = objective.plan_value(start, plan)
    if not objective.is_bug(policy_value, value):
        raise InternalError(f"a plan worth {value} was called better than {policy_value}")
    return {
        "certificate": VERSION,
        "kind": objective.kind(policy_value),
        "task": task_part(task),
        "objective": objective.spec,
        **policy_part(bench.policy),
        "state": start.tolist(),
        "facts": sorted(task.facts(start) - task.static_facts),
        "run": dict(known.part),
        "plan": path_part(task, plan),
        "policy_value": as_json_number(policy_value),
        "value": as_json_number(value),
        "gap": as_json_number(objective.gap(policy_value, value)),
    }


def with_plan(
    certificate: Mapping[str, Any], objective: Objective, plan: tuple[int, ...]
) -> dict[str, Any]:
    """The certificate with another better run, which the checker has not seen yet."""
    value = objective.plan_value(np.array(certificate["state"], dtype=np.uint16), plan)
    gap = objective.gap(from_json_number(certificate["policy_value"]), value)
    return {
        **certificate,
        "plan": path_part(objective.task, plan),
        "value": as_json_number(value),
        "gap": as_json_number(gap),
    }


def policy_part(policy: Policy) -> dict[str, str]:
    """The policy by its spec, and by what it computes where it is a network."""
    key = network_key(policy)
    return {"policy": policy_name(policy), **({} if key is None else {NETWORK: key})}


def same_policy(certificate: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the certificate with the policy of a known one: ids name the policy."""
    parts = {name: known[name] for name in ("policy", NETWORK) if name in known}
    rest = {name: part for name, part in certificate.items() if name != NETWORK}
    return {name: parts.get(name, part) for name, part in {**rest, **parts}.items()}


def task_part(task: Task) -> dict[str, Any]:
    """The task by its hash; where costs of its files were left out, that is said as well."""
    part: dict[str, Any] = {"name": task.name, "sha256": task.sha256}
    return {**part, "unit_cost": True} if task.unit_cost else part


def as_json_number(value: float) -> int | float | None:
    """Values are whole, infinite or probabilities; infinity, which JSON has not, becomes null."""
    if math.isinf(value):
        return None
    return int(value) if float(value).is_integer() else value


def from_json_number(value: float | None) -> float:
    """The inverse of `as_json_number`."""
    return math.inf if value is None else float(value)


def run_part(bench: Bench, runs: RunTable) -> dict[str, Any]:
    """The policy's run from a state, a table of one row, as certificates have it."""
    (run,), failure = runs_of(runs), runs.failure(0)
    objective, states = bench.objective, run.states(bench.task)
    settled = objective.settled_at(states, run.actions)
    if settled is not None:
        cut, ending = run.actions[:settled], objective.settled_ending
        end = {"ending": ending, "loop_start": None, "chosen": None, "detail": ""}
        more = objective.details(states[: settled + 1], cut, ending, None)
        return {**path_part(bench.task, cut), **end, **memory_mark(runs.source), **more}
    is_illegal = failure is not None and run.ending is Ending.ILLEGAL_ACTION
    return {
        **path_part(bench.task, run.actions),
        "ending": run.ending.label,
        "loop_start": run.loop_start,
        "chosen": failure.action if failure is not None and is_illegal else None,
        "detail": run.detail,
        **_crash_place(failure),
        **memory_mark(runs.source),
        **objective.certificate_parts(runs),
        **objective.details(states, run.actions, run.ending.label, run.loop_start),
    }


def _crash_place(failure: Failure | None) -> dict[str, str]:
    """The place where a crash was raised, if it has a traceback."""
    is_crash = failure is not None and failure.ending is Ending.POLICY_CRASH
    place = raised_at(failure.trace) if failure is not None and is_crash else ""
    return {"raised_at": place} if place else {}


def memory_mark(source: RunSource) -> dict[str, bool]:
    """Return what certificates say of runs in which more than the state decides; mostly nothing.

    The policy made a plan at the start and followed it, or it avoided where it had been.
    """
    marks = {"follows_plan": "follows_plans", "avoids_visited": "avoids_visited"}
    return {mark: True for mark, name in marks.items() if getattr(source, name, False)}


def path_part(task: Task, operators: tuple[int, ...]) -> dict[str, Any]:
    """Operators, their names and what they cost together, as certificates have them."""
    return {
        "operators": list(operators),
        "actions": [task.operator_names[operator] for operator in operators],
        "cost": plan_cost(task, operators),
    }
