"""Spanner: a man walks a one-way street, picks up spanners and tightens nuts at its end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "spanners picked up on a one-way street tighten nuts at its end, each once"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; a man who passes too many spanners has lost."""

    spanners: int = count(3, "number of spanners, at least as many as nuts")
    nuts: int = count(2, "number of loose nuts at the gate")
    locations: int = count(4, "number of places between shed and gate")

    def _check_together(self) -> None:
        self._at_least_as_many("spanners", self.nuts, "nuts")


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: picking up every spanner on the way leaves one for each nut."""
    spanners = numbered("spanner", options.spanners)
    nuts = numbered("nut", options.nuts)
    between = numbered("location", options.locations)
    street = ["shed", *between, "gate"]
    init = ["(at bob shed)"]
    for spanner in spanners:
        init += [f"(at {spanner} {rng.choice(between)})", f"(usable {spanner})"]
    for nut in nuts:
        init += [f"(at {nut} gate)", f"(loose {nut})"]
    init += [f"(link {here} {there})" for here, there in pairwise(street)]
    return PddlProblem(
        objects={"man": ["bob"], "spanner": spanners, "nut": nuts, "location": street},
        init=init,
        goal=[f"(tightened {nut})" for nut in nuts],
    )
