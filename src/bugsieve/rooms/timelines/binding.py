"""Rules files on a timeline model: an instance for each choice of objects, over ground atoms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from math import prod

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.names import suggest
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, joined_atom, split_atom
from bugsieve.rooms.rules.file.binding import (
    RuleInstance,
    constancy_warnings,
    instance_of,
    unused_atoms,
)
from bugsieve.rooms.rules.file.reading import RulesFile
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.ltl.constants import renamed
from bugsieve.rooms.timelines.models.atoms import resolve
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom

MAX_INSTANCES = 1000


@dataclass(frozen=True)
class TimelineRules:
    """All instances of the rules of a file, and what their atoms mean."""

    rules: tuple[RuleInstance, ...]
    atoms: Mapping[str, TimelineAtom]
    warnings: tuple[str, ...] = ()


def bind_rules(file: RulesFile, model: Model) -> TimelineRules:
    """The rules on the model, or an InputError that names what does not fit it."""
    binder = _Binder(file, model)
    rules = [tuple(binder.instances(rule)) for rule in file.rules]
    warnings = (*unused_atoms(file.atoms, file.rules), *constancy_warnings(rules))
    return TimelineRules(tuple(chain.from_iterable(rules)), binder.atoms, warnings)


class _Binder:
    def __init__(self, file: RulesFile, model: Model) -> None:
        self.file = file
        self.model = model
        self.atoms: dict[str, TimelineAtom] = {}

    def instances(self, rule: RuleDeclaration) -> Iterator[RuleInstance]:
        variables = list(rule.forall.types)
        choices = [self._values(kind, rule) for kind in rule.forall.types.values()]
        if prod(map(len, choices)) > MAX_INSTANCES:
            sentence = f"the rule '{rule.id}' has more than {MAX_INSTANCES} instances"
            raise InputError(f"{rule.position}: {sentence}")
        for values in product(*choices):
            bound = dict(zip(variables, values, strict=True))
            formula = renamed(rule.formula, partial(self._atom, bound, rule))
            yield instance_of(rule, values, formula)

    def _values(self, kind: str, rule: RuleDeclaration) -> list[str]:
        """All values of a class or an enumeration."""
        if kind in self.model.enums:
            return list(self.model.enums[kind])
        if kind in self.model.classes:
            return [thing.name for thing in self.model.instances(kind)]
        known = [*self.model.enums, *self.model.classes]
        sentence = f"there is no class or enumeration '{kind}'{suggest(kind, known)}"
        raise InputError(f"{rule.position}: {sentence}")

    def _atom(self, bound: Mapping[str, str], rule: RuleDeclaration, name: str) -> str:
        plain, arguments = split_atom(name)
        values = [bound.get(argument, argument) for argument in arguments]
        # Objects that are parts of others have dots in their names, which formulas do not know.
        ground = joined_atom(plain, [re.sub(r"[^A-Za-z0-9_-]", "_", value) for value in values])
        if ground not in self.atoms:
            self.atoms[ground] = self._meaning(self.file.atoms[plain], values, rule)
        return ground

    def _meaning(
        self, atom: AtomDeclaration, values: list[str], rule: RuleDeclaration
    ) -> TimelineAtom:
        meaning = atom.condition
        if not isinstance(meaning, LevelAtom | TokenAtom):
            raise UnsupportedError(
                f"{atom.condition_position}: the atom '{atom.name}' of the rule '{rule.id}' is a "
                "condition of PDDL, which says nothing about timelines"
            )
        if isinstance(meaning, TokenAtom):
            bound = dict(zip(atom.parameters.types, values, strict=True))
            arguments = tuple((name, bound.get(v, v)) for name, v in meaning.arguments)
            meaning = TokenAtom(meaning.timeline, meaning.predicate, arguments)
        try:
            resolve(atom.name, meaning, self.model)
        except InputError as error:
            raise InputError(f"{atom.condition_position}: {error}") from None
        return meaning
