"""Random transition systems, and what the engine and the checker make of them."""

from __future__ import annotations

from random import Random

from bugsieve import _native
from bugsieve.rooms.safety.checker import safety_claims
from bugsieve.rooms.safety.oracles.decide import SafetyDecider
from tests.depth import examples
from tests.reference.safety import NAMES, System, random_system
from tests.unit.oracles.safety.graphs import graph_system

RADII = (0, 1, 2, 3, None)
ALGORITHMS = _native.SAFETY_ALGORITHMS


def systems(portion: int, count: int = 300, **options: int) -> list[tuple[int, System]]:
    seeds = range(portion * count, portion * count + examples(count))
    return [(seed, random_system(Random(seed), **options)) for seed in seeds]


def decider(system: System, algorithm: str, radius: int | None) -> SafetyDecider:
    graph = graph_system(system.kinds, system.transitions)
    return SafetyDecider(graph, system.policy, algorithm=algorithm, radius=radius)


def model(system: System) -> safety_claims.ExplicitModel:
    kinds = [NAMES[kind] for kind in system.kinds]
    policy = [None if action < 0 else action for action in system.policy]
    return safety_claims.ExplicitModel(kinds, system.transitions, policy)
