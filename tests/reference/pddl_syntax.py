"""What a PDDL domain and problem consist of, as plain data; `pddl_parser` builds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Types = tuple[str, ...]  # alternatives: (either a b) is ("a", "b")


@dataclass(frozen=True)
class Typed:
    """A variable, object or constant with its types."""

    name: str
    types: Types


@dataclass(frozen=True)
class Atom:
    """A predicate or function applied to variables ("?x") and objects."""

    name: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Equals:
    """Both terms denote the same object."""

    left: str
    right: str


@dataclass(frozen=True)
class Not:
    """The part is false."""

    part: Condition


@dataclass(frozen=True)
class And:
    """All parts are true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """Some part is true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Exists:
    """The part is true for some objects."""

    variables: tuple[Typed, ...]
    part: Condition


@dataclass(frozen=True)
class ForAll:
    """The part is true for all objects."""

    variables: tuple[Typed, ...]
    part: Condition


Condition = Atom | Equals | Not | And | Or | Exists | ForAll


@dataclass(frozen=True)
class Change:
    """Makes an atom true or false."""

    atom: Atom
    value: bool


@dataclass(frozen=True)
class Increase:
    """Adds to the total cost: a number or the value of a function."""

    amount: int | Atom


@dataclass(frozen=True)
class Together:
    """All parts happen at once."""

    parts: tuple[Effect, ...]


@dataclass(frozen=True)
class When:
    """The part happens if the condition holds before the action."""

    condition: Condition
    part: Effect


@dataclass(frozen=True)
class ForEach:
    """The part happens for all objects."""

    variables: tuple[Typed, ...]
    part: Effect


@dataclass(frozen=True)
class OneOf:
    """One of the parts happens, nobody knows which."""

    parts: tuple[Effect, ...]


Effect = Change | Increase | Together | When | ForEach | OneOf


@dataclass(frozen=True)
class Action:
    """An action schema."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Condition
    effect: Effect


@dataclass(frozen=True)
class Domain:
    """Types with their parents, constants and actions."""

    name: str
    parents: Mapping[str, Types]
    constants: tuple[Typed, ...]
    actions: Mapping[str, Action]


@dataclass(frozen=True)
class Problem:
    """Objects, initial atoms, function values, goal, and whether total cost is minimised."""

    domain: str
    objects: tuple[Typed, ...]
    initial: frozenset[Atom]
    values: Mapping[Atom, int]
    goal: Condition
    minimises_cost: bool
