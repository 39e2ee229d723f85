"""Statements of rules, predicates and goals as checks, subgoals, links and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bugsieve.base.names import suggest
from bugsieve.rooms.timelines.models.model import (
    NUMBER,
    Between,
    Body,
    Branch,
    Choose,
    Comparison,
    Constant,
    Item,
    Link,
    Local,
    OneOf,
    Subgoal,
    Sum,
    Term,
    TermComparison,
    Type,
)
from bugsieve.rooms.timelines.models.scopes import NamedToken, Scope
from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.relations import RELATIONS
from bugsieve.rooms.timelines.nddl.syntax import Place

MAX_ITEMS = 1000
"""The most tokens and variables that a body may speak of."""

_PAIRS: Mapping[str, tuple[Comparison, bool]] = {
    "eq": ("eq", False),
    "neq": ("neq", False),
    "leq": ("leq", False),
    "lt": ("lt", False),
    "lessThan": ("lt", False),
    "geq": ("leq", True),
    "gt": ("lt", True),
    "precedes": ("leq", False),
    "strictlyPrecedes": ("lt", False),
    "concurrent": ("eq", False),
    "memberOf": ("eq", False),
}
"""The comparisons of constraints with two arguments, and true if their sides are exchanged."""
_TRIPLES: Mapping[str, tuple[Comparison, str]] = {
    "addEq": ("eq", "+"),
    "addLeq": ("leq", "+"),
    "addLt": ("lt", "+"),
    "mulEq": ("eq", "*"),
    "multEq": ("eq", "*"),
    "temporalDistance": ("eq", "+"),
}
"""`first sign second` compared with the third argument."""


@dataclass
class Builder:
    """Makes the items of one body; numbers of tokens and variables count through its branches."""

    parameters: Mapping[str, Mapping[str, Mapping[str, Type]]]
    """Those of the predicates of each class."""
    tokens: int = 0
    variables: int = 0

    def body(self, statements: Sequence[syntax.Statement], scope: Scope) -> Body:
        """The items of some statements."""
        items: list[Item] = []
        for statement in statements:
            items += self._items(statement, scope)
        return tuple(items)

    def _items(self, item: syntax.Statement, scope: Scope) -> list[Item]:
        if isinstance(item, syntax.Constraint):
            return [constraint(item, scope)]
        if isinstance(item, syntax.Assignment):
            both = (item.target, item.value)
            return [constraint(syntax.Constraint("eq", both, item.place), scope)]
        if isinstance(item, syntax.VariableDeclaration):
            return self._variable(item, scope)
        if isinstance(item, syntax.Relation):
            return self._relation(item, scope)
        if isinstance(item, syntax.Demand):
            return self._demand(item, scope)
        if isinstance(item, syntax.If):
            condition = constraint(item.condition, scope)
            then = self.body(item.then, scope.inner())
            return [Branch(condition, then, self.body(item.otherwise, scope.inner()))]
        if isinstance(item, syntax.Call):
            return self._call(item, scope)
        raise item.place.error("a declaration is not expected inside a block")

    def _variable(self, item: syntax.VariableDeclaration, scope: Scope) -> list[Item]:
        declarations = scope.world.declarations
        value = None if item.value is None else scope.term(item.value)
        is_known = value is not None and not isinstance(value, Between | OneOf)
        known_type = declarations.type(item.type, item.place)
        type_ = known_type if is_known else declarations.chosen_type(item)
        local = Local(self.variables, type_)
        self._count(item.place)
        self.variables += 1
        domain: Between | OneOf | None = None
        items: list[Item] = []
        if isinstance(value, Between | OneOf):
            domain = value
            check_types(Local(0, type_), value, item.place)
        elif value is not None:
            items.append(check("eq", local, value, item.place))
        scope.variables[item.name] = local
        conditions = self.body(item.conditions, scope)
        return [Choose(local.number, item.name, type_, domain), *items, *conditions]

    def _count(self, place: Place) -> None:
        if self.tokens + self.variables >= MAX_ITEMS:
            raise place.error(f"a rule speaks of more than {MAX_ITEMS} tokens and variables")

    def _relation(self, item: syntax.Relation, scope: Scope) -> list[Item]:
        subject = scope.token(item.subject or "this")
        if subject is None and item.subject:
            known = [*scope.labels, "this"]
            sentence = f"there is no token {item.subject!r}{suggest(item.subject, known)}"
            raise item.place.error(sentence)
        if subject is None and item.relation != "any":
            raise item.place.error(f"the token that {item.relation!r} is about is missing")
        items: list[Item] = []
        for target in item.targets:
            token = self._existing(target, scope)
            if token is None:
                token, made = self._subgoal(target, scope)
                items.append(made)
            if item.relation != "any" and subject is not None:
                items.append(Link(item.relation, subject.number, token.number, item.place))
        return items

    def _existing(self, target: syntax.Target, scope: Scope) -> NamedToken | None:
        if target.label is not None or len(target.name.parts) != 1:
            return None
        label = target.name.parts[0]
        token = scope.token(label)
        if token is None:
            sentence = f"there is no token {label!r}{suggest(label, scope.labels)}"
            raise target.name.place.error(sentence)
        return token

    def _demand(self, item: syntax.Demand, scope: Scope) -> list[Item]:
        if scope.master is not None:
            raise item.place.error(f"a {item.kind} cannot stand inside a block")
        return [self._subgoal(target, scope)[1] for target in item.targets]

    def _subgoal(self, target: syntax.Target, scope: Scope) -> tuple[NamedToken, Subgoal]:
        name = target.name
        *owner, predicate = name.parts
        if not owner:
            raise name.place.error(
                f"the class or object of the predicate {predicate!r} is missing"
            )
        thing: Term | None = None
        if len(owner) == 1 and owner[0] in scope.world.declarations.classes:
            class_name = owner[0]
        else:
            thing = scope.named(syntax.Name(tuple(owner), name.place))
            class_name = thing.type.name
        if thing is not None and thing.type.kind != "object":
            raise name.place.error(f"{'.'.join(owner)!r} is not an object")
        known = self.parameters[class_name]
        if predicate not in known:
            sentence = f"the class {class_name!r} has no predicate {predicate!r}"
            raise name.place.error(f"{sentence}{suggest(predicate, known)}")
        token = NamedToken(self.tokens, class_name, predicate, known[predicate])
        self._count(name.place)
        self.tokens += 1
        if target.label is not None:
            if target.label in scope.labels or target.label in scope.variables:
                raise name.place.error(f"the label {target.label!r} is given twice")
            scope.labels[target.label] = token
        return token, Subgoal(token.number, class_name, predicate, thing, name.place)

    def _call(self, item: syntax.Call, scope: Scope) -> list[Item]:
        if item.method in ("close", "activate"):
            return []
        if item.method == "super" or item.target is None or len(item.arguments) != 1:
            raise item.place.error(f"{item.method!r} is not expected here in this form")
        both = (item.target, item.arguments[0])
        return [constraint(syntax.Constraint("eq", both, item.place), scope)]


def constraint(item: syntax.Constraint, scope: Scope) -> TermComparison:
    """The check that a constraint asks for."""
    known = [*_PAIRS, *_TRIPLES]
    if item.name not in known:
        feature = f"the constraint {item.name!r}{suggest(item.name, [*known, *RELATIONS])} is used"
        raise item.place.unsupported(feature)
    terms = [scope.term(argument) for argument in item.arguments]
    wanted = 2 if item.name in _PAIRS else 3
    if len(terms) != wanted:
        raise item.place.error(f"{item.name!r} takes {wanted} arguments, not {len(terms)}")
    if item.name in _TRIPLES:
        comparison, sign = _TRIPLES[item.name]
        for term, argument in zip(terms, item.arguments, strict=True):
            check_types(Constant(0, NUMBER), term, argument.place)
        if isinstance(terms[0], Between | OneOf) or isinstance(terms[1], Between | OneOf):
            if item.name == "temporalDistance" and not isinstance(terms[0], Between | OneOf):
                difference = Sum("-", terms[2], terms[0])
                return check("eq", difference, terms[1], item.place)
            raise item.place.unsupported(f"{item.name!r} is used with a range or a set")
        return check(comparison, Sum(sign, terms[0], terms[1]), terms[2], item.place)
    comparison, is_exchanged = _PAIRS[item.name]
    left, right = reversed(terms) if is_exchanged else terms
    return check(comparison, left, right, item.place)


def check(comparison: Comparison, left: Term, right: Term, place: Place) -> TermComparison:
    """A comparison whose sides fit; a domain is put on the right."""
    check_types(left, right, place)
    if isinstance(left, Between | OneOf):
        left, right = right, left
        if comparison not in ("eq", "neq"):
            raise place.unsupported("a range or a set is compared by order")
    if isinstance(left, Between | OneOf):
        raise place.error("two ranges or sets are compared")
    if isinstance(right, Between | OneOf) and comparison not in ("eq", "neq"):
        raise place.unsupported("a range or a set is compared by order")
    if comparison in ("leq", "lt") and left.type.kind != "number":
        raise place.error(f"values of type {left.type.name} have no order")
    return TermComparison(comparison, left, right, place)


def check_types(left: Term, right: Term, place: Place) -> None:
    """Both sides must be of the same kind, and of the same enumeration."""
    a, b = left.type, right.type
    if a.kind != b.kind or (a.kind == "enum" and a.name != b.name):
        raise place.error(f"a value of type {a.name} cannot be compared with one of {b.name}")


def has_only_checks(body: Body) -> bool:
    """Return true if a body speaks of one token alone."""
    return all(isinstance(item, TermComparison) for item in body)
