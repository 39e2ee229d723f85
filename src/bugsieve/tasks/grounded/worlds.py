"""Tasks for questions about actions alone, which a goal that cannot be reached must not prevent.

The translator makes no task of a problem whose goal is trivial. A problem like that is translated
with another goal, one that an action of our own reaches, and that action is then taken out again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bugsieve.tasks.grounded.loading import native_task, task_of
from bugsieve.tasks.grounded.sas_text import from_core, write_sas
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import TranslationLimits, TrivialGoalError
from bugsieve.tasks.pddl.check import PddlTask, check_documents, check_pddl
from bugsieve.tasks.pddl.domain import section
from bugsieve.tasks.pddl.reader import Block, Document, make_block, make_word, parse, to_text
from bugsieve.tasks.pddl.summary import without_constraints
from bugsieve.tasks.sources import task_files

_NAME = "goal-is-open"


@dataclass(frozen=True)
class ActionWorld:
    """All that the actions of a task can do."""

    task: Task
    goal_holds: bool | None = None
    """True if the goal holds in every state, False if in none; None if that must be looked for."""


def load_world(
    domain: str, problem: str, *, limits: TranslationLimits | None = None
) -> ActionWorld:
    """The world of two PDDL files; their `:constraints` are left out, as for those who test them.

    InputError where the files are not PDDL or the translator refuses them.
    """
    names = task_files(domain, problem)
    return world_of(check_pddl(*names, rewrite=without_constraints), limits=limits)


def world_of(pddl: PddlTask, *, limits: TranslationLimits | None = None) -> ActionWorld:
    """The world of checked PDDL; InputError where the translator refuses it."""
    name = pddl.problem.document.path
    try:
        return ActionWorld(task_of(pddl, name, limits=limits))
    except TrivialGoalError as error:
        opened, helper = _with_open_goal(pddl)
        task = task_of(opened, name, limits=limits)
        return ActionWorld(_without(task, helper, pddl, holds=error.holds), error.holds)


def _without(task: Task, helper: str, pddl: PddlTask, *, holds: bool) -> Task:
    """The task without our own action, and with a goal as trivial as that of the problem."""
    source = from_core(task.native)
    source.operators = [
        o for o, name in zip(source.operators, task.operator_names, strict=True) if name != helper
    ]
    variable, value = source.goal[0]
    source.goal = [(variable, source.initial[variable] if holds else value)]
    return Task(
        native_task(write_sas(source), task.name),
        name=task.name,
        objects=task.objects,
        initial_atoms=pddl.problem.atoms,
        pddl_texts=pddl.given,
    )


def _with_open_goal(pddl: PddlTask) -> tuple[PddlTask, str]:
    """The task with a goal that an action without conditions reaches, and that action."""
    domain, problem = pddl.domain, pddl.problem
    name = _unused({*domain.vocabulary.predicates, *domain.actions})
    parts = [item for item in domain.document.root if not _is(item, ":predicates")]
    declared = [to_text(item) for item in section(domain.sections, ":predicates")[1:]]
    added = (
        f"(:predicates {' '.join(declared)} ({name}))",
        f"(:action {name} :parameters () :precondition () :effect ({name}))",
    )
    new = [parse(text.encode("ascii"), domain.document.path) for text in added]
    goal = make_block(0, make_word(":goal", 0), make_block(0, make_word(name, 0)))
    rest = [item for item in problem.document.root if not _is(item, ":goal")]
    documents = (  # the order of sections is the canonical text's business
        _document(domain.document, make_block(0, *parts, *new)),
        _document(problem.document, make_block(0, *rest, goal)),
    )
    return check_documents(*documents), f"({name})"


def _document(original: Document, root: Block) -> Document:
    return Document(original.path, to_text(root).encode("ascii"), root)


def _is(item: object, keyword: str) -> bool:
    return isinstance(item, Block) and bool(item) and item[0] == keyword


def _unused(taken: Collection[str]) -> str:
    name = _NAME
    while name in taken:
        name += "-"
    return name
