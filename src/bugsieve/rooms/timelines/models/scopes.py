"""The meaning of names in rules, predicates and goals: terms, tokens and variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bugsieve.base.names import no_such, suggest
from bugsieve.rooms.timelines.models.model import (
    BOOL,
    MASTER,
    NUMBER,
    STRING,
    Between,
    Constant,
    Field,
    Local,
    Member,
    OneOf,
    Sum,
    Term,
    Type,
)
from bugsieve.rooms.timelines.models.objects import World
from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.syntax import Place

_BOUNDS = ("start", "end", "duration")


@dataclass(frozen=True)
class NamedToken:
    """A token that a body speaks of: its class and the types of its parameters."""

    number: int
    class_name: str
    predicate: str
    parameters: Mapping[str, Type]


@dataclass(frozen=True)
class Scope:
    """The names of a body; branches have names of their own besides."""

    world: World
    master: NamedToken | None
    labels: dict[str, NamedToken] = field(default_factory=dict)
    variables: dict[str, Local] = field(default_factory=dict)

    def inner(self) -> Scope:
        """The scope of a branch."""
        return Scope(self.world, self.master, dict(self.labels), dict(self.variables))

    def term(self, item: syntax.Expression) -> Term:
        """The term that an expression stands for."""
        if isinstance(item, syntax.Name):
            return self.named(item)
        if isinstance(item, syntax.Number):
            return Constant(item.value, NUMBER)
        if isinstance(item, syntax.Truth):
            return Constant(int(item.value), BOOL)
        if isinstance(item, syntax.StringLiteral):
            return Constant(self.world.string(item.value), STRING)
        if isinstance(item, syntax.Range):
            if item.low is not None and item.high is not None and item.low > item.high:
                raise item.place.error(f"the range [{item.low} {item.high}] is empty")
            return Between(item.low, item.high)
        if isinstance(item, syntax.Choice):
            return self._choice(item)
        if isinstance(item, syntax.Arithmetic):
            left, right = self._number(item.left), self._number(item.right)
            return Sum(item.sign, left, right)
        raise item.place.unsupported("an object is made inside a rule")

    def _number(self, item: syntax.Expression) -> Term:
        term = self.term(item)
        if term.type.kind != "number" or isinstance(term, Between | OneOf):
            raise item.place.error(f"a number is expected here, not {term.type.name}")
        return term

    def _choice(self, item: syntax.Choice) -> OneOf:
        terms = [self.term(value) for value in item.values]
        for term, value in zip(terms, item.values, strict=True):
            if not isinstance(term, Constant):
                raise value.place.error("a set is made of values that are known")
            if term.type.kind != terms[0].type.kind:
                raise value.place.error("the values of a set are of one type")
        values = sorted({term.value for term in terms if isinstance(term, Constant)})
        return OneOf(tuple(values), terms[0].type)

    def named(self, item: syntax.Name) -> Term:
        """A variable, a field of a token, a value, each with members of objects after dots."""
        first, *rest = item.parts
        token = self.token(first)
        if token is not None:
            if not rest:
                raise item.place.error(f"{first!r} is a token, name one of its fields")
            term: Term = self.field(token, rest.pop(0), item.place)
        else:
            term = self._plain(first, rest, item)
        for part in rest:
            term = self.member(term, part, item.place)
        return term

    def token(self, label: str) -> NamedToken | None:
        """The token of a label, `this` among them."""
        return self.master if label == "this" else self.labels.get(label)

    def _plain(self, first: str, rest: list[str], item: syntax.Name) -> Term:
        world = self.world
        if first in self.variables:
            return self.variables[first]
        if self.master is not None and self._has(self.master, first):
            return self.field(self.master, first, item.place)
        if first in world.names:
            return world.names[first]
        value = world.declarations.enum_value(first)
        if value is None and first in world.declarations.enums and rest:
            value = world.declarations.enum_value(rest.pop(0))
        if value is None:
            raise item.place.error(no_such("name", str(item), self._known()))
        return value

    def _has(self, token: NamedToken, name: str) -> bool:
        return name in (*_BOUNDS, "object", "state") or name in token.parameters

    def _known(self) -> list[str]:
        fields = [*_BOUNDS, "object", *self.master.parameters] if self.master else []
        return [*self.labels, *self.variables, *fields, *self.world.names]

    def field(self, token: NamedToken, name: str, place: Place) -> Field:
        """A bound, the object or a parameter of a token."""
        if name in _BOUNDS:
            return Field(token.number, name, NUMBER)
        if name == "object":
            return Field(token.number, name, Type(token.class_name, "object"))
        if name == "state":
            raise place.unsupported("the state of a token is asked for")
        if name not in token.parameters:
            known = [*_BOUNDS, "object", *token.parameters]
            sentence = f"{token.class_name}.{token.predicate} has no parameter {name!r}"
            raise place.error(sentence + suggest(name, known))
        return Field(token.number, name, token.parameters[name])

    def member(self, term: Term, name: str, place: Place) -> Term:
        """A member of an object, which must be set in all objects it may be."""
        world = self.world
        if isinstance(term, Constant):
            return world.member(term, name, place)
        classes = world.declarations.classes
        types = classes[term.type.name].members if term.type.kind == "object" else {}
        if name not in types:
            raise place.error(f"{term.type.name!r} has no member {name!r}{suggest(name, types)}")
        for thing in world.objects:
            is_one = term.type.name in classes[thing.class_name].lineage
            if is_one and name not in thing.members:
                raise place.error(f"the member {name!r} of {thing.name!r} is not set")
        return Member(term, name, types[name])


def master_of(class_name: str, predicate: str, parameters: Mapping[str, Type]) -> NamedToken:
    """The token that a rule is about."""
    return NamedToken(MASTER, class_name, predicate, parameters)
