"""The number of tokens that an object gets room for, and the most that would fit.

"None" is complete where no plan could have more tokens. Tokens of a timeline come one after the
other, all of them begin within the horizon, and all but the last end there: so the least durations
of what may follow each other say how many fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bugsieve.base.errors import UsageError
from bugsieve.rooms.timelines.encoding.slots import Times
from bugsieve.rooms.timelines.models.loading import least_duration
from bugsieve.rooms.timelines.models.model import (
    MASTER,
    Body,
    Constant,
    Field,
    Link,
    Model,
    Object,
    Subgoal,
)

DEFAULT_SLOTS = 12
"""Room to begin with, where none is asked for."""
MAX_SLOTS = 2000


@dataclass(frozen=True)
class Room:
    """Slots for tokens."""

    by_object: Mapping[int, int]
    asked_for: int
    is_complete: bool
    """True if no plan has more tokens of any object."""


def rooms(model: Model, times: Times, slots: int | Mapping[str, int] | None) -> Iterator[Room]:
    """The room that is asked for; else more and more of it, until it is complete."""
    most = {thing.number: most_tokens(model, thing, times) for thing in _carriers(model)}
    if slots is not None:
        yield _room(model, slots, most)
        return
    number = DEFAULT_SLOTS
    while True:
        room = _room(model, number, most)
        yield room
        if room.is_complete or number == MAX_SLOTS:
            return
        number = min(2 * number, MAX_SLOTS)


def _carriers(model: Model) -> Iterator[Object]:
    """The objects that have tokens which lie in slots."""
    for thing in model.objects:
        has_tokens = bool(model.classes[thing.class_name].predicates)
        if has_tokens and model.kind(thing) in ("timeline", "object"):
            yield thing


def _room(model: Model, slots: int | Mapping[str, int], most: Mapping[int, int | None]) -> Room:
    """For each object as many slots as asked for, and no more than could be filled."""
    given = {"": slots} if isinstance(slots, int) else slots
    by_object, is_complete = {}, True
    for thing in _carriers(model):
        wanted = given.get(thing.class_name, given.get("", DEFAULT_SLOTS))
        if not 1 <= wanted <= MAX_SLOTS:
            raise UsageError(f"slots must be between 1 and {MAX_SLOTS}, not {wanted}")
        fitting = most[thing.number]
        is_complete &= fitting is not None and wanted >= fitting
        by_object[thing.number] = wanted if fitting is None else min(wanted, fitting)
    return Room(by_object, given.get("", DEFAULT_SLOTS), is_complete)


def most_tokens(model: Model, thing: Object, times: Times) -> int | None:
    """The most tokens of an object that a plan may have; None if that is not limited.

    `earliest` is when a further token may begin at the earliest, by its predicate.
    """
    if model.kind(thing) != "timeline":
        return None  # its tokens may overlap
    names = list(model.classes[thing.class_name].predicates)
    lasting = {name: least_duration(model, thing, name) for name in names}
    following = _following(model, thing, names)
    earliest = dict.fromkeys(names, times.start)
    for number in range(1, MAX_SLOTS + 1):
        ends = {name: start + lasting[name] for name, start in earliest.items()}
        earliest = {
            after: min(ends[name] for name in ends if after in following[name])
            for after in names
            if any(after in following[name] for name in ends)
        }
        earliest = {name: start for name, start in earliest.items() if start < times.end}
        if not earliest:
            return number
    return MAX_SLOTS + 1


def _following(model: Model, thing: Object, names: list[str]) -> Mapping[str, set[str]]:
    """The possible next tokens of the timeline, by the predicate of the one before."""
    after = {name: _met(model, thing, name, "meets") for name in names}
    before = {name: _met(model, thing, name, "met_by") for name in names}
    return {
        name: {other for other in after[name] or names if name in (before[other] or names)}
        for name in names
    }


def _met(model: Model, thing: Object, predicate: str, relation: str) -> set[str]:
    """The predicates that a rule has met by each token of this one; empty if none does.

    Such a token lies within the horizon where there is another one on its side, so it is that one.
    """
    return {
        item.predicate
        for number in model.rules_of(thing, predicate)
        for item in _neighbours(model.rules[number].body, thing, relation)
    }


def _neighbours(body: Body, thing: Object, relation: str) -> Iterator[Subgoal]:
    """The tokens on the same timeline that the rule's own token is in this relation to."""
    linked = {
        item.that
        for item in body
        if isinstance(item, Link) and (item.this, item.relation) == (MASTER, relation)
    }
    for item in body:
        if isinstance(item, Subgoal) and item.number in linked and _is_own(item, thing):
            yield item


def _is_own(item: Subgoal, thing: Object) -> bool:
    """Return true if the token is asked for on this very object."""
    if isinstance(item.object, Constant):
        return item.object.value == thing.number
    return isinstance(item.object, Field) and (item.object.token, item.object.name) == (
        MASTER,
        "object",
    )
