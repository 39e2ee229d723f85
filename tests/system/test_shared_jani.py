"""The JANI benchmarks beside the repository, where present, against the verdicts with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider
from bugsieve.tasks.search_limits import Limits
from tests.system.shared_jani import BENCHMARKS, Benchmark


def successors(
    model: JaniModel, states: np.ndarray[Any, Any]
) -> list[dict[str, list[list[float]]]]:
    found = model.expand(states)
    names = [model.actions[action] for action in found.actions]
    outcomes = [
        sorted(found.outcomes[begin:end].tolist())
        for begin, end in zip(found.outcome_offsets, found.outcome_offsets[1:], strict=False)
    ]
    return [
        dict(zip(names[begin:end], outcomes[begin:end], strict=True))
        for begin, end in zip(found.action_offsets, found.action_offsets[1:], strict=False)
    ]


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_semantics_agree_with_the_verdicts(benchmark: Benchmark) -> None:
    model, verdicts = benchmark.load(), benchmark.verdicts()
    assert [variable.name for variable in model.variables] == verdicts["variables"]
    assert list(model.actions) == verdicts["actions"]
    judged = verdicts["states"]
    assert len(judged) > 200
    states = np.array([model.state(item["state"]) for item in judged])
    assert model.is_goal(states).tolist() == [item["goal"] for item in judged]
    assert model.is_unsafe(states).tolist() == [item["unsafe"] for item in judged]
    wanted = [
        {name: sorted(outcomes) for name, outcomes in item["successors"].items()}
        for item in judged
    ]
    assert successors(model, states) == wanted


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_start_states_are_as_many_as_listed(benchmark: Benchmark) -> None:
    model = benchmark.load()
    starts = model.start_states
    assert (None if starts is None else len(starts)) == benchmark.starts
    if starts is not None:
        assert model.is_start(starts).all() and not model.is_unsafe(starts).any()


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_safety_agrees_with_the_verdicts(benchmark: Benchmark) -> None:
    model, judged = benchmark.load(), benchmark.verdicts()["states"]
    states = np.array([model.state(item["state"]) for item in judged])
    found = SafetyDecider(model.system.copy()).decide(model.pack(states))
    assert found.safety.tolist() == [int(item["safe"]) for item in judged]


@pytest.mark.parametrize("algorithm", _native.SAFETY_ALGORITHMS)
@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: f"{b.folder}-{len(b.source)}")
def test_no_algorithm_contradicts_the_verdicts(benchmark: Benchmark, algorithm: str) -> None:
    model, judged = benchmark.load(), benchmark.verdicts()["states"]
    states = np.array([model.state(item["state"]) for item in judged])
    limits = Limits(expansions=1000)
    decider = SafetyDecider(model.system.copy(), algorithm=algorithm, limits=limits)
    found = decider.decide(model.pack(states)).safety
    known = found != Safety.UNKNOWN
    assert known.sum() > 20
    assert found[known].tolist() == [int(judged[row]["safe"]) for row in np.flatnonzero(known)]
