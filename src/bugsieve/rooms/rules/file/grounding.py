"""The meaning of the atoms of a rules file in one task: conditions on facts and operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.rooms.rules.file.actions import DID, Actions, is_did
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, Parameters, joined_atom
from bugsieve.rooms.rules.file.inlining import Inliner, substituted
from bugsieve.tasks.grounded.conditions import vocabulary_of
from bugsieve.tasks.grounded.task import Task, require_task
from bugsieve.tasks.pddl.conditions import MAX_PARTS, ConditionExpansion, Junction, run_program
from bugsieve.tasks.pddl.declarations import Vocabulary, check_types, typed_list
from bugsieve.tasks.pddl.formulas import FormulaScope, check_condition
from bugsieve.tasks.pddl.reader import Block, Document, to_text

GroundCondition: TypeAlias = bool | tuple[Any, ...]
"""True, False, ("fact", variable, value), ("did", operators), ("not", c), ("and", c, ...) or
("or", c, ...). `did` holds in the state into which one of the operators led."""


@dataclass(frozen=True)
class GroundAtom:
    """An atom of one task."""

    name: str
    """As formulas have it: "moving(rover1)"."""
    pddl: str
    """The condition in PDDL, without free variables; with (did ...) and quantifiers."""
    condition: GroundCondition
    """The same over the task; a constant if it is the same in every state."""


class Grounder:
    """Makes ground atoms of one task; all conditions are checked at once.

    Conditions that no rule uses are checked as well, those on timelines only where they are used.
    """

    def __init__(self, task: Task, atoms: Mapping[str, AtomDeclaration], *, file: str) -> None:
        declared = require_task(task).pddl
        if declared is None:
            raise UsageError(
                f"{file}: rules need a task from PDDL files, which tell types, objects and actions"
            )
        self.task = task
        self.atoms = {name.lower(): atom for name, atom in atoms.items()}
        self.vocabulary = vocabulary_of(task)
        self.actions = Actions(task, declared.schemas)
        self.warnings: list[str] = []
        for atom in atoms.values():
            self._check(atom)
        inliner = Inliner(self.atoms, self.vocabulary.predicates)
        self._bodies = inliner.run()
        self.used_atoms = inliner.used
        """Those that other atoms use, in lower case."""
        self._expansions: dict[str, ConditionExpansion] = {}
        self._sizes: dict[str, int] = {}
        self._parts = 0

    def types(self, parameters: Parameters) -> dict[str, str]:
        """The declared types of a typed list, in order."""
        return types_of(parameters, self.vocabulary)

    def ground(self, atom: AtomDeclaration, objects: Sequence[str]) -> GroundAtom:
        """The atom for objects that have been checked; an error if conditions become too large."""
        name = joined_atom(atom.name, objects)
        document = self._document(atom)
        bound = dict(zip(atom.parameters.types, objects, strict=True))
        body = self._bodies[atom.name.lower()]
        expansion = self._expansion(atom, document)
        self._count(atom, expansion.size + self._sizes[atom.name])
        program = expansion.program(self._truth, bound)
        condition = (
            program if isinstance(program, bool) else run_program(program, self._leaf, _joined)
        )
        return GroundAtom(name, to_text(substituted(body, bound)), condition)

    def _document(self, atom: AtomDeclaration) -> Document:
        if isinstance(atom.condition, Document):
            return atom.condition
        raise UnsupportedError(
            f"{atom.condition_position}: the atom '{atom.name}' is about {atom.elsewhere}, which "
            "a task in PDDL does not have"
        )

    def _check(self, atom: AtomDeclaration) -> None:
        document = atom.condition
        if not isinstance(document, Document):
            return
        owner = f"the atom '{atom.name}'"
        own = self.types(atom.parameters)
        scope = self._scope(document, owner, {**self.task.objects, **own})
        check_condition(scope, document.root)

    def _scope(self, document: Document, owner: str, terms: Mapping[str, str]) -> FormulaScope:
        signatures = {
            name: tuple((kind.lower(),) for kind in atom.parameters.types.values())
            for name, atom in self.atoms.items()
        }
        known = {**signatures, **self.vocabulary.predicates}
        vocabulary = Vocabulary(self.vocabulary.types, self.vocabulary.constants, known)
        return FormulaScope(
            document,
            vocabulary,
            owner,
            terms,
            checks_types=True,
            checks_variables=True,
            check_leaf=self._check_leaf,
        )

    def _check_leaf(self, scope: FormulaScope, block: Block) -> bool:
        """Check a leaf that is not a predicate; references to atoms count as leaves."""
        if is_did(block):
            self.actions.check(scope, block)
            self._warn_of_missing(scope, block)
            return True
        name = str(block[0])
        used = None if name in self.vocabulary.predicates else self.atoms.get(name)
        if used is not None and used.elsewhere:
            raise scope.document.error(
                block, f"{scope.owner} uses '{used.name}', which is about {used.elsewhere}"
            )
        return False

    def _warn_of_missing(self, scope: FormulaScope, block: Block) -> None:
        if not self.actions.has_operators(str(block[1])):
            self.warnings.append(
                f"{scope.document.at(block)}: the action '{block[1]}' has no operators in this "
                f"task, so {to_text(block)} never holds"
            )

    def _expansion(self, atom: AtomDeclaration, document: Document) -> ConditionExpansion:
        if atom.name not in self._expansions:
            scope = self._scope(document, f"the atom '{atom.name}'", self.task.objects)
            body = self._bodies[atom.name.lower()]
            self._expansions[atom.name] = ConditionExpansion(scope, body)
            self._sizes[atom.name] = len(to_text(body)) // 10
        return self._expansions[atom.name]

    def _count(self, atom: AtomDeclaration, size: int) -> None:
        """Raise if all atoms together have too many parts."""
        self._parts += size
        if self._parts > MAX_PARTS:
            raise UnsupportedError(
                f"{atom.condition_position}: the conditions of this file stand for more than "
                f"{MAX_PARTS} parts in this task; use fewer objects or quantifiers"
            )

    def _truth(self, leaf: str) -> bool | None:
        if leaf.startswith(f"({DID} "):
            return None if self.actions.operators(leaf) else False
        return self.task.truth(leaf)

    def _leaf(self, leaf: str) -> GroundCondition:
        if leaf.startswith(f"({DID} "):
            return (DID, self.actions.operators(leaf))
        facts = [("fact", int(variable), int(value)) for variable, value in self.task.places(leaf)]
        return facts[0] if len(facts) == 1 else ("or", *facts)


def types_of(parameters: Parameters, vocabulary: Vocabulary) -> dict[str, str]:
    """The types of a typed list, which must be declared."""
    for entry in typed_list(parameters.document, parameters.words):
        check_types(parameters.document, entry, vocabulary.types)
    return {name: kind.lower() for name, kind in parameters.types.items()}


def _joined(step: Junction, parts: Sequence[GroundCondition]) -> GroundCondition:
    """Flat and without repetitions: what reads conditions may recurse."""
    if step.word == "not":
        inner = parts[0]
        assert isinstance(inner, tuple)
        return inner[1] if inner[0] == "not" else ("not", inner)
    found: dict[GroundCondition, None] = {}
    for part in parts:
        assert isinstance(part, tuple)
        found |= dict.fromkeys(part[1:] if part[0] == step.word else (part,))
    return (step.word, *found) if len(found) > 1 else next(iter(found))
