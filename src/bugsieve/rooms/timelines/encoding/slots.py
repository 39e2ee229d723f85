"""Room for tokens: so many slots per object, in the order in which their tokens begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from bugsieve.rooms.timelines.encoding.variables import Constraints, Linear, Literal
from bugsieve.rooms.timelines.models.model import Model, Object, Type
from bugsieve.rooms.timelines.nddl.trees import MAX_NUMBER


@dataclass(frozen=True)
class TokenView:
    """A token as the terms of a body see it."""

    object: Linear
    start: Linear
    end: Linear
    parameters: Mapping[str, Linear]

    def field(self, name: str) -> Linear:
        """The value of a bound, the object or a parameter."""
        if name == "duration":
            return self.end - self.start
        if name in ("start", "end", "object"):
            return getattr(self, name)
        return self.parameters[name]


@dataclass(frozen=True)
class Slot:
    """Room for one token of an object."""

    number: int
    object: Object
    active: Literal
    start: Linear
    end: Linear
    holds: Mapping[str, Literal]
    """For each predicate, a literal that is true if the token is of it."""
    views: Mapping[str, TokenView]
    """The token, if it is of a predicate."""


@dataclass(frozen=True)
class Times:
    """The horizon; times beyond it are looked at as far as numbers reach.

    A nearer limit would have to know how far sums and products of variables can get.
    """

    start: int
    end: int

    @property
    def low(self) -> int:
        """No time is before."""
        return self.start - MAX_NUMBER

    @property
    def high(self) -> int:
        """No time is after."""
        return self.end + MAX_NUMBER


def value_variable(constraints: Constraints, model: Model, type_: Type) -> Linear:
    """A variable for a value of the type."""
    values = model.values(type_)
    if values is None:
        return constraints.integer(-MAX_NUMBER, MAX_NUMBER)
    if not values:
        return -1  # a class without objects: no token can have such a value
    return values[0] if len(values) == 1 else constraints.among(values)


def make_slots(
    constraints: Constraints, model: Model, times: Times, slots: Mapping[int, int]
) -> list[Slot]:
    """The slots of each object, as many as `slots` says for its number."""
    result: list[Slot] = []
    for thing in model.objects:
        own: list[Slot] = []
        for _ in range(slots.get(thing.number, 0)):
            own.append(_make_slot(constraints, model, times, thing, len(result) + len(own)))
        _put_in_order(constraints, model, own)
        result += own
    return result


def _make_slot(
    constraints: Constraints, model: Model, times: Times, thing: Object, number: int
) -> Slot:
    active = constraints.literal()
    start = constraints.integer(times.start, times.end - 1)
    end = constraints.integer(times.start + 1, times.high)
    constraints.cp.add(end >= start + 1)
    holds: dict[str, Literal] = {}
    views: dict[str, TokenView] = {}
    for name, predicate in model.classes[thing.class_name].predicates.items():
        types = predicate.parameters
        if any(model.values(type_) == () for type_ in types.values()):
            continue
        holds[name] = constraints.literal()
        parameters = {
            parameter: value_variable(constraints, model, type_)
            for parameter, type_ in types.items()
        }
        views[name] = TokenView(thing.number, start, end, parameters)
    constraints.cp.add_exactly_one([~active, *holds.values()])
    return Slot(number, thing, active, start, end, holds, views)


def _put_in_order(constraints: Constraints, model: Model, slots: list[Slot]) -> None:
    """Tokens of a timeline come one after the other; those of other objects just begin so."""
    for before, after in pairwise(slots):
        constraints.cp.add_implication(after.active, before.active)
        is_timeline = model.kind(before.object) == "timeline"
        bound = before.end if is_timeline else before.start
        constraints.cp.add(bound <= after.start).only_enforce_if(after.active)
