"""Beluga: jigs from an aircraft go through racks to two production lines.

The aircraft is unloaded onto a trailer, the trailer into racks with two ends, racks onto a truck,
and the truck into the factory, if it holds the jig that is asked for. Which line asks next is not
known before. Every push into a rack is a swap; too many swaps are unsafe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import starts_option
from bugsieve.rooms.zoo.documents import BoundedVariable, Edge, Model, Start, WeightedOutcome
from bugsieve.rooms.zoo.expressions import (
    Expression,
    between,
    conj,
    eq,
    ge,
    le,
    ne,
    plus,
)
from bugsieve.rooms.zoo.options import GeneratorOptions, count

SUMMARY = "jigs go through racks to two production lines; too many swaps are unsafe"

_ENDS = ("front", "back")


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; the jigs of each line are drawn."""

    jigs: int = count(4, "number of jigs", minimum=2, maximum=50)
    racks: int = count(2, "number of racks", maximum=20)
    slots: int = count(0, "jigs that fit into a rack, 0 for all of them", minimum=0, maximum=50)
    spare: int = count(1, "how many more swaps than jigs are safe", minimum=0)
    starts: int = starts_option()


def generate(options: Options, rng: Stream) -> Model:
    """Starts are all orders of the jigs in the aircraft."""
    return _Beluga(options, rng).model(rng.substream("starts"))


class _Beluga:
    def __init__(self, options: Options, rng: Stream) -> None:
        self.options = options
        self.jigs = range(1, options.jigs + 1)
        self.racks = range(1, options.racks + 1)
        self.slots = range(1, (options.slots or options.jigs) + 1)
        order = rng.sample(self.jigs, options.jigs)
        half = (options.jigs + 1) // 2
        self.schedules = {1: order[:half], 2: order[half:]}
        self.unsafe_swaps = options.jigs + options.spare + 1

    def model(self, rng: Stream) -> Model:
        ways = [
            f"{way}_{end}_rack_{r}" for way in ("push", "pop") for end in _ENDS for r in self.racks
        ]
        return Model(
            summary=f"{SUMMARY}; line 1 needs {_listed(self.schedules[1])}, "
            f"line 2 needs {_listed(self.schedules[2])}",
            actions=["unload_beluga", *ways, "unload_truck", "send_to_factory"],
            variables=self._variables(),
            edges=[
                self._unload_beluga(),
                *self._pushes(),
                *self._pops(),
                *self._asked(self._unload_truck()),
                *self._sendings(),
            ],
            start=self._start(rng),
            goal=conj(*(eq(_done(line), len(self.schedules[line])) for line in (1, 2))),
            unsafe=ge("swaps", self.unsafe_swaps),
        )

    def _variables(self) -> list[BoundedVariable]:
        most = self.options.jigs
        aircraft = [BoundedVariable(_aircraft(k), 0, most, k, "jig, 0: none") for k in self.jigs]
        racks = [BoundedVariable(_slot(r, k), 0, most, 0) for r in self.racks for k in self.slots]
        lines = [
            BoundedVariable(_done(k), 0, len(self.schedules[k]), 0, "jigs sent") for k in (1, 2)
        ]
        return [
            *aircraft,
            BoundedVariable("trailer", 0, most, 0, "jig, 0: none"),
            *racks,
            BoundedVariable("truck", 0, most, 0, "jig, 0: none"),
            *lines,
            BoundedVariable("asking", 0, 2, 1, "the line that asks for its next jig, 0: none"),
            BoundedVariable("swaps", 0, self.unsafe_swaps, 0),
        ]

    def _start(self, rng: Stream) -> Start:
        if self.options.starts:
            return Start(states=[self._draw(rng) for _ in range(self.options.starts)])
        aircraft = [_aircraft(k) for k in self.jigs]
        full = [ge(place, 1) for place in aircraft]
        different = [ne(one, other) for one, other in combinations(aircraft, 2)]
        nothing = [eq(name, 0) for name in self._nothing()]
        return Start(conj(*full, *different, *nothing, between(1, "asking", 2)))

    def _nothing(self) -> list[str]:
        racks = [_slot(r, k) for r in self.racks for k in self.slots]
        return ["trailer", "truck", *racks, _done(1), _done(2), "swaps"]

    def _draw(self, rng: Stream) -> Mapping[str, int | float]:
        order = rng.sample(self.jigs, len(self.jigs))
        return {**{_aircraft(k): order[k - 1] for k in self.jigs}, "asking": rng.integer(1, 2)}

    def _unload_beluga(self) -> Edge:
        """The jigs behind move up."""
        moved = _shifted([*map(_aircraft, self.jigs)])
        guard = conj(eq("trailer", 0), ge(_aircraft(1), 1))
        return Edge("unload_beluga", guard, [WeightedOutcome({"trailer": _aircraft(1), **moved})])

    def _unload_truck(self) -> Iterator[Edge]:
        guard = conj(eq("trailer", 0), ge("truck", 1))
        yield Edge("unload_truck", guard, [WeightedOutcome({"trailer": "truck", "truck": 0})])

    def _pushes(self) -> Iterator[Edge]:
        """Jigs in a rack stand without gaps, from the front on."""
        for rack in self.racks:
            names = [_slot(rack, k) for k in self.slots]
            allowed = [ge("trailer", 1), le("swaps", self.unsafe_swaps - 1)]
            counted: dict[str, Expression] = {"trailer": 0, "swaps": plus("swaps", 1)}
            back = {later: earlier for earlier, later in pairwise(names)}
            front = WeightedOutcome({names[0]: "trailer", **back, **counted})
            room = conj(*allowed, eq(names[-1], 0))
            yield from self._asked([Edge(f"push_front_rack_{rack}", room, [front])])
            for number, name in enumerate(names):
                behind = [ge(names[number - 1], 1)] if number else []
                guard = conj(*allowed, eq(name, 0), *behind)
                pushed = WeightedOutcome({name: "trailer", **counted})
                yield from self._asked([Edge(f"push_back_rack_{rack}", guard, [pushed])])

    def _pops(self) -> Iterator[Edge]:
        for rack in self.racks:
            names = [_slot(rack, k) for k in self.slots]
            guard = conj(eq("truck", 0), ge(names[0], 1))
            popped = WeightedOutcome({"truck": names[0], **_shifted(names)})
            yield Edge(f"pop_front_rack_{rack}", guard, [popped])
            for number, name in enumerate(names):
                is_last = [eq(behind, 0) for behind in names[number + 1 : number + 2]]
                guard = conj(eq("truck", 0), ge(name, 1), *is_last)
                yield Edge(
                    f"pop_back_rack_{rack}", guard, [WeightedOutcome({"truck": name, name: 0})]
                )

    def _asked(self, edges: Iterator[Edge] | list[Edge]) -> Iterator[Edge]:
        """The same edges, after which any line that still needs jigs asks."""
        for edge in edges:
            (outcome,) = edge.outcomes
            for is_open, asking in self._who_asks():
                yield Edge(edge.action, conj(edge.guard, *is_open), _asking(outcome, asking))

    def _who_asks(self) -> list[tuple[list[Expression], list[int]]]:
        needs = {k: le(_done(k), len(self.schedules[k]) - 1) for k in (1, 2)}
        full = {k: eq(_done(k), len(self.schedules[k])) for k in (1, 2)}
        return [
            ([needs[1], needs[2]], [1, 2]),
            ([needs[1], full[2]], [1]),
            ([full[1], needs[2]], [2]),
        ]

    def _sendings(self) -> Iterator[Edge]:
        for line, other in ((1, 2), (2, 1)):
            all_of_other = len(self.schedules[other])
            for number, jig in enumerate(self.schedules[line]):
                here = [eq("asking", line), eq(_done(line), number), eq("truck", jig)]
                sent = WeightedOutcome({"truck": 0, _done(line): number + 1})
                still = [line] if number + 1 < len(self.schedules[line]) else []
                open_other = conj(*here, le(_done(other), all_of_other - 1))
                full_other = conj(*here, eq(_done(other), all_of_other))
                both = sorted([*still, other])
                yield Edge("send_to_factory", open_other, _asking(sent, both))
                yield Edge("send_to_factory", full_other, _asking(sent, still or [0]))


def _asking(outcome: WeightedOutcome, lines: list[int]) -> list[WeightedOutcome]:
    probability = None if len(lines) == 1 else 0.5
    return [
        WeightedOutcome({**outcome.assignments, "asking": line}, probability) for line in lines
    ]


def _shifted(names: list[str]) -> dict[str, Expression]:
    """Assignments that take away the first and let the others move up."""
    moved: dict[str, Expression] = dict(pairwise(names))
    return {**moved, names[-1]: 0}


def _aircraft(place: int) -> str:
    return f"aircraft_{place}"


def _slot(rack: int, place: int) -> str:
    return f"rack_{rack}_{place}"


def _done(line: int) -> str:
    return f"line_{line}"


def _listed(jigs: list[int]) -> str:
    return ", then ".join(map(str, jigs))
