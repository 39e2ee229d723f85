"""Loads PDDL with `oneof` effects as a model with a goal and an unsafety condition."""

from __future__ import annotations

import os

from bugsieve.basis.errors import InputError
from bugsieve.tasks.fdr.loading import AnyPath, task_of
from bugsieve.tasks.fdr.sas_text import read_sas
from bugsieve.tasks.fdr.translator import TranslationLimits
from bugsieve.tasks.fond.conditions import ground_condition
from bugsieve.tasks.fond.encoding import TaskEncoder, atom_truth
from bugsieve.tasks.fond.outcomes import split_actions
from bugsieve.tasks.jani.loading import load_document
from bugsieve.tasks.jani.model import JaniModel
from bugsieve.tasks.pddl.check import check_pddl
from bugsieve.tasks.pddl.conditions import read_condition
from bugsieve.tasks.pddl.reader import Block, Document, read_document


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
    name = os.fspath(problem)
    pddl = check_pddl(domain, problem, rewrite=split_actions)
    goal = _goal(read_document(problem))
    danger = read_condition(unsafe, name="unsafe condition")
    task = task_of(pddl, name, cache=cache, limits=limits)
    encoder = TaskEncoder(read_sas(task.to_sas().encode()))
    truth = atom_truth(encoder, pddl.problem.atoms)
    end = ground_condition(goal, pddl, truth)
    condition = ground_condition(danger, pddl, truth)
    if isinstance(condition, bool):
        when = "holds in every state" if condition else "never holds in a state"
        raise InputError(f"unsafe condition: it {when} of {name}, so there is nothing to test")
    return load_document(encoder.document(pddl.problem.name, end, condition), name=name)


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
