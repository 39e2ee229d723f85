"""Walks towards danger on the JANI benchmarks beside the repository, where present."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.rooms.jani.policies.random import RandomModelPolicy
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.unsafe_runs import UnsafeRunFuzzer
from tests.system.shared_jani import BENCHMARKS, Benchmark

WALKS = 60


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_start_states_are_drawn(benchmark: Benchmark) -> None:
    model = benchmark.load()
    drawn = StartSampler(model, 4).sample(range(WALKS))
    assert model.is_start(drawn).all()
    assert len(np.unique(drawn, axis=0)) > 10


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_runs_lead_from_a_start_into_danger(benchmark: Benchmark) -> None:
    model = benchmark.load()
    policy = RandomModelPolicy(model)
    walks = UnsafeRunFuzzer(model, policy, SafetyFuzzOptions()).run(range(WALKS))
    runs = [walk.run for walk in walks if walk.run is not None]
    assert runs
    for run in runs:
        states = model.unpack(run.states)
        assert model.is_start(states[:1]).all()
        assert model.is_unsafe(states).tolist() == [False] * len(run) + [True]
        assert np.array_equal(policy.choose(states[:-1]), run.actions)
    distances = model.distances(np.concatenate([model.unpack(run.states) for run in runs]))
    assert (distances >= 0).all() and (distances == 0).any()
