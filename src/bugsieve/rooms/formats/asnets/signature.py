"""The lifted structure of a domain that an action schema network (ASNet) is built on.

Modules of the network belong to action schemas and predicates. A schema is connected to the atoms
of its condition and effect, a predicate to every place where a schema has an atom of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.pddl.summary import PddlSummary, Schema, Term

_COST_EFFECTS = frozenset({"increase"})
_COMPOUND = {
    **dict.fromkeys(("forall", "exists"), "quantifiers"),
    **dict.fromkeys(("or", "imply"), "disjunctions"),
    "when": "conditional effects",
}


class LiftedAtom(NamedTuple):
    """A predicate with its arguments: the places of parameters, and constants by their names."""

    predicate: str
    arguments: tuple[int | str, ...]

    def __str__(self) -> str:
        words = (f"?{item}" if isinstance(item, int) else item for item in self.arguments)
        return f"({' '.join((self.predicate, *words))})"

    def ground(self, objects: Sequence[str]) -> tuple[str, ...]:
        """Predicate and arguments with these objects as parameters."""
        words = (objects[item] if isinstance(item, int) else item for item in self.arguments)
        return (self.predicate, *words)


@dataclass(frozen=True)
class SchemaSignature:
    """An action schema as an ASNet sees it."""

    name: str
    arity: int
    needs: tuple[LiftedAtom, ...]
    refuses: tuple[LiftedAtom, ...]
    """Atoms that must be false."""
    adds: tuple[LiftedAtom, ...]
    deletes: tuple[LiftedAtom, ...]
    related: tuple[LiftedAtom, ...]
    """The distinct atoms of the condition, then of the effect, in the order of the PDDL."""

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}: {' '.join(map(str, self.related))}"


class Slot(NamedTuple):
    """One place among the related atoms of a schema, by the number of the schema."""

    schema: int
    position: int


@dataclass(frozen=True)
class Signature:
    """Schemas and predicates in the order of the PDDL; two domains with the same one share nets.

    Types, costs, equality and the names of parameters are not a part of it.
    """

    domain: str
    schemas: tuple[SchemaSignature, ...]
    predicates: Mapping[str, int]
    """Predicate to the number of its arguments."""

    @cached_property
    def slots(self) -> Mapping[str, tuple[Slot, ...]]:
        """Predicate to the places where schemas have it: by schema, then by position."""
        found: dict[str, list[Slot]] = {name: [] for name in self.predicates}
        for number, schema in enumerate(self.schemas):
            for position, atom in enumerate(schema.related):
                found[atom.predicate].append(Slot(number, position))
        return {name: tuple(slots) for name, slots in found.items()}

    @cached_property
    def readable(self) -> Mapping[str, str]:
        """Schema to its related atoms as text; what files carry to name the difference."""
        return {schema.name: str(schema) for schema in self.schemas}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of schemas with their related atoms, in their order."""
        text = json.dumps(list(self.readable.values()))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def signature_of(pddl: PddlSummary) -> Signature:
    """The signature of a domain; UnsupportedError if a schema is not a list of literals."""
    schemas = tuple(_schema(schema, pddl.domain) for schema in pddl.schemas.values())
    arities = {name: len(types) for name, types in pddl.predicates.items()}
    return Signature(pddl.domain, schemas, arities)


def _schema(schema: Schema, domain: str) -> SchemaSignature:
    places = {name: place for place, name in enumerate(schema.parameters)}
    condition = list(_literals(schema.precondition, schema.name, domain))
    effect = list(_literals(schema.effect, schema.name, domain))
    needs, refuses = _split(condition, places)
    adds, deletes = _split(effect, places)
    related = dict.fromkeys(_lifted(atom, places) for atom, _ in (*condition, *effect))
    return SchemaSignature(schema.name, len(places), needs, refuses, adds, deletes, tuple(related))


_Literal = tuple[tuple[str, ...], bool]
"""An atom, and whether it is positive."""


def _literals(term: Term, schema: str, domain: str) -> Iterator[_Literal]:
    """The literals of a conjunction in order, without equality and costs."""
    pending = [(term, True)]
    while pending:
        part, positive = pending.pop()
        if not part:
            continue
        tag = str(part[0])
        if tag == "and" and positive:
            pending += ((item, True) for item in reversed(part[1:]))
        elif tag == "not":
            pending.append((part[1], not positive))
        elif tag in _COMPOUND or tag == "and":
            feature = _COMPOUND.get(tag, "disjunctions")
            raise UnsupportedError(
                f"domain {domain!r}, action {schema!r}: ASNets know no {feature}, only lists of "
                "literals; write the action without them"
            )
        elif tag != "=" and tag not in _COST_EFFECTS:
            yield tuple(map(str, part)), positive


def _lifted(atom: tuple[str, ...], places: Mapping[str, int]) -> LiftedAtom:
    return LiftedAtom(atom[0], tuple(places.get(word, word) for word in atom[1:]))


def _split(
    literals: Sequence[_Literal], places: Mapping[str, int]
) -> tuple[tuple[LiftedAtom, ...], tuple[LiftedAtom, ...]]:
    """The positive and the negative atoms."""
    positive, negative = (
        tuple(dict.fromkeys(_lifted(atom, places) for atom, sign in literals if sign is wanted))
        for wanted in (True, False)
    )
    return positive, negative
