"""The content of an NDDL file, statement by statement, with places; names are not resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from bugsieve.base.errors import InputError, UnsupportedError


class Place(NamedTuple):
    """A place in a file."""

    path: str
    line: int
    column: int

    def error(self, sentence: str) -> InputError:
        """The error that says `sentence` about this place."""
        return InputError(f"{self}: {sentence}")

    def unsupported(self, feature: str) -> UnsupportedError:
        """The error that the file uses a feature we do not handle."""
        return UnsupportedError(f"{self}: {feature}, which Bugsieve does not support")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Number:
    """A whole number."""

    value: int
    place: Place


@dataclass(frozen=True)
class StringLiteral:
    """A string in quotes."""

    value: str
    place: Place


@dataclass(frozen=True)
class Truth:
    """`true` or `false`."""

    value: bool
    place: Place


@dataclass(frozen=True)
class Name:
    """A name with dots: a variable, a member of an object, a bound of a token."""

    parts: tuple[str, ...]
    place: Place

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True)
class Range:
    """`[low high]`; None is an infinite bound."""

    low: int | None
    high: int | None
    place: Place


@dataclass(frozen=True)
class Choice:
    """`{a, b}`: one of some values."""

    values: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True)
class Arithmetic:
    """A sum, a difference or a product."""

    sign: str
    left: Expression
    right: Expression
    place: Place


@dataclass(frozen=True)
class New:
    """`new Location("rock", 3)`."""

    type: str
    arguments: tuple[Expression, ...]
    place: Place


Expression: TypeAlias = Number | StringLiteral | Truth | Name | Range | Choice | Arithmetic | New


@dataclass(frozen=True)
class Constraint:
    """`eq(a, b)`, or `a == b` in the same form."""

    name: str
    arguments: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True)
class VariableDeclaration:
    """`Path p = value;`, or `Path p : { constraints };`."""

    type: str
    name: str
    value: Expression | None
    conditions: tuple[Statement, ...]
    place: Place


class Target(NamedTuple):
    """`object.Going from`: a predicate with the label of its token, or only a label."""

    name: Name
    label: str | None


@dataclass(frozen=True)
class Relation:
    """`meets(object.Going from)`; the subject is a label if it is not the token itself."""

    subject: str | None
    relation: str
    targets: tuple[Target, ...]
    place: Place


@dataclass(frozen=True)
class If:
    """`if (a == b) { … } else { … }`."""

    condition: Constraint
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class Assignment:
    """`name = value;`."""

    target: Name
    value: Expression
    place: Place


@dataclass(frozen=True)
class Call:
    """`token.start.specify(5)`, `super(…)` or `close()`."""

    target: Name | None
    method: str
    arguments: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True)
class Demand:
    """`goal(…)` or `fact(…)`."""

    kind: str
    targets: tuple[Target, ...]
    place: Place


@dataclass(frozen=True)
class Enumeration:
    """`enum Mode { idle, busy }`."""

    name: str
    values: tuple[str, ...]
    place: Place


class Parameter(NamedTuple):
    """A parameter of a constructor."""

    type: str
    name: str
    place: Place


@dataclass(frozen=True)
class Constructor:
    """The way to make an object of a class."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class PredicateDeclaration:
    """A kind of token that an object can have."""

    name: str
    body: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True)
class ClassDeclaration:
    """A class; one that is only announced has no body and is left out by the reader."""

    name: str
    parent: str | None
    members: tuple[VariableDeclaration, ...]
    constructors: tuple[Constructor, ...]
    predicates: tuple[PredicateDeclaration, ...]
    place: Place


@dataclass(frozen=True)
class RuleDefinition:
    """`Navigator::At { … }`."""

    class_name: str
    predicate: str
    body: tuple[Statement, ...]
    place: Place


Statement: TypeAlias = (
    Constraint
    | VariableDeclaration
    | Relation
    | If
    | Assignment
    | Call
    | Demand
    | Enumeration
    | ClassDeclaration
    | RuleDefinition
    | New
)
