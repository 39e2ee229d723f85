"""Random small PDDL tasks as text: types, quantifiers, conditional and universal effects, costs.

Atoms are well typed. A formula is a string; what may stand in it is given by a scope of terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from hypothesis import strategies as st

from tests.property.strategies import Pick, seeds
from tests.reference.pddl_parser import parse_domain

PARENTS = {"object": None, "t0": "object", "t1": "t0", "t2": "t0"}
OBJECT_KINDS = ("t1", "t2", "t1", "t0")
VARIABLE_KINDS = ("t0", "t1", "t2", "object")
PREDICATE_KINDS = ("t0", "object", "t1")  # mostly wide, so that most terms fit


@dataclass(frozen=True)
class Term:
    """A variable or object with its type."""

    name: str
    kind: str

    def fits(self, wanted: str) -> bool:
        """Whether the term may stand where the type is wanted."""
        return wanted in ancestors(self.kind)

    def declared(self) -> str:
        """The term in a typed list."""
        return f"{self.name} - {self.kind}"


def ancestors(kind: str) -> list[str]:
    """The type and all above it."""
    found = []
    current: str | None = kind
    while current is not None:
        found.append(current)
        current = PARENTS[current]
    return found


@dataclass(frozen=True)
class Predicate:
    """A name with the types of its arguments."""

    name: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class PddlText:
    """The two files of a task."""

    domain: str
    problem: str


class _Writer:
    """Writes one random task with the numbers that `pick` gives."""

    def __init__(self, pick: Pick, *, has_choices: bool = False) -> None:
        self.pick = pick
        self.has_choices = has_choices
        self.constants = [Term(f"c{i}", self.choose(OBJECT_KINDS)) for i in range(pick(0, 1))]
        self.objects = [Term(f"o{i}", self.choose(OBJECT_KINDS)) for i in range(pick(2, 4))]
        kinds = [
            tuple(self.choose(PREDICATE_KINDS) for _ in range(pick(0, 2)))
            for _ in range(pick(1, 4))
        ]
        self.predicates = [Predicate(f"p{i}", own) for i, own in enumerate(kinds)]
        self.predicates.append(Predicate("flag", ()))
        self.has_metric = bool(pick(0, 1))

    def choose(self, items: Sequence[str]) -> str:
        return items[self.pick(0, len(items) - 1)]

    def one_in(self, count: int) -> bool:
        return self.pick(1, count) == count

    def atom(self, scope: Sequence[Term]) -> str:
        """An atom over terms in scope; (flag) where the predicate finds no fitting terms."""
        predicate = self.predicates[self.pick(0, len(self.predicates) - 1)]
        words = [predicate.name]
        for kind in predicate.kinds:
            fitting = [term.name for term in scope if term.fits(kind)]
            if not fitting:
                return "(flag)"
            words.append(self.choose(fitting))
        return f"({' '.join(words)})"

    def literal(self, scope: Sequence[Term]) -> str:
        return f"(not {self.atom(scope)})" if self.one_in(3) else self.atom(scope)

    def variable(self, name: str) -> Term:
        return Term(name, self.choose(VARIABLE_KINDS))

    def formula(self, scope: Sequence[Term], depth: int) -> str:
        """A condition of bounded depth."""
        form = self.pick(0, 7) if depth > 0 else 0
        if form <= 2:
            return self.literal(scope)
        if form == 7 and len(scope) > 1:
            left, right = (self.choose([term.name for term in scope]) for _ in range(2))
            return f"(not (= {left} {right}))"
        if form in (5, 6):
            quantifier = "exists" if form == 5 else "forall"
            bound = self.variable(f"?q{depth}")
            inner = self.formula([*scope, bound, bound], depth - 1)
            return f"({quantifier} ({bound.declared()}) {inner})"
        word = self.choose(("and", "or", "imply", "not-and"))
        parts = f"{self.formula(scope, depth - 1)} {self.formula(scope, depth - 1)}"
        return f"(not (and {parts}))" if word == "not-and" else f"({word} {parts})"

    def effect(self, scope: Sequence[Term]) -> str:
        """A literal, perhaps under a condition, for all objects of a type, or one of several."""
        if self.has_choices and self.one_in(2):
            return self.choice(scope)
        bound = self.variable("?e")
        universal = self.one_in(4)
        inner_scope = [*scope, bound, bound] if universal else scope
        text = self.literal(inner_scope)
        if self.one_in(3):
            text = f"(and {text} {self.literal(inner_scope)})"
        if self.one_in(3):
            text = f"(when {self.formula(inner_scope, 1)} {text})"
        return f"(forall ({bound.declared()}) {text})" if universal else text

    def choice(self, scope: Sequence[Term]) -> str:
        """A few effects of which one happens, perhaps under a condition."""
        self.has_choices = self.one_in(4)  # inside this one
        parts = ["(and)" if self.one_in(4) else self.effect(scope) for _ in range(self.pick(1, 3))]
        self.has_choices = True
        text = f"(oneof {' '.join(parts)})"
        return f"(when {self.formula(scope, 1)} {text})" if self.one_in(4) else text

    def action(self, number: int) -> str:
        parameters = [self.variable(f"?x{i}") for i in range(self.pick(0, 2))]
        scope = [*parameters, *self.constants]
        conditions = [self.formula(scope, 2) for _ in range(self.pick(0, 2))]
        effects = [self.effect(scope) for _ in range(self.pick(1, 3))]
        if not self.one_in(4):
            effects.append(f"(increase (total-cost) {self.amount(parameters)})")
        return (
            f"(:action a{number}\n"
            f"  :parameters ({' '.join(term.declared() for term in parameters)})\n"
            f"  :precondition (and {' '.join(conditions)})\n"
            f"  :effect (and {' '.join(effects)}))"
        )

    def setter(self, predicate: Predicate) -> str:
        """An action that makes any atom of the predicate true, so that much can be reached."""
        parameters = [Term(f"?x{i}", kind) for i, kind in enumerate(predicate.kinds)]
        atom = f"({' '.join([predicate.name, *(term.name for term in parameters)])})"
        condition = self.formula([*parameters, *self.constants], 1) if self.one_in(2) else ""
        return (
            f"(:action set-{predicate.name}\n"
            f"  :parameters ({' '.join(term.declared() for term in parameters)})\n"
            f"  :precondition (and (not {atom}) {condition})\n"
            f"  :effect (and {atom} (increase (total-cost) {self.amount(parameters)})))"
        )

    def amount(self, parameters: Sequence[Term]) -> str:
        if parameters and self.one_in(2):
            return f"(price {parameters[0].name})"
        return str(self.pick(0, 4))

    def domain(self) -> str:
        predicates = [
            f"({' '.join([p.name, *(f'?y{i} - {kind}' for i, kind in enumerate(p.kinds))])})"
            for p in self.predicates
        ]
        constants = " ".join(term.declared() for term in self.constants)
        setters = [self.setter(p) for p in self.predicates if p.name == "flag" or self.one_in(2)]
        actions = "\n".join(
            [*setters, *(self.action(number) for number in range(self.pick(1, 3)))]
        )
        return (
            "(define (domain random)\n"
            "(:requirements :adl :action-costs)\n"
            "(:types t1 t2 - t0 t0 - object)\n"
            + (f"(:constants {constants})\n" if constants else "")
            + f"(:predicates {' '.join(predicates)})\n"
            "(:functions (total-cost) - number (price ?y - object) - number)\n"
            f"{actions})\n"
        )

    def problem(self) -> str:
        everything = [*self.constants, *self.objects]
        true = [atom for atom in self.ground_atoms(everything) if self.one_in(3)]
        # The goal must not hold at once: the translator then drops the whole task.
        true = [atom for atom in true if atom != "(flag)"]
        prices = [f"(= (price {term.name}) {self.pick(0, 5)})" for term in everything]
        goals = ["(flag)", *(self.atom(everything) for _ in range(self.pick(0, 2)))]
        if self.one_in(4):
            goals.append(self.formula(everything, 2))
        return (
            "(define (problem drawn) (:domain random)\n"
            f"(:objects {' '.join(term.declared() for term in self.objects)})\n"
            f"(:init {' '.join(true)}\n  (= (total-cost) 0) {' '.join(prices)})\n"
            f"(:goal (and {' '.join(goals)}))\n"
            + ("(:metric minimize (total-cost))" if self.has_metric else "")
            + ")\n"
        )

    def ground_atoms(self, everything: Sequence[Term]) -> list[str]:
        atoms = []
        for predicate in self.predicates:
            fitting = [[t.name for t in everything if t.fits(kind)] for kind in predicate.kinds]
            atoms += [f"({' '.join([predicate.name, *words])})" for words in product(*fitting)]
        return atoms


@dataclass(frozen=True)
class DrawnAtom:
    """An atom of a rules file."""

    name: str
    parameters: tuple[Term, ...]
    condition: str


class _AtomWriter(_Writer):
    """Writes conditions that also use atoms written before, and actions."""

    def __init__(self, pick: Pick) -> None:
        super().__init__(pick)
        self.atoms: list[DrawnAtom] = []
        self.actions: list[tuple[str, tuple[str, ...]]] = []

    def literal(self, scope: Sequence[Term]) -> str:
        if not self.actions:
            return super().literal(scope)
        scope = list({term.name: term for term in scope}.values())  # inner ones hide outer ones
        form = self.pick(0, 3)
        if form == 1 and self.atoms:
            used = self.atoms[self.pick(0, len(self.atoms) - 1)]
            return self.call(used.name, [term.kind for term in used.parameters], scope, ())
        if form == 2:
            name, kinds = self.actions[self.pick(0, len(self.actions) - 1)]
            return self.call(f"did {name}", kinds, scope, ("*",))
        return super().literal(scope)

    def call(
        self, name: str, kinds: Sequence[str], scope: Sequence[Term], others: Sequence[str]
    ) -> str:
        """The name with terms that fit; (flag) where there are none."""
        choices = [[*others, *(t.name for t in scope if t.fits(kind))] for kind in kinds]
        if not all(choices):
            return "(flag)"
        return f"({' '.join([name, *map(self.choose, choices)])})"

    def drawn_atom(self, number: int, everything: Sequence[Term]) -> DrawnAtom:
        parameters = tuple(self.variable(f"?q{i + 1}") for i in range(self.pick(0, 2)))
        # Parameters are called as the variables of quantifiers, so that one may hide the other.
        return DrawnAtom(f"a{number}", parameters, self.formula([*parameters, *everything], 3))


def seeded_atoms(seed: int) -> tuple[PddlText, list[DrawnAtom], list[str]]:
    """A task, atoms of rules on it of which later ones use others, and its ground atoms."""
    writer = _AtomWriter(Random(seed).randint)
    text = PddlText(writer.domain(), writer.problem())
    everything = [*writer.constants, *writer.objects]
    domain = parse_domain(text.domain)
    writer.actions = [
        (name, tuple(parameter.types[0] for parameter in action.parameters))
        for name, action in domain.actions.items()
    ]
    for number in range(3):
        writer.atoms.append(writer.drawn_atom(number, everything))
    return text, writer.atoms, writer.ground_atoms(everything)


def random_pddl(pick: Pick) -> PddlText:
    """A domain and a problem for it."""
    writer = _Writer(pick)
    return PddlText(writer.domain(), writer.problem())


def seeded_fond(seed: int) -> tuple[PddlText, str]:
    """A non-deterministic task and a condition on its states."""
    writer = _Writer(Random(seed).randint, has_choices=True)
    text = PddlText(writer.domain(), writer.problem())
    first, second = (writer.formula([*writer.constants, *writer.objects], 2) for _ in range(2))
    return text, f"(or (and (flag) {first}) (and (not (flag)) {second}))"


def seeded_condition(seed: int) -> tuple[PddlText, str, list[str]]:
    """A task, a condition on its states, and all its ground atoms."""
    writer = _Writer(Random(seed).randint)
    everything = [*writer.constants, *writer.objects]
    text = PddlText(writer.domain(), writer.problem())
    return text, writer.formula(everything, 4), writer.ground_atoms(everything)


def seeded_pddl(seed: int) -> PddlText:
    """The task that a seed stands for."""
    return random_pddl(Random(seed).randint)


@st.composite
def _drawn_pddl(draw: st.DrawFn) -> PddlText:
    return random_pddl(lambda low, high: draw(st.integers(low, high)))


def pddl_tasks() -> st.SearchStrategy[PddlText]:
    """Random tasks, drawn number by number or from a seed."""
    return _drawn_pddl() | seeds().map(seeded_pddl)
