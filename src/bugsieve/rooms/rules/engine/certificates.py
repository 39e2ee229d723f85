"""Certificates of decisions, in the form that the checker of rules reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from bugsieve.rooms.rules.engine.conditions import Condition, to_json
from bugsieve.rooms.rules.engine.proofs import Proof
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.tasks.grounded.task import Task

VERSION = 1

Certificate: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Statement:
    """A claim about a task: that there is a trace, or that there is none.

    - `rule`: the rule's instance as text; empty where there is none.
    - `claim`: "violation", "satisfaction", "trap", "refutation" (the formula is then the
      negation of the rule, which nothing after the trace keeps), or words of one's own.
    - `formula`: what traces must satisfy, already in its view.
    """

    rule: str
    claim: str
    view: str
    formula: Formula
    atoms: Mapping[str, Condition] = field(default_factory=dict)
    with_goal: bool = False
    lasso: bool = False


def trace_certificate(
    task: Task,
    statement: Statement,
    operators: Sequence[int],
    *,
    loop_start: int | None = None,
    state: ArrayLike | None = None,
    rest: str = "",
) -> Certificate:
    """That the operators are a trace from the state that satisfies the statement's formula.

    Of a refutation, `rest` says how the checker finds that nothing after it keeps the rule.
    """
    names = task.operator_names
    trace = {
        "operators": [int(operator) for operator in operators],
        "actions": [names[operator] for operator in operators],
        "loop_start": loop_start,
    }
    more = {"rest": {"by": rest}} if rest else {}
    return {**_beginning(task, statement, "trace", state), "trace": trace, **more}


def none_certificate(
    task: Task, statement: Statement, proof: Proof, *, state: ArrayLike | None = None
) -> Certificate:
    """That no trace from the state satisfies the formula, by one of `proofs`."""
    return {**_beginning(task, statement, "none", state), "proof": proof}


def _beginning(
    task: Task, statement: Statement, kind: str, state: ArrayLike | None
) -> Certificate:
    digest = task.sha256
    if state is not None:
        digest = hashlib.sha256(task.to_sas(state).encode()).hexdigest()
    used = atoms_of(statement.formula)
    return {
        "certificate": VERSION,
        "kind": kind,
        "task": {"name": task.name, "sha256": digest},
        "rule": statement.rule,
        "claim": statement.claim,
        "view": statement.view,
        "formula": to_text(statement.formula),
        "atoms": {name: to_json(statement.atoms[name]) for name in used},
        "with_goal": statement.with_goal,
        "lasso": statement.lasso,
    }
