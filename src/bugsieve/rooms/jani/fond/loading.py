"""Loads PDDL with `oneof` effects as a model with a goal and an unsafety condition."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.fond.conditions import ground_condition
from bugsieve.rooms.jani.fond.encoding import TaskEncoder, atom_truth
from bugsieve.rooms.jani.fond.outcomes import split_actions
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.tasks.grounded.loading import AnyPath, task_of
from bugsieve.tasks.grounded.sas_text import read_sas
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.pddl.check import PddlTask, check_pddl
from bugsieve.tasks.pddl.conditions import Truth, read_condition
from bugsieve.tasks.pddl.reader import Block, Document, read_document
from bugsieve.tasks.pddl.summary import PddlTexts


def load_fond(
    domain: AnyPath,
    problem: AnyPath,
    unsafe: str,
    *,
    cache: bool = True,
    limits: TranslationLimits | None = None,
) -> JaniModel:
    """The model of a non-deterministic task; `unsafe` is a PDDL condition on its states.

    States are those of a JANI model with one Boolean variable per atom; the goal is the problem's,
    and the runs start in its initial state.
    """
    danger = read_condition(unsafe, name="unsafe condition")
    found = read_fond(domain, problem, cache=cache, limits=limits)
    condition = ground_condition(danger, found.pddl, found.truth)
    if isinstance(condition, bool):
        when = "holds in every state" if condition else "never holds in a state"
        sentence = f"it {when} of {found.name}, so there is nothing to test"
        raise InputError(f"unsafe condition: {sentence}")
    return load_document(found.document(condition), name=found.name)


@dataclass(frozen=True, eq=False)
class FondTask:
    """A non-deterministic task of which nothing says yet what is unsafe."""

    name: str
    pddl: PddlTask
    task: Task
    """With one deterministic operator for each outcome of an action."""
    encoder: TaskEncoder
    goal: Any

    @property
    def truth(self) -> Truth:
        """The truth of atoms in every state."""
        return atom_truth(self.encoder, self.pddl.problem.atoms)

    def document(self, unsafe: Any) -> dict[str, Any]:
        """The model with an unsafety condition, as JSON."""
        return self.encoder.document(self.pddl.problem.name, self.goal, unsafe)


def read_fond(
    domain: AnyPath,
    problem: AnyPath,
    *,
    cache: bool = True,
    limits: TranslationLimits | None = None,
) -> FondTask:
    """The non-deterministic task of two files."""
    name = os.fspath(problem)
    pddl = check_pddl(domain, problem, rewrite=split_actions)
    goal = _goal(read_document(problem))
    given = task_of(pddl, name, cache=cache, limits=limits)
    # Its PDDL data are about the deterministic actions, which have no `oneof`.
    task = Task(
        given.native,
        name=given.name,
        objects=given.objects,
        initial_atoms=pddl.problem.atoms,
        pddl_texts=PddlTexts(*pddl.texts),
    )
    encoder = TaskEncoder(read_sas(task.to_sas().encode()))
    end = ground_condition(goal, pddl, atom_truth(encoder, pddl.problem.atoms))
    return FondTask(name, pddl, task, encoder, end)


def condition_text(given: str, *, name: str, base: AnyPath = "") -> str:
    """The condition that is given in parentheses, or by the name of a file relative to `base`.

    `name` is what errors call it.
    """
    if given.lstrip().startswith("("):
        return given
    path = os.path.join(base, given)
    if not os.path.isfile(path):
        raise InputError(
            f"{name} {given!r} is neither a file nor a condition in parentheses, "
            "as in '(and (flat) (not (spare)))'"
        )
    return read_document(path).data.decode("latin-1")


def _goal(problem: Document) -> Document:
    """The goal of a checked problem, with the file it stands in."""
    for item in problem.root:
        if isinstance(item, Block) and item and item[0] == ":goal" and isinstance(item[1], Block):
            return Document(problem.path, problem.data, item[1])
    raise problem.error(problem.root, "the problem has no goal")
