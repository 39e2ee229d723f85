"""The deciders on systems with large components, under questions and limits in any order."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bugsieve import _native
from tests.depth import examples
from tests.property.safety_systems import ALGORITHMS, RADII, systems
from tests.reference.safety import ORDINARY, UNSAFE, System, safe_states
from tests.unit.oracles.safety.graphs import graph_system

UNKNOWN, OUT_OF_EXPANSIONS = -1, 1


def component_system(random: Random) -> System:
    """Up to 120 states with few dangers: everything is connected, and losses spread slowly."""
    size = random.randint(40, 120)
    reach = random.choice((3, 10, size))
    kinds = [UNSAFE if random.random() < 0.04 else ORDINARY for _ in range(size)]
    transitions, policy = [], []
    for state in range(size):
        near = [(state + random.randint(-reach, reach)) % size for _ in range(6)]
        actions = range(random.randint(1, 3))
        transitions.append({a: tuple({*random.sample(near, 2)}) for a in actions})
        policy.append(random.choice(actions))
    return System(tuple(kinds), tuple(transitions), tuple(policy))


def analysis(system: System, algorithm: str, radius: int | None) -> _native.SafetyAnalysis:
    graph = graph_system(system.kinds, system.transitions)
    policy = _native.TablePolicy(np.array(system.policy, dtype=np.int32))
    return _native.SafetyAnalysis(graph, policy, algorithm, radius)


def check_in_any_order(system: System, algorithm: str, radius: int | None, random: Random) -> int:
    """Ask about all states, some of them under little limits; how many answers were unknown."""
    truth = safe_states(system, radius)
    judge = analysis(system, algorithm, radius)
    order = [*system.states] * 2
    random.shuffle(order)
    unknown = 0
    for state in order:
        limit = random.choice((-1, 0, 1, 5, 20))
        row = np.array([[state]], dtype=np.uint64)
        verdicts, reached = judge.decide(row, max_expansions=limit)
        if verdicts[0] == UNKNOWN:
            assert limit >= 0 and reached[0] == OUT_OF_EXPANSIONS
            unknown += 1
        else:
            assert verdicts[0] == (state in truth), state
    return unknown


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_questions_and_limits_in_any_order(algorithm: str) -> None:
    unknown = 0
    for seed in range(examples(60)):
        random = Random(seed)
        system = component_system(random)
        for radius in RADII:
            unknown += check_in_any_order(system, algorithm, radius, random)
    assert unknown > examples(1000)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_thousands_of_small_systems_in_any_order(algorithm: str) -> None:
    for seed, system in systems(9, 1500):
        radius = RADII[seed % len(RADII)]
        check_in_any_order(system, algorithm, radius, Random(seed))


def test_components_are_large_and_mixed() -> None:
    shares = []
    for seed in range(examples(60)):
        system = component_system(Random(seed))
        shares.append(len(safe_states(system, None)) / len(system.kinds))
    assert sum(0.2 < share < 0.95 for share in shares) > examples(20)


def retrying_system(random: Random) -> System:
    """A ladder whose rungs fail late, after a ring that relies on its foot, with changes.

    TarjanSafe forgets the ring at each rung, until it hands over to the local fix-point.
    """
    ladder, ring = random.randint(15, 25), random.randint(15, 25)
    first_ring, first_trap = ladder + 1, ladder + 1 + ring
    danger = first_trap + ladder
    transitions: list[dict[int, tuple[int, ...]]] = [{0: (1,), 1: (first_ring,)}]
    for rung in range(1, ladder + 1):
        retry = (first_trap + rung - 1, first_ring)
        transitions.append({0: (rung + 1,), 1: retry} if rung < ladder else {0: retry})
    transitions.extend({0: (first_ring + i + 1,)} for i in range(ring - 1))
    transitions.append({0: (0,)})
    transitions.extend({0: (danger,)} for _ in range(ladder))
    transitions.append({})
    for _ in range(random.randint(0, 4)):
        state = random.randrange(danger)
        transitions[state][random.randint(0, 2)] = (random.randrange(danger),)
    kinds = (*[ORDINARY] * danger, UNSAFE)
    policy = tuple(random.choice([*choices, 0]) for choices in transitions)
    return System(kinds, tuple(transitions), policy)


def test_searches_that_hand_over() -> None:
    for seed in range(examples(60)):
        random = Random(seed)
        system = retrying_system(random)
        for radius in RADII:
            truth = safe_states(system, radius)
            row = np.array([[0]], dtype=np.uint64)
            alone = analysis(system, "tarjan", radius).decide(row)[0][0]
            assert alone == (0 in truth), (seed, radius)
            check_in_any_order(system, "tarjan", radius, random)
