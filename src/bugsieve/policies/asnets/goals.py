"""The atoms of a task's goal as its PDDL has them, those that hold in every state among them."""

from __future__ import annotations

from bugsieve.basis.errors import UnsupportedError
from bugsieve.tasks.fdr.conditions import vocabulary_of
from bugsieve.tasks.fdr.task import Task
from bugsieve.tasks.pddl.conditions import (
    Junction,
    Program,
    expand_condition,
    read_condition,
)
from bugsieve.tasks.pddl.formulas import Scope
from bugsieve.tasks.pddl.summary import Term


def goal_atoms(task: Task) -> frozenset[str]:
    """Atoms "(on a b)" that the goal wants to be true; UnsupportedError if it has a choice."""
    assert task.pddl is not None
    document = read_condition(_text(task.pddl.goal), name="the goal")
    scope = Scope(document, vocabulary_of(task), "the goal", task.objects)
    program = expand_condition(scope, document.root, lambda _: None)
    return frozenset() if isinstance(program, bool) else _positive(task, program)


def _positive(task: Task, program: Program) -> frozenset[str]:
    """The atoms of a conjunction of literals."""
    atoms: list[str] = []
    before: str | Junction = ""
    for step in program:
        if not isinstance(step, Junction):
            atoms.append(step)
        elif step.word == "not" and isinstance(before, str):
            atoms.pop()
        elif step.word != "and":
            raise UnsupportedError(
                f"{task.name}: the goal has a choice, and ASNets know only goals that are lists "
                "of literals"
            )
        before = step
    return frozenset(atoms)


def _text(term: Term) -> str:
    return term if isinstance(term, str) else f"({' '.join(map(_text, term))})"
