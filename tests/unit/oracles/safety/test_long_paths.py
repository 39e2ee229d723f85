"""A path of up to a million states takes memory in proportion, and no deep recursion."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider
from tests.depth import examples
from tests.unit.oracles.safety.graphs import certificate_of
from tests.unit.oracles.safety.paths import End, path_system

LENGTH = examples(1_000_000)
BYTES_PER_STATE = 250
"""Of packed state, outcomes, values, and the stacks of a search as deep as the path is long."""

ENDS: list[End] = ["unsafe", "goal", "cycle", "nothing"]


def on_a_small_stack(decider: SafetyDecider, state: int) -> Safety:
    verdicts: list[Safety] = []
    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: verdicts.append(decider.decide([state])[0]))
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    return verdicts[0]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("algorithm", _native.SAFETY_ALGORITHMS)
@pytest.mark.parametrize("radius", [None, 1])
def test_a_path_of_a_million_states(algorithm: str, end: End, radius: int | None) -> None:
    system = path_system(LENGTH, end)
    policy = np.zeros(LENGTH, dtype=np.int32)
    decider = SafetyDecider(system, policy, algorithm=algorithm, radius=radius)
    expected = Safety.LOST if end == "unsafe" else Safety.SAFE
    assert on_a_small_stack(decider, 0) is expected
    assert LENGTH - 1 <= decider.num_expanded <= LENGTH
    assert decider.memory_bytes < BYTES_PER_STATE * LENGTH
    # All states of the path are known now.
    before = decider.num_expanded
    assert decider.decide(np.arange(LENGTH - 1)).safety.tolist() == [expected] * (LENGTH - 1)
    assert decider.num_expanded == before


@pytest.mark.parametrize("end", ENDS)
def test_certificates_of_long_paths_are_complete(end: End) -> None:
    decider = SafetyDecider(path_system(100_000, end))
    certificate = certificate_of(decider, [0])
    rows = certificate["ranking" if end == "unsafe" else "table"]
    assert len(rows) == (100_000 if end == "cycle" else 99_999)
    if end == "unsafe":
        assert [row[2] for row in rows] == list(range(99_999, 0, -1))


def test_faults_of_a_long_run_are_found_from_its_end() -> None:
    run = np.arange(LENGTH)
    decider = SafetyDecider(path_system(LENGTH, "unsafe"), np.zeros(LENGTH, dtype=np.int32))
    found = decider.faults(run)
    assert not found.safety.any()
    assert found.faults == () and found.unknown == ()
