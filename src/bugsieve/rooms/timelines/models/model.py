"""A timeline model with all names resolved: what may happen, and what a plan must hold.

Values are whole numbers everywhere: an object is its place in `Model.objects`, a value of an
enumeration its place there, a truth value 0 or 1, a string its place in `Model.strings`. In terms
and links the number of a token is its place in the body of its rule; `MASTER` is the token that
the rule is about. The body that has no such token, `Model.root`, holds goals and facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bugsieve.rooms.timelines.nddl.syntax import Place

MASTER = -1
BUILT_IN = ("Object", "Timeline", "Reservoir", "PlannerConfig")
TRANSACTIONS = ("consume", "produce")

Kind: TypeAlias = Literal["number", "bool", "string", "enum", "object"]
ClassKind: TypeAlias = Literal["object", "timeline", "reservoir", "settings"]


@dataclass(frozen=True)
class Type:
    """The values of a variable: `int` and, where no plan chooses it, `float` are whole numbers."""

    name: str
    kind: Kind


NUMBER, BOOL, STRING = Type("int", "number"), Type("bool", "bool"), Type("string", "string")


@dataclass(frozen=True)
class Constant:
    """A value."""

    value: int
    type: Type


@dataclass(frozen=True)
class Field:
    """`start`, `end`, `duration`, `object` or a parameter of a token."""

    token: int
    name: str
    type: Type


@dataclass(frozen=True)
class Local:
    """A variable of a rule."""

    number: int
    type: Type


@dataclass(frozen=True)
class Member:
    """A member of an object."""

    of: Term
    name: str
    type: Type


@dataclass(frozen=True)
class Sum:
    """`left + right`, `left - right` or `left * right`."""

    sign: str
    left: Term
    right: Term
    type: Type = NUMBER


@dataclass(frozen=True)
class Between:
    """Any number of a range; None stands for no bound."""

    low: int | None
    high: int | None
    type: Type = NUMBER


@dataclass(frozen=True)
class OneOf:
    """Any of some values."""

    values: tuple[int, ...]
    type: Type


Term: TypeAlias = Constant | Field | Local | Member | Sum | Between | OneOf
Comparison: TypeAlias = Literal["eq", "neq", "leq", "lt"]


@dataclass(frozen=True)
class TermComparison:
    """A comparison of two terms; only `eq` and `neq` may have a domain, on the right."""

    comparison: Comparison
    left: Term
    right: Term
    place: Place


@dataclass(frozen=True)
class Subgoal:
    """There is such a token; of an object if one is given, else of any of the class."""

    number: int
    class_name: str
    predicate: str
    object: Term | None
    place: Place


@dataclass(frozen=True)
class Link:
    """`this relation that`, two tokens of one body."""

    relation: str
    this: int
    that: int
    place: Place


@dataclass(frozen=True)
class Branch:
    """One body or another."""

    condition: TermComparison
    then: Body
    otherwise: Body


@dataclass(frozen=True)
class Choose:
    """A variable of the rule: some value of its type, or of its own domain."""

    number: int
    name: str
    type: Type
    domain: Between | OneOf | None


Item: TypeAlias = TermComparison | Subgoal | Link | Branch | Choose
Body: TypeAlias = tuple[Item, ...]


@dataclass(frozen=True)
class Predicate:
    """A kind of token: its parameters and what holds of them."""

    owner: str
    name: str
    parameters: Mapping[str, Type]
    body: Body

    def type_of(self, field: str) -> Type | None:
        """The type of a parameter or a bound."""
        if field in ("start", "end", "duration"):
            return NUMBER
        return self.parameters.get(field)


@dataclass(frozen=True)
class Class:
    """A class with all it inherits."""

    name: str
    parent: str | None
    kind: ClassKind
    members: Mapping[str, Type]
    predicates: Mapping[str, Predicate]


@dataclass(frozen=True)
class Object:
    """An instance of a class; members that were never set are missing."""

    number: int
    name: str
    class_name: str
    members: Mapping[str, int]


@dataclass(frozen=True)
class Rule:
    """The conditions on every token of a predicate."""

    class_name: str
    predicate: str
    body: Body
    place: Place


@dataclass(frozen=True)
class Reservoir:
    """The level of a reservoir at the start of the horizon, and its limits."""

    initial: int
    low: int
    high: int


@dataclass(frozen=True)
class Model:
    """Everything that some NDDL files say."""

    enums: Mapping[str, tuple[str, ...]]
    classes: Mapping[str, Class]
    objects: tuple[Object, ...]
    strings: tuple[str, ...]
    rules: tuple[Rule, ...]
    root: Body
    horizon: tuple[int, int] | None
    texts: tuple[tuple[str, str], ...]
    """Path and text of each file, for a checker that reads them again."""

    def ancestors(self, class_name: str) -> Iterator[str]:
        """The class and those it extends."""
        name: str | None = class_name
        while name is not None:
            yield name
            name = self.classes[name].parent

    def is_a(self, class_name: str, ancestor: str) -> bool:
        """Return true if objects of the one class are objects of the other."""
        return ancestor in self.ancestors(class_name)

    def instances(self, class_name: str) -> tuple[Object, ...]:
        """The objects of a class and of those that extend it, in the order they were made."""
        return tuple(o for o in self.objects if self.is_a(o.class_name, class_name))

    def kind(self, thing: Object) -> ClassKind:
        """The kind of the object's class."""
        return self.classes[thing.class_name].kind

    def predicate(self, thing: Object, name: str) -> Predicate:
        """A predicate of an object's class."""
        return self.classes[thing.class_name].predicates[name]

    def rules_of(self, thing: Object, predicate: str) -> tuple[int, ...]:
        """The places of the rules about a predicate of an object, in the order of the files."""
        return tuple(
            number
            for number, rule in enumerate(self.rules)
            if rule.predicate == predicate and self.is_a(thing.class_name, rule.class_name)
        )

    def reservoir(self, thing: Object) -> Reservoir:
        """The start level and the limits of a reservoir."""
        names = ("initialCapacity", "levelLimitMin", "levelLimitMax")
        return Reservoir(*(thing.members[name] for name in names))

    def values(self, type_: Type) -> tuple[int, ...] | None:
        """All values of a type; None if it is numbers."""
        if type_.kind == "number":
            return None
        if type_.kind == "bool":
            return (0, 1)
        if type_.kind == "enum":
            return tuple(range(len(self.enums[type_.name])))
        if type_.kind == "string":
            return tuple(range(len(self.strings)))
        return tuple(thing.number for thing in self.instances(type_.name))

    def show(self, value: int, type_: Type) -> str | int | bool:
        """A value as its file writes it; strings without quotes."""
        if type_.kind == "number":
            return value
        if type_.kind == "bool":
            return bool(value)
        if type_.kind == "enum":
            return self.enums[type_.name][value]
        return self.strings[value] if type_.kind == "string" else self.objects[value].name


def subgoals(body: Body) -> Iterator[Subgoal]:
    """Those of a body and of its branches, in the order of the text."""
    for item in body:
        if isinstance(item, Subgoal):
            yield item
        elif isinstance(item, Branch):
            yield from subgoals(item.then)
            yield from subgoals(item.otherwise)


def choices(body: Body) -> Iterator[Choose]:
    """The variables of a body and of its branches, in the order of the text."""
    for item in body:
        if isinstance(item, Choose):
            yield item
        elif isinstance(item, Branch):
            yield from choices(item.then)
            yield from choices(item.otherwise)


def checks(body: Body) -> Iterator[TermComparison]:
    """All comparisons of a body, conditions of branches among them."""
    for item in body:
        if isinstance(item, TermComparison):
            yield item
        elif isinstance(item, Branch):
            yield item.condition
            yield from checks(item.then)
            yield from checks(item.otherwise)
