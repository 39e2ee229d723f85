"""Miconic: a lift takes passengers from floor to floor."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "a lift takes passengers to their floors"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; the lift has room for everybody."""

    passengers: int = count(3, "number of passengers")
    floors: int = count(5, "number of floors", minimum=2, maximum=300)


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: the lift can visit all floors twice, boarding first and departing then."""
    passengers = numbered("p", options.passengers)
    floors = numbered("f", options.floors)
    init = [f"(lift-at {rng.choice(floors)})"]
    for passenger in passengers:
        first, last = rng.sample(floors, 2)
        init += [f"(origin {passenger} {first})", f"(destin {passenger} {last})"]
    init += [f"(above {low} {high})" for low, high in combinations(floors, 2)]
    goal = [f"(served {passenger})" for passenger in passengers]
    return PddlProblem(objects={"passenger": passengers, "floor": floors}, init=init, goal=goal)
