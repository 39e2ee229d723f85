"""The four deciders against naive fix-points, on thousands of random systems."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.rooms.safety.checker import safety_claims
from bugsieve.rooms.safety.oracles.decide import Fault, Safety, SafetyDecider
from bugsieve.tasks.search_limits import Limits
from tests.depth import examples
from tests.property.safety_systems import ALGORITHMS, RADII, decider, model, systems
from tests.reference.safety import (
    ORDINARY,
    UNSAFE,
    System,
    safe_states,
    safe_states_by_policies,
    values,
)
from tests.unit.oracles.safety.graphs import certificate_of, graph_system

PORTIONS = range(8)


def found_safe(judge: SafetyDecider, system: System) -> set[int]:
    verdicts = judge.decide(np.array(system.states))
    assert Safety.UNKNOWN not in verdicts.safety
    return set(np.flatnonzero(verdicts.safety).tolist())


@pytest.mark.parametrize("portion", PORTIONS)
def test_all_algorithms_agree_with_the_naive_fix_point(portion: int) -> None:
    verdicts: set[tuple[int | None, bool]] = set()
    for seed, system in systems(portion):
        for radius in RADII:
            truth = safe_states(system, radius)
            verdicts.update((radius, state in truth) for state in system.states)
            for algorithm in ALGORITHMS:
                found = found_safe(decider(system, algorithm, radius), system)
                assert found == truth, (seed, radius, algorithm)
    assert len(verdicts) == 2 * len(RADII)


def test_safety_grows_with_the_radius() -> None:
    grown = 0
    for seed, system in systems(20):
        safe = [found_safe(decider(system, "tarjan", radius), system) for radius in RADII]
        assert all(less <= more for less, more in pairwise(safe)), seed
        grown += safe[0] < safe[-1]
    assert grown > examples(20)


def test_values_characterise_safety() -> None:
    """Theorem 1, with r-safety as Definitions 4 and 5 have it."""
    for seed, system in systems(30, 150, most_states=5):
        for radius in RADII:
            by_policies = safe_states_by_policies(system, radius)
            by_values = {s for s, v in enumerate(values(system, radius)) if v <= (radius or 0)}
            assert by_policies == by_values == safe_states(system, radius), (seed, radius)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_verdicts_do_not_depend_on_earlier_questions(algorithm: str) -> None:
    for seed, system in systems(40, 150):
        order = list(system.states) * 2
        Random(seed).shuffle(order)
        for radius in RADII:
            truth = safe_states(system, radius)
            shared = decider(system, algorithm, radius)
            for state in order:
                alone = decider(system, algorithm, radius).decide([state])[0]
                assert alone is shared.decide([state])[0] is Safety(state in truth), (seed, radius)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_certificate_is_accepted(algorithm: str) -> None:
    for seed, system in systems(50, 150):
        for radius in RADII:
            truth = safe_states(system, radius)
            judge = decider(system, algorithm, radius)
            for state in system.states:
                certificate = certificate_of(judge, [state])
                assert certificate["kind"] == ("safe" if state in truth else "unsafe"), seed
                assert (certificate["state"], certificate["radius"]) == ([state], radius)
                safety_claims.check(model(system), certificate)


def random_run(system: System, random: Random) -> list[int]:
    """A run of the policy that ends where it must, or after some steps."""
    run = [random.choice(system.states)]
    while len(run) < 12 and system.kinds[run[-1]] == ORDINARY:
        outcomes = system.transitions[run[-1]].get(system.policy[run[-1]])
        if not outcomes:
            break
        run.append(random.choice(outcomes))
    return run


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_faults_are_the_steps_out_of_the_safe_region(algorithm: str) -> None:
    proven = 0
    for seed, system in systems(60, 200):
        runs = [random_run(system, Random(seed + n)) for n in range(4)]
        for radius in RADII:
            safe = safe_states(system, radius)
            judge = decider(system, algorithm, radius)
            for run in runs:
                found = judge.faults(run)
                assert found.safety.tolist() == [state in safe for state in run]
                assert {f.position for f in found.faults} == faults(system, run, safe), seed
                assert found.unknown == ()
                for fault in found.faults:
                    safety_claims.check(model(system), fault_proof(system, judge, fault))
                    proven += 1
    assert proven > examples(50)


def fault_proof(system: System, judge: SafetyDecider, fault: Fault) -> dict[str, Any]:
    return {
        "kind": "fault",
        "radius": judge.radius,
        "state": list(fault.state),
        "action": system.policy[fault.state[0]],
        "outcome": list(fault.outcome),
        "safe": certificate_of(judge, fault.state),
        "unsafe": certificate_of(judge, fault.outcome),
    }


def faults(system: System, run: list[int], safe: set[int]) -> set[int]:
    return {
        position
        for position, state in enumerate(run)
        if state in safe
        and system.kinds[state] == ORDINARY
        and not safe.issuperset(system.transitions[state].get(system.policy[state], ()))
    }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_little_limits_give_no_wrong_verdict_and_spoil_nothing(algorithm: str) -> None:
    unknown = 0
    for seed, system in systems(70, 150):
        graph = graph_system(system.kinds, system.transitions)
        for radius in RADII:
            truth = safe_states(system, radius)
            limited = SafetyDecider(
                graph,
                system.policy,
                algorithm=algorithm,
                radius=radius,
                limits=Limits(expansions=1),
            )
            for _ in range(2 * len(system.states)):
                verdicts = limited.decide(np.array(system.states))
                for state in system.states:
                    if verdicts[state] is Safety.UNKNOWN:
                        unknown += 1
                        assert verdicts.limits[state] == "expansions"
                    else:
                        assert verdicts[state] is Safety(state in truth), (seed, radius, state)
            # Each call may expand one state more, so in the end all are known.
            assert Safety.UNKNOWN not in verdicts.safety
            for state in system.states:
                safety_claims.check(model(system), certificate_of(limited, [state]))
    assert unknown > examples(100)


def test_systems_are_varied() -> None:
    drawn = [system for _, system in systems(0)]
    kinds = {kind for system in drawn for kind in system.kinds}
    assert kinds == {0, 1, UNSAFE}
    assert any(not choices for system in drawn for choices in system.transitions)
    assert any(action < 0 for system in drawn for action in system.policy)
