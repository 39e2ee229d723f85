"""Bugs without what the task says anyway: how stores keep most bugs of tasks tested whole.

A brief bug has the operators of both runs, and how the policy's ends. With the task and the state
that is the certificate, which the checker then checks as any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bugsieve.pipeline.bugs.certificate import path_part, task_part
from bugsieve.tasks.grounded.task import StateArray, Task

BRIEF = "brief"
"""In the place of the certificate of a bug."""

_OF_THE_TASK = ("task", "state", "facts")
_OF_OPERATORS = ("actions", "cost")


def brief(bug: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a bug, with as little of its certificate as tells it."""
    certificate = bug["certificate"]
    short = {name: part for name, part in certificate.items() if name not in _OF_THE_TASK}
    for name in ("run", "plan"):
        path = certificate[name]
        short[name] = {key: part for key, part in path.items() if key not in _OF_OPERATORS}
    return {**{key: part for key, part in bug.items() if key != "certificate"}, BRIEF: short}


def in_full(short: Mapping[str, Any], task: Task, state: StateArray) -> dict[str, Any]:
    """The inverse of `brief`: the JSON of the bug of this state.

    LookupError, TypeError or ValueError where it is not one of the task.
    """
    told = short[BRIEF]
    paths = {name: _path(task, told[name]) for name in ("run", "plan")}
    certificate = {
        **told,
        "task": task_part(task),
        "state": state.tolist(),
        "facts": sorted(task.facts(state) - task.static_facts),
        **paths,
    }
    rest = {key: part for key, part in short.items() if key != BRIEF}
    return {**rest, "certificate": certificate}


def _path(task: Task, told: Mapping[str, Any]) -> dict[str, Any]:
    operators = tuple(told["operators"])
    if not all(type(op) is int and 0 <= op < task.num_operators for op in operators):
        raise ValueError("an operator is not one of the task")
    return {**path_part(task, operators), **told}
