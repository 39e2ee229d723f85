"""Loads models whose unsafety condition is that a rule of a rules file is broken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bugsieve.base.errors import BugsieveError, InputError, UnsupportedError
from bugsieve.base.names import suggest
from bugsieve.rooms.jani.fond.conditions import conjunction, disjunction, negation
from bugsieve.rooms.jani.fond.encoding import TaskEncoder
from bugsieve.rooms.jani.fond.loading import read_fond
from bugsieve.rooms.jani.model.loading import load_document, read_without_danger
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.properties import PropertyFiles
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.rules.engine.conditions import Condition, dids_of
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, split_atom
from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.file.model_atoms import ModelAtom
from bugsieve.rooms.rules.file.reading import RulesFile, read_rules
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.models.bad_prefixes import bad_prefixes
from bugsieve.rooms.rules.models.product import Watched, watched_document
from bugsieve.tasks.grounded.loading import AnyPath

Json = Any


def load_ruled_model(
    model: AnyPath,
    rules: AnyPath,
    source: AnyPath | PropertyFiles | None = None,
    *,
    constants: Mapping[str, Value] | None = None,
    property_name: str | None = None,
) -> JaniModel:
    """A JANI model with a variable for each rule; its files stay as they are.

    Start and goal are those of its property, as `load_model` takes them, if it has one.
    """
    file, document = read_without_danger(
        model, source, constants=constants, property_name=property_name
    )
    given = read_rules(rules)
    names = _Names(document, load_document(document, name=file))
    watched = [_watched(rule) for rule in _plain_rules(given)]
    atoms = {
        name: _expression(given.atoms[name], document, file, names)
        for name in dict.fromkeys(name for rule in watched for name in rule.automaton.atoms)
    }
    return load_document(watched_document(document, watched, atoms), name=file)


def load_ruled_fond(domain: AnyPath, problem: AnyPath, rules: AnyPath) -> JaniModel:
    """The same for PDDL with `oneof`, whose atoms are conditions in PDDL."""
    found = read_fond(domain, problem)
    bound = read_rules(rules).bind(found.task)
    if not bound.rules:
        raise InputError(f"{rules}: no rule has an instance in {found.name}")
    watched = [_watched(rule) for rule in bound.rules]
    atoms = {
        name: _fond_expression(name, bound.atoms[name].condition, found.encoder)
        for name in dict.fromkeys(name for rule in watched for name in rule.automaton.atoms)
    }
    document = watched_document(found.document(False), watched, atoms)
    return load_document(document, name=found.name)


def _watched(rule: RuleDeclaration | RuleInstance) -> Watched:
    requirement = rule.formula if rule.kind == "desired" else ~rule.formula
    try:
        return Watched(rule.id, bad_prefixes(requirement, name=rule.id))
    except UnsupportedError as error:
        raise UnsupportedError(f"{rule.position}: {error}") from None


def _plain_rules(given: RulesFile) -> Iterator[RuleDeclaration]:
    for rule in given.rules:
        if rule.forall.types:
            raise InputError(
                f"{rule.position}: the rule '{rule.id}' is for all objects of a type, but a model "
                "in JANI has no objects"
            )
        for name, position in rule.atom_positions.items():
            if split_atom(name)[1]:
                raise InputError(
                    f"{position}: '{name}' names objects, but a model in JANI has none"
                )
        yield rule


class _Names:
    """The names of atoms: constants, and variables by the names under which states show them.

    A local variable has its own name, with that of its automaton before it where several have it.
    """

    def __init__(self, document: Mapping[str, Json], model: JaniModel) -> None:
        constants = [item["name"] for item in document.get("constants", ())]
        shown = [variable.name for variable in model.variables if not variable.locations]
        self.known = {*constants, *shown}

    def check(self, atom: AtomDeclaration, expression: Json) -> None:
        """InputError unless all names of the expression are known."""
        for name in _names(expression):
            if name not in self.known:
                raise InputError(
                    f"{atom.condition_position}: the atom '{atom.name}' is about {name[:80]!r}, "
                    f"which is no constant and no variable of the model's states"
                    f"{self._nearest(name)}"
                )

    def _nearest(self, name: str) -> str:
        same = sorted(known for known in self.known if known.endswith(f".{name}"))
        if same:
            return f"; several automata have one: {', '.join(same)}"
        return suggest(name, self.known)


def _expression(
    atom: AtomDeclaration, document: Mapping[str, Json], file: str, names: _Names
) -> Json:
    """The meaning of an atom in a model, once that is known to be a condition on its states."""
    if not isinstance(atom.condition, ModelAtom):
        raise InputError(
            f"{atom.condition_position}: the atom '{atom.name}' must be an expression of JANI, as "
            'in \'{"op": "<", "left": "speed", "right": 3}\', for a model in JANI'
        )
    expression = atom.condition.expression
    names.check(atom, expression)
    (found,) = document["properties"]
    trial = {**found, "expression": {**found["expression"], "reach": expression}}
    try:
        load_document({**document, "properties": [trial]}, name=file)
    except BugsieveError as error:
        said = str(error).removeprefix(f"{file}: ")
        raise InputError(f"{atom.condition_position}: the atom '{atom.name}': {said}") from None
    return expression


def _names(expression: Json) -> Iterator[str]:
    pending = [expression]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending += [part for key, part in item.items() if key not in _WORDS]
        elif isinstance(item, list):
            pending += item


_WORDS = frozenset({"op", "comment", "function", "constant"})
"""Members of expressions whose texts are not variables."""


def _fond_expression(name: str, condition: Condition, encoder: TaskEncoder) -> Json:
    if dids_of(condition):
        raise UnsupportedError(
            f"the atom '{name}' asks for an action by 'did', which models do not remember"
        )
    return _encoded(condition, encoder)


def _encoded(condition: Condition, encoder: TaskEncoder) -> Json:
    if isinstance(condition, bool):
        return condition
    if condition[0] == "fact":
        return encoder.holds((condition[1], condition[2]))
    parts = [_encoded(part, encoder) for part in condition[1:]]
    if condition[0] == "not":
        return negation(parts[0])
    return conjunction(parts) if condition[0] == "and" else disjunction(parts)
