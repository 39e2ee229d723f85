"""The atoms of a task's goal as its PDDL has them, those that hold in every state among them."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.tasks.grounded.conditions import vocabulary_of
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.conditions import (
    Junction,
    expand_condition,
    read_condition,
    run_program,
)
from bugsieve.tasks.pddl.formulas import FormulaScope
from bugsieve.tasks.pddl.summary import Term

_Signs = tuple[frozenset[str], frozenset[str]]
"""Atoms that a condition wants to be true, and to be false."""


def goal_atoms(task: Task) -> frozenset[str]:
    """Atoms "(on a b)" that the goal wants to be true; tasks have no goals with a choice."""
    assert task.pddl is not None
    document = read_condition(_text(task.pddl.goal), name="the goal")
    scope = FormulaScope(document, vocabulary_of(task), "the goal", task.objects)
    program = expand_condition(scope, document.root, lambda _: None)
    return frozenset() if isinstance(program, bool) else run_program(program, _atom, _joined)[0]


def _atom(atom: str) -> _Signs:
    return frozenset({atom}), frozenset()


def _joined(junction: Junction, parts: Sequence[_Signs]) -> _Signs:
    true, false = (frozenset().union(*signs) for signs in zip(*parts, strict=True))
    return (false, true) if junction.word == "not" else (true, false)


def _text(term: Term) -> str:
    return term if isinstance(term, str) else f"({' '.join(map(_text, term))})"
