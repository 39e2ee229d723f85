"""Gripper: a robot with several grippers carries balls between rooms."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count, flag
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "a robot carries balls from room to room"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; every room can be reached from every other in one move."""

    balls: int = count(4, "number of balls")
    rooms: int = count(2, "number of rooms", minimum=2)
    grippers: int = count(2, "number of grippers of the robot")
    scattered: bool = flag("each ball has its own first and last room, instead of all the same")


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: balls can be carried one by one."""
    rooms = numbered("room", options.rooms)
    grippers = numbered("gripper", options.grippers)
    balls = numbered("ball", options.balls)
    journey = rng.sample(rooms, 2)
    init = [f"(at-robby {rng.choice(rooms)})", *(f"(free {gripper})" for gripper in grippers)]
    goal = []
    for ball in balls:
        first, last = rng.sample(rooms, 2) if options.scattered else journey
        init.append(f"(at {ball} {first})")
        goal.append(f"(at {ball} {last})")
    objects = {"room": rooms, "gripper": grippers, "ball": balls}
    return PddlProblem(objects=objects, init=init, goal=goal)
