"""Conditions on the facts of a task, as users write them for `avoid:`, decided for batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.errors import InputError
from bugsieve.tasks.grounded import atoms
from bugsieve.tasks.grounded.sas_text import Fact
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.conditions import (
    Junction,
    expand_condition,
    program_text,
    read_condition,
    run_program,
)
from bugsieve.tasks.pddl.declarations import ROOT_TYPE, Vocabulary
from bugsieve.tasks.pddl.formulas import FormulaScope

MAX_CHARACTERS = 100_000


@dataclass(frozen=True)
class Atom:
    """True in a state that has one of the facts; an atom may belong to several variables."""

    facts: tuple[Fact, ...]


Step: TypeAlias = Atom | Junction


@dataclass(frozen=True)
class Condition:
    """A condition bound to one task; `text` has only atoms that change, and, or and not."""

    task: Task
    text: str
    program: tuple[Step, ...]
    """In postfix order: each junction stands behind what it joins."""

    def holds(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Return for each state if the condition holds there."""
        batch = self.task.checked_states(states)

        def atom(step: Atom) -> NDArray[np.bool_]:
            columns = [batch[:, variable] == value for variable, value in step.facts]
            return reduce(np.logical_or, columns)

        def junction(step: Junction, parts: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
            if step.word == "not":
                return ~parts[0]
            return reduce(np.logical_and if step.word == "and" else np.logical_or, parts)

        return run_program(self.program, atom, junction)


def parse_condition(
    text: str,
    task: Task,
    *,
    vocabulary: Vocabulary | None = None,
    constant: str = "there is nothing to test",
) -> Condition:
    """The condition that a text means in the task, or an InputError that says what is wrong.

    Quantifiers need the task's vocabulary; a ground atom that is never true is a mistake.
    `constant` says what is wrong with one that is the same in every state.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"a condition may have {MAX_CHARACTERS} characters, not {len(text)}")
    name = f"condition {_shown(text)}"
    document = read_condition(text, name=name, max_depth=MAX_CHARACTERS)
    known = vocabulary or vocabulary_of(task)
    scope = FormulaScope(document, known, "the condition", _objects(task), find_atom=task.places)
    program = expand_condition(scope, document.root, task.truth)
    if isinstance(program, bool):
        when = "holds in every state" if program else "never holds"
        raise InputError(f"{name}: it {when}, so {constant}")
    expanded = program_text(program)
    if len(expanded) > MAX_CHARACTERS:
        raise InputError(
            f"{name}: written out over the objects of the task it has {len(expanded)} characters, "
            f"and may have {MAX_CHARACTERS}"
        )
    steps = (step if isinstance(step, Junction) else Atom(task.places(step)) for step in program)
    return Condition(task, expanded, tuple(steps))


def vocabulary_of(task: Task) -> Vocabulary:
    """Names for conditions on the task: those that its PDDL declares, else those met, untyped."""
    declared = task.pddl
    if declared is not None:
        return Vocabulary(declared.types, declared.constants, declared.predicates)
    known = map(atoms.words_of, _atoms(task))
    return Vocabulary(predicates={words[0]: ((ROOT_TYPE,),) * (len(words) - 1) for words in known})


def _objects(task: Task) -> Mapping[str, str]:
    """Objects to their types, or those that occur where nothing tells the declared ones."""
    return task.objects or {
        name: ROOT_TYPE for atom in _atoms(task) for name in atoms.words_of(atom)[1:]
    }


def _atoms(task: Task) -> list[str]:
    fluent = [atom for variable in task.variables for atom in variable.facts if atom is not None]
    return [*fluent, *sorted(task.static_facts)]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:97] + "...")
