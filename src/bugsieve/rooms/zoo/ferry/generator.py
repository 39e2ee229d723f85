"""Ferry: a ferry with room for one car takes cars to their places."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "a ferry takes cars across, one at a time"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; the ferry sails between any two places."""

    cars: int = count(3, "number of cars")
    locations: int = count(4, "number of places", minimum=2)


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: the ferry is empty at first and can fetch the cars in any order."""
    cars = numbered("car", options.cars)
    locations = numbered("loc", options.locations)
    init = ["(empty-ferry)", f"(at-ferry {rng.choice(locations)})"]
    goal = []
    for car in cars:
        first, last = rng.sample(locations, 2)
        init.append(f"(at {car} {first})")
        goal.append(f"(at {car} {last})")
    return PddlProblem(objects={"car": cars, "location": locations}, init=init, goal=goal)
