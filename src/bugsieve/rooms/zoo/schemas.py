"""Recognises a domain by its grounded operators: each must do what an action schema says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bugsieve.tasks.grounded.task import Task


@dataclass(frozen=True)
class StripsAction:
    """A STRIPS action; atoms are written without brackets, over the parameters."""

    name: str
    parameters: str
    needs: tuple[str, ...]
    adds: tuple[str, ...]
    deletes: tuple[str, ...]


class Action(NamedTuple):
    """An operator as an instance of a schema."""

    schema: str
    arguments: tuple[str, ...]


def recognised_actions(task: Task, schemas: Sequence[StripsAction]) -> list[Action] | None:
    """The operators as instances of the schemas; None if one of them is anything else.

    In action names `_` counts as `-`, and `move-up` as `up`.
    """
    table = {(schema.name, len(schema.parameters.split())): schema for schema in schemas}
    encoding = _Encoding(task)
    actions = []
    for operator, text in enumerate(task.operator_names):
        name, *arguments = text[1:-1].split(" ")
        name = name.replace("_", "-").removeprefix("move-")
        schema = table.get((name, len(arguments)))
        if schema is None or not encoding.is_instance(operator, schema, arguments):
            return None
        actions.append(Action(schema.name, tuple(arguments)))
    return actions


def goal_atoms(task: Task, *predicates: str) -> list[list[str]] | None:
    """Predicate and arguments of each goal atom; None if there are goals of another form."""
    atoms = [atom[1:-1].split(" ") for atom in task.goal_facts]
    return atoms if all(words[0] in predicates for words in atoms) else None


class Atoms:
    """Atoms of a state, looked up by their predicate."""

    def __init__(self, atoms: Iterable[str]) -> None:
        self._arguments: dict[str, list[list[str]]] = {}
        for atom in atoms:
            predicate, *arguments = atom[1:-1].split(" ")
            self._arguments.setdefault(predicate, []).append(arguments)

    def names(self, predicate: str) -> set[str]:
        """The first arguments of the predicate's atoms."""
        return {arguments[0] for arguments in self._arguments.get(predicate, ())}

    def pairs(self, predicate: str) -> list[tuple[str, str]]:
        """The two arguments of each of the predicate's atoms."""
        return [(one, other) for one, other in self._arguments.get(predicate, ())]


def fluents(task: Task) -> frozenset[str]:
    """The atoms that are facts of some variable; all others never change."""
    return frozenset(
        atom for variable in task.variables for atom in variable.facts if atom is not None
    )


class _Encoding:
    """Compares operators on variables with actions on atoms."""

    def __init__(self, task: Task) -> None:
        self._native = task.native
        self._facts = [variable.facts for variable in task.variables]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for variable, facts in enumerate(self._facts):
            for value, atom in enumerate(facts):
                if atom is not None:
                    self._places.setdefault(atom, []).append((variable, value))
        self._static = task.static_facts  # empty if the task came without PDDL

    def is_instance(self, operator: int, schema: StripsAction, arguments: Sequence[str]) -> bool:
        """Return true if the operator does exactly what the schema says for the arguments."""
        names = dict(zip(schema.parameters.split(), arguments, strict=True))
        needs, adds, deletes = (
            {self._atom(atom, names) for atom in atoms}
            for atoms in (schema.needs, schema.adds, schema.deletes)
        )
        if any(self._stays(atom, needs) for atom in deletes - adds):
            return False
        needed = dict(self._native.preconditions(operator))
        return self._needs(needed, needs) and self._does(operator, needed, adds, deletes - adds)

    def _stays(self, atom: str, needs: set[str]) -> bool:
        """Return true if the atom is always true where the operator is applicable."""
        return atom not in self._places and (atom in needs or atom in self._static)

    def _atom(self, pattern: str, names: dict[str, str]) -> str:
        predicate, *parameters = pattern.split()
        return "(" + " ".join([predicate, *(names[name] for name in parameters)]) + ")"

    def _needs(self, needed: dict[int, int], needs: set[str]) -> bool:
        atoms = {self._facts[variable][value] for variable, value in needed.items()}
        # Atoms that are not facts never change: the translator has checked those in preconditions
        # and left them out. Without the PDDL task they cannot be checked again, and grounding is
        # trusted.
        static = {atom for atom in needs if atom not in self._places}
        known = not self._static or static <= self._static
        return known and atoms == needs - static

    def _does(
        self, operator: int, needed: dict[int, int], adds: set[str], deletes: set[str]
    ) -> bool:
        state = dict(needed)  # the facts known to hold afterwards
        gone: set[str] = set()
        for conditions, variable, value in self._native.effects(operator):
            # An atom that may or may not hold is deleted by an effect under the condition that it
            # does. So a variable's own value is the only condition that still means a plain STRIPS
            # effect.
            before = dict(conditions) or {variable: needed.get(variable, -1)}
            if before.keys() != {variable}:
                return False  # an effect that depends on something else
            lost = self._lost(variable, before[variable], value)
            atom = self._facts[variable][value]
            # To "none of those" means: the old atom is deleted, so the schema must delete it. To
            # an atom means: that is added, and what it replaces is looked at below.
            if atom is None and not lost <= deletes:
                return False
            if atom is not None and (conditions or atom not in adds):
                return False
            gone |= lost
            if not conditions:
                state[variable] = value
        # Everything that is added must hold for certain, and everything that is deleted must be
        # gone, by an effect or because known values exclude it. Atoms that never change need
        # neither.
        held = {self._facts[variable][value] for variable, value in state.items()}
        return all(atom in held for atom in adds if atom in self._places) and all(
            atom in gone or self._is_excluded(atom, state)
            for atom in deletes
            if atom in self._places
        )

    def _lost(self, variable: int, before: int, value: int) -> set[str]:
        """The atoms that an effect may make false."""
        facts = self._facts[variable]
        old = facts if before < 0 else (facts[before],)
        return {atom for atom in old if atom is not None and atom != facts[value]}

    def _is_excluded(self, atom: str, state: dict[int, int]) -> bool:
        """Return true if the known values rule the atom out."""
        return any(state.get(variable, value) != value for variable, value in self._places[atom])
