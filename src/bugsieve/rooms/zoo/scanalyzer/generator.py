"""Scanalyzer: plants on conveyor belts rotate through cycles, some of which analyse them."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count, one_of
from bugsieve.rooms.zoo.problems import PddlProblem

SUMMARY = "cars rotate through cycles of conveyor belts and get analysed (action costs)"

Cycle = tuple[str, ...]
"""Two or four segments; on a turn each car goes one segment to the front, the first to the end."""


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Layout of the belts: each incoming belt makes a cycle with each outgoing belt."""

    size: int = count(3, "number of incoming belts, and of outgoing ones", maximum=100)
    cycle: int = one_of(2, (2, 4), "segments in a cycle; with 4 a belt has two segments")
    analysis: str = one_of(
        "lane",
        ("all", "lane", "single"),
        "cycles that can analyse: all, those with the first outgoing belt, or a single one",
    )


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: turning a cycle on and on undoes it, so no arrangement that was reached is lost.

    The goal arrangement is reached by random turns, and every car can be brought to the front of
    an analysing cycle, because all incoming belts share cycles with all outgoing belts.
    """
    incoming, outgoing = _belts("in", options), _belts("out", options)
    cycles = [way_in + way_out for way_in in incoming for way_out in outgoing]
    analysing = {
        "all": cycles,
        "lane": [way_in + outgoing[0] for way_in in incoming],
        "single": cycles[:1],
    }[options.analysis]
    segments = [segment for belt in (*incoming, *outgoing) for segment in belt]
    start = {f"seg-{segment}": f"car-{segment}" for segment in segments}
    final = _turned(start, cycles, rng)
    init = [_cycle_atom(f"cycle-{options.cycle}", cycle) for cycle in cycles]
    init += [_cycle_atom(f"cycle-{options.cycle}-with-analysis", cycle) for cycle in analysing]
    init += [f"(on {car} {segment})" for segment, car in start.items()]
    goal = [f"(analyzed {car})" for car in start.values()]
    goal += [f"(on {car} {segment})" for segment, car in final.items()]
    return PddlProblem(
        objects={"segment": list(start), "car": list(start.values())},
        init=init,
        goal=goal,
        has_costs=True,
    )


def _belts(side: str, options: Options) -> list[Cycle]:
    parts = "ab" if options.cycle == 4 else ("",)
    return [
        tuple(f"{side}-{number}{part}" for part in parts) for number in range(1, options.size + 1)
    ]


def _turned(start: dict[str, str], cycles: list[Cycle], rng: Stream) -> dict[str, str]:
    """The cars by segment after many random turns."""
    cars = dict(start)
    turns = 4 * len(start) + rng.integer(1, 4)  # not always even: turns of two cars swap them
    for _ in range(turns):
        segments = [f"seg-{segment}" for segment in rng.choice(cycles)]
        moved = [cars[segment] for segment in segments]
        cars.update(zip(segments, [*moved[1:], moved[0]], strict=True))
    return cars


def _cycle_atom(predicate: str, cycle: Cycle) -> str:
    return f"({predicate} {' '.join(f'seg-{segment}' for segment in cycle)})"
