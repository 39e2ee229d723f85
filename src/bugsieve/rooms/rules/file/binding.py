"""Rules in one task: an instance for each choice of objects, over ground atoms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import prod

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.names import suggest
from bugsieve.rooms.rules.file.atoms import AtomDeclaration, joined_atom, split_atom
from bugsieve.rooms.rules.file.grounding import GroundAtom, Grounder
from bugsieve.rooms.rules.file.rules import Form, Kind, RuleDeclaration
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.automaton import TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.constants import renamed, with_constants
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of, subformulas
from bugsieve.rooms.rules.scale import Expectation
from bugsieve.tasks.grounded.task import Task

MAX_INSTANCES = 10_000
"""Of all rules of a file together."""

# Formulas beyond these limits are not likely to be tautologies.
_MAX_STATES = 300
_MAX_SHAPES = 1_000
_SHOWN = 3


@dataclass(frozen=True)
class RuleInstance:
    """A rule for certain objects of a task."""

    id: str
    """`FR-2[rover1,w3]`; that of the rule where that has no objects."""
    rule: str
    objects: tuple[str, ...]
    kind: Kind
    formula: Formula
    """The formula that must hold, or must not, over ground atoms that may change."""
    unfolded: Formula
    """The same with the atoms that never change."""
    form: Form
    source: str
    position: Position
    expect: Expectation | None = None
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class BoundRules:
    """All instances of the rules of a file in one task, in the order of the file."""

    rules: tuple[RuleInstance, ...]
    atoms: Mapping[str, GroundAtom]
    """Every atom of the instances, also of those that never change."""
    warnings: tuple[str, ...]

    @property
    def folded(self) -> dict[str, bool]:
        """The atoms that are the same in every state, and what they are."""
        return {
            name: atom.condition
            for name, atom in self.atoms.items()
            if isinstance(atom.condition, bool)
        }


def bind(
    task: Task,
    atoms: Mapping[str, AtomDeclaration],
    rules: Sequence[RuleDeclaration],
    *,
    file: str,
) -> BoundRules:
    """The rules in the task, or an InputError that names what does not fit it."""
    return _Binder(task, atoms, rules, file).run()


def instance_of(rule: RuleDeclaration, objects: tuple[str, ...], formula: Formula) -> RuleInstance:
    """The rule for these objects, over ground atoms."""
    return RuleInstance(
        id=f"{rule.id}[{','.join(objects)}]" if objects else rule.id,
        rule=rule.id,
        objects=objects,
        kind=rule.kind,
        formula=formula,
        unfolded=formula,
        form=rule.form,
        source=rule.source,
        position=rule.position,
        expect=rule.expect,
        tags=rule.tags,
        note=rule.note,
    )


def unused_atoms(
    declarations: Mapping[str, AtomDeclaration],
    rules: Sequence[RuleDeclaration],
    *,
    inner: Collection[str] = (),
) -> Iterator[str]:
    """A warning for each atom of a file that is in no rule, and none of those inside others."""
    used = {split_atom(name)[0] for rule in rules for name in rule.atom_positions}
    for name, atom in declarations.items():
        if name not in used and name.lower() not in inner:
            yield f"{atom.position}: no rule uses the atom '{name}'"


def constancy_warnings(rules: Sequence[Sequence[RuleInstance]]) -> Iterator[str]:
    """A warning for each rule, given by its instances, of which some say nothing of any task."""
    constancy = _Constancy()
    return chain.from_iterable(map(constancy.warnings, rules))


def joined(*parts: BoundRules) -> BoundRules:
    """The rules of several sources in one task; an InputError if two have the same name."""
    rules: dict[str, RuleInstance] = {}
    atoms: dict[str, GroundAtom] = {}
    for part in parts:
        for rule in part.rules:
            if rule.id in rules:
                first = rules[rule.id].position
                raise InputError(f"{rule.position}: the id '{rule.id}' is taken, see {first}")
            rules[rule.id] = rule
        for name, atom in part.atoms.items():
            if atoms.setdefault(name, atom) != atom:
                raise InputError(f"the atom '{name}' means two things: rename the one of yours")
    warnings = chain.from_iterable(part.warnings for part in parts)
    return BoundRules(tuple(rules.values()), atoms, tuple(warnings))


@dataclass
class _Binder:
    task: Task
    declarations: Mapping[str, AtomDeclaration]
    rules: Sequence[RuleDeclaration]
    file: str
    atoms: dict[str, GroundAtom] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.grounder = Grounder(self.task, self.declarations, file=self.file)
        self.vocabulary = self.grounder.vocabulary
        self.instances_left = MAX_INSTANCES

    def run(self) -> BoundRules:
        for rule in self.rules:
            self._check(rule)
        found = [list(self._instances(rule)) for rule in self.rules]
        folded = BoundRules((), self.atoms, ()).folded
        found = [[_folded(instance, folded) for instance in instances] for instances in found]
        self.warnings += constancy_warnings(found)
        warnings = (*self.grounder.warnings, *self._unused_atoms(), *self.warnings)
        return BoundRules(tuple(chain(*found)), self.atoms, warnings)

    def _check(self, rule: RuleDeclaration) -> None:
        """Raise unless every atom gets objects or variables of its types."""
        terms = {**self.task.objects, **self.grounder.types(rule.forall)}
        for name, position in rule.atom_positions.items():
            plain, arguments = split_atom(name)
            wanted = self.grounder.types(self.declarations[plain].parameters)
            for argument, (variable, kind) in zip(arguments, wanted.items(), strict=True):
                own = terms.get(argument.lower())
                if own is None:
                    raise InputError(
                        f"{position}: '{name}' names '{argument}', which is no object of "
                        f"{self.task.name}{suggest(argument, self.task.objects)}"
                    )
                if not self.vocabulary.fits(own, (kind,)):
                    raise InputError(
                        f"{position}: '{name}' has '{argument}' of type '{own}' where "
                        f"'{variable} - {kind}' belongs"
                    )

    def _instances(self, rule: RuleDeclaration) -> Iterator[RuleInstance]:
        types = self.grounder.types(rule.forall)
        choices = [self.vocabulary.of_type(self.task.objects, kind) for kind in types.values()]
        self._count(rule, prod(map(len, choices)))
        self._warn(rule, types, choices)
        for objects in product(*choices):
            yield self._instance(rule, objects, dict(zip(types, objects, strict=True)))

    def _instance(
        self, rule: RuleDeclaration, objects: tuple[str, ...], bound: Mapping[str, str]
    ) -> RuleInstance:
        formula = renamed(rule.formula, lambda name: self._atom(name, bound))
        return instance_of(rule, objects, formula)

    def _count(self, rule: RuleDeclaration, number: int) -> None:
        self.instances_left -= number
        if self.instances_left < 0:
            raise UnsupportedError(
                f"{rule.position}: with those of '{rule.id}' the rules of this file have more "
                f"than {MAX_INSTANCES} instances in this task"
            )

    def _warn(
        self, rule: RuleDeclaration, types: Mapping[str, str], choices: Sequence[Sequence[str]]
    ) -> None:
        for (variable, kind), objects in zip(types.items(), choices, strict=True):
            if not objects:
                self.warnings.append(
                    f"{rule.position}: '{rule.id}' has no instance, because "
                    f"{self.task.name} has no object of type '{kind}'"
                )
            used = {word.lower() for name in rule.atom_positions for word in split_atom(name)[1]}
            if variable not in used:
                self.warnings.append(
                    f"{rule.position}: no atom of '{rule.id}' uses the variable '{variable}', so "
                    "its instances repeat each other"
                )

    def _atom(self, name: str, bound: Mapping[str, str]) -> str:
        """The ground atom that an atom of a formula becomes."""
        plain, arguments = split_atom(name)
        words = [argument.lower() for argument in arguments]
        objects = [bound.get(word, word) for word in words]
        ground = joined_atom(plain, objects)
        if ground not in self.atoms:
            self.atoms[ground] = self.grounder.ground(self.declarations[plain], objects)
        return ground

    def _unused_atoms(self) -> Iterator[str]:
        return unused_atoms(self.declarations, self.rules, inner=self.grounder.used_atoms)


def _folded(instance: RuleInstance, truths: Mapping[str, bool]) -> RuleInstance:
    return replace(instance, formula=with_constants(instance.unfolded, truths))


class _Constancy:
    """Finds formulas that every trace satisfies, or none; equal up to names of atoms are one."""

    def __init__(self) -> None:
        self._known: dict[Formula, bool | None] = {}

    def warnings(self, instances: Sequence[RuleInstance]) -> Iterator[str]:
        """A sentence for each rule some of whose instances say nothing about the task."""
        verdicts = [self._verdict(instance.formula) for instance in instances]
        for verdict, words in (
            (True, "a tautology: every finite"),
            (False, "a contradiction: no finite"),
        ):
            found = [item for item, own in zip(instances, verdicts, strict=True) if own is verdict]
            if found:
                yield _constant(found, words)

    def _verdict(self, formula: Formula) -> bool | None:
        order = {item.name: None for item in subformulas(formula) if item.operator == "atom"}
        numbers = {name: f"a{number}" for number, name in enumerate(order)}
        plain = renamed(formula, numbers.__getitem__)
        if plain not in self._known and len(self._known) < _MAX_SHAPES:
            self._known[plain] = _truth_of(plain)
        return self._known.get(plain)


def _truth_of(formula: Formula) -> bool | None:
    """True for a tautology, False for a contradiction, None for others and those too large."""
    if not atoms_of(formula) and formula.operator in ("true", "false"):
        return formula.operator == "true"
    try:
        if automaton_of(formula, max_states=_MAX_STATES).is_empty:
            return False
        return True if automaton_of(~formula, max_states=_MAX_STATES).is_empty else None
    except TooManyStatesError:
        return None


def _constant(found: Sequence[RuleInstance], what: str) -> str:
    names = ", ".join(item.id for item in found[:_SHOWN])
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    is_folded = any(item.formula != item.unfolded for item in found)
    after = " once atoms that never change are folded" if is_folded else ""
    return f"{found[0].position}: {what} trace satisfies {names}{more}{after}"
