"""A truck with packages on a line of positions: what one-way and two-way lines share.

Every driving action first moves the truck by its old speed. Driving past an end is unsafe; the
truck then stands one step beyond that end for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.documents import (
    BoundedVariable,
    Edge,
    Model,
    Start,
    WeightedOutcome,
    chance,
)
from bugsieve.rooms.zoo.expressions import Expression, conj, disj, eq, ge, le, minus, plus
from bugsieve.rooms.zoo.options import GeneratorOptions, count, flag, one_of, require

_CHANGES = {"acc": 1, "dec": -1, "move": 0}
_LOSS, _FAILURE = "loss_probability", "failing_probability"


@dataclass(frozen=True)
class LineOptions(GeneratorOptions):
    """Size of the line and what may go wrong on it; the deterministic variant has no mishaps."""

    length: int = count(10, "number of positions", minimum=3)
    packages: int = count(5, "number of packages")
    capacity: int = count(0, "packages that the truck can hold, 0 for all of them", minimum=0)
    max_speed: int = count(3, "highest speed", maximum=100)
    variant: str = one_of(
        "park",
        ("park", "icy", "deterministic"),
        "park: the truck can be parked at the end; icy: it cannot; deterministic: no mishaps",
    )
    icy: int = count(2, "number of icy positions, none at the start or near the end", minimum=0)
    failing: bool = flag("whether changes of speed may fail on ice", default=True)
    loss: bool = flag("whether a moving truck may lose packages", default=True)
    starts: int = count(0, "list that many start states; 0: all", minimum=0, maximum=100_000)

    def _check_together(self) -> None:
        most = self.length - 3
        require(
            self.variant == "deterministic" or self.icy <= most,
            f"icy must be at most {most} on a line of length {self.length}, got {self.icy}",
        )


class TruckLine:
    """One line; `lowest` is the lowest speed, below 0 where the truck can go both ways."""

    def __init__(self, options: LineOptions, rng: Stream, *, is_two_way: bool) -> None:
        self.options = options
        self.is_two_way = is_two_way
        self.last = options.length - 1
        self.lowest = -options.max_speed if is_two_way else 0
        self.capacity = options.capacity or options.packages
        self.can_park = options.variant == "park"
        self.has_mishaps = options.variant != "deterministic"
        self.icy = frozenset(self._icy_positions(rng))
        self._rng = rng.substream("starts")

    def model(self, summary: str) -> Model:
        """The model as a JANI document."""
        actions = ["pick_up", "drop", *_CHANGES, *(["park"] if self.can_park else [])]
        icy = ", ".join(map(str, sorted(self.icy))) or "none"
        return Model(
            summary=f"{summary}; icy positions: {icy}",
            actions=actions,
            variables=self._variables(),
            edges=[*self._handling(), *self._driving(), *self._parking()],
            start=self._start(),
            goal=conj(eq(_at(self.last), self.options.packages), eq("position", self.last)),
            unsafe=self._unsafe(),
            constants={_LOSS: 0.1, _FAILURE: 0.1} if self.has_mishaps else {},
        )

    def _icy_positions(self, rng: Stream) -> list[int]:
        """Icy positions, not the last but one: from ice there, no stop at the end is possible."""
        is_icy = self.has_mishaps and self.options.failing
        return rng.sample(range(1, self.last - 1), self.options.icy) if is_icy else []

    def _variables(self) -> list[BoundedVariable]:
        packages = self.options.packages
        first = -1 if self.is_two_way else 0
        ends = f"{self.last + 1}: past the end" + ("; -1: past the other end" if first else "")
        fixed = [
            BoundedVariable("position", first, self.last + 1, 0, ends),
            BoundedVariable("speed", self.lowest, self.options.max_speed, 0),
            BoundedVariable("load", 0, self.capacity, 0, "packages in the truck"),
        ]
        if self.can_park:
            fixed.append(BoundedVariable("parked", 0, 1, 0))
        waiting = [
            BoundedVariable(_at(place), 0, packages, packages if place == 0 else 0)
            for place in range(self.last + 1)
        ]
        return [*fixed, *waiting]

    def _unsafe(self) -> Expression:
        past = ge("position", self.last + 1)
        if not self.is_two_way:
            return past
        return disj(past, le("position", -1))

    def _start(self) -> Start:
        if self.options.starts:
            return Start(states=[self._draw_start() for _ in range(self.options.starts)])
        standing = [eq(name, value) for name, value in self._standing().items()]
        everywhere = [_at(place) for place in range(self.last)]
        total = plus("load", *everywhere)
        return Start(conj(*standing, eq(total, self.options.packages)))

    def _standing(self) -> dict[str, int]:
        parked = {"parked": 0} if self.can_park else {}
        return {"position": 0, "speed": 0, **parked, _at(self.last): 0}

    def _draw_start(self) -> dict[str, int | float]:
        """All ways to put packages on positions and into the truck are equally likely."""
        places, packages = self.last, self.options.packages
        load = self.capacity + 1
        # Stars and bars: a choice of bars among packages and bars is one distribution of the
        # packages. Drawing anew where the truck would be too full keeps the others equally likely.
        while load > self.capacity:
            bars = sorted(self._rng.sample(range(packages + places), places))
            ends = zip([-1, *bars], [*bars, packages + places], strict=True)
            load, *counts = [high - low - 1 for low, high in ends]
        waiting = {_at(place): number for place, number in enumerate(counts)}
        return {**self._standing(), "load": load, **waiting}

    def _handling(self) -> Iterator[Edge]:
        """Loading before the end and unloading at the end, or both anywhere."""
        for place in range(self.last + 1):
            here = [eq("position", place), eq("speed", 0)]
            if place < self.last or self.is_two_way:
                room = [le("load", self.capacity - 1), ge(_at(place), 1)]
                yield Edge("pick_up", conj(*here, *room), [WeightedOutcome(_carried(place, 1))])
            if place == self.last or self.is_two_way:
                dropped = _carried(place, -1)
                yield Edge("drop", conj(*here, ge("load", 1)), [WeightedOutcome(dropped)])

    def _parking(self) -> Iterator[Edge]:
        if self.can_park:
            here = [eq("position", self.last), eq("speed", 0), eq("parked", 0)]
            yield Edge("park", conj(*here), [WeightedOutcome({"parked": 1})])

    def _driving(self) -> Iterator[Edge]:
        speeds = range(self.lowest, self.options.max_speed + 1)
        for place in range(self.last + 1):
            for action, change in _CHANGES.items():
                for speed in speeds:
                    if speed + change in speeds and (speed or change):
                        yield from self._drive(action, place, speed)

    def _drive(self, action: str, place: int, speed: int) -> Iterator[Edge]:
        parked = [eq("parked", 0)] if self.can_park else []
        here = [eq("position", place), eq("speed", speed), *parked]
        there = place + speed
        if not 0 <= there <= self.last:
            beyond = self.last + 1 if there > self.last else -1
            yield Edge(
                action, conj(*here), [WeightedOutcome({"position": beyond})], "past the end"
            )
            return
        change = _CHANGES[action]
        success: dict[str, Expression] = {"position": there, "speed": speed + change}
        failures = self._failures(place, speed, change)
        if not (self.has_mishaps and self.options.loss):
            yield Edge(action, conj(*here), chance(failures, success))
            return
        yield Edge(action, conj(*here, eq("load", 0)), chance(failures, success))
        direction = 1 if (speed or change) > 0 else -1
        lost = success | _carried(min(max(place + direction, 0), self.last), -1)
        outcomes = chance([*failures, (lost, _LOSS)], success)
        yield Edge(action, conj(*here, ge("load", 1)), outcomes)

    def _failures(
        self, place: int, speed: int, change: int
    ) -> list[tuple[dict[str, Expression], str]]:
        """On ice a moving truck may keep its speed against its will, or gain some."""
        if place not in self.icy or speed == 0:
            return []
        faster = speed + (1 if speed > 0 else -1)
        if change == 0 and abs(faster) > self.options.max_speed:
            return []
        return [({"position": place + speed, "speed": speed if change else faster}, _FAILURE)]


def _at(place: int) -> str:
    return f"packages_{place}"


def _carried(place: int, number: int) -> dict[str, Expression]:
    """Assignments that move packages from a place into the truck, or back."""
    more, less = ("load", _at(place)) if number > 0 else (_at(place), "load")
    return {less: minus(less, 1), more: plus(more, 1)}
