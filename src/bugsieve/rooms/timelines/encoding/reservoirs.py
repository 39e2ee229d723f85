"""Transactions of reservoirs: bounds on levels, and levels in each step.

What is consumed is gone from the start of its token on, what is produced is there from its end
on; what lies outside the horizon has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.rooms.timelines.encoding.rules import Transaction
from bugsieve.rooms.timelines.encoding.slots import Times
from bugsieve.rooms.timelines.encoding.variables import Constraints, Linear, Literal
from bugsieve.rooms.timelines.models.model import Model, Object


@dataclass(frozen=True)
class Event:
    """A change of a level by a known amount, if it is active."""

    number: int
    time: Linear
    change: int
    active: Literal


class Reservoirs:
    """The events of each reservoir; makes sure that levels keep their bounds."""

    def __init__(
        self,
        constraints: Constraints,
        model: Model,
        times: Times,
        transactions: Sequence[Transaction],
    ) -> None:
        self.constraints = constraints
        self.model = model
        self.times = times
        self.events: dict[int, list[Event]] = {
            thing.number: [] for thing in model.objects if model.kind(thing) == "reservoir"
        }
        self._made = 0
        for number, item in enumerate(transactions):
            self._add(number, item)
        for thing in model.objects:
            if self.events.get(thing.number):
                self._keep_bounds(thing)

    def _add(self, number: int, item: Transaction) -> None:
        constraints, times = self.constraints, self.times
        begun = ~constraints.at_most(("time", number), item.time, times.start - 1)
        in_time = constraints.at_most(("time", number), item.time, times.end - 1)
        for thing in item.objects:
            is_here = constraints.equal(("object", number), item.object, thing)
            for amount in filter(None, item.amounts):
                fits = constraints.equal(("amount", number), item.amount, amount)
                conditions = [*item.guards, begun, in_time, is_here, fits]
                active = constraints.all_of(conditions)
                change = item.sign * amount
                self.events[thing].append(Event(self._made, item.time, change, active))
                self._made += 1

    def _keep_bounds(self, thing: Object) -> None:
        bounds = self.model.reservoir(thing)
        events = self.events[thing.number]
        self.constraints.cp.add_reservoir_constraint_with_active(
            [event.time for event in events],
            [event.change for event in events],
            [event.active for event in events],
            bounds.low - bounds.initial,
            bounds.high - bounds.initial,
        )

    def level(self, thing: Object, time: int) -> Linear:
        """The level in a step, after all that changes it at its beginning."""
        total: Linear = self.model.reservoir(thing).initial
        for event in self.events[thing.number]:
            key = ("event", event.number)
            is_over = self.constraints.at_most(key, event.time, time)
            counts = ("counts", event.number, time)
            if counts not in self.constraints.known:
                both = self.constraints.all_of([event.active, is_over])
                self.constraints.known[counts] = both
            total = total + event.change * self.constraints.known[counts]
        return total
