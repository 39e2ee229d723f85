"""The JANI benchmarks beside the repository, where present, against the verdicts with them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.tasks.jani.loading import load_model
from bugsieve.tasks.jani.model import JaniModel
from bugsieve.tasks.jani.properties import PropertyFiles

FOLDER = Path(__file__).parents[2].parent / "shared" / "benchmarks" / "jani"


@dataclass(frozen=True)
class Benchmark:
    folder: str
    model: str
    source: tuple[str, ...]  # of the property: inside the model, one file, or three
    starts: int | None  # listed start states

    def load(self) -> JaniModel:
        folder = FOLDER / self.folder
        if not folder.is_dir():
            pytest.skip(f"the benchmarks are not beside the repository ({folder})")
        files = [folder / name for name in self.source]
        if len(files) == 3:
            return load_model(folder / self.model, PropertyFiles(*files))
        return load_model(folder / self.model, files[0] if files else None)

    def verdicts(self) -> Any:
        return json.loads((FOLDER / self.folder / "verdicts.json").read_text("utf-8"))


BENCHMARKS = [
    Benchmark("beluga_4_2", "beluga_4_2.jani", ("pa_beluga_4_2_random_starts_1000.jani",), 24),
    Benchmark("bouncing_ball", "bouncing_ball.jani",
              ("start.jani", "objective.jani", "safe.jani"), 1000),
    Benchmark("bouncing_ball", "bouncing_ball.jani",
              ("start_compact.jani", "objective.jani", "safe.jani"), None),
    Benchmark("inverted_pendulum", "inverted_pendulum.jani", ("property.jani",), None),
    Benchmark("mod_linetrack_icy_park", "model.jani", ("property.jani",), None),
    Benchmark("one_way_line_15_10", "model.jani", (), None),
    Benchmark("one_way_line_15_10_det", "one_way_line_15_10.jani",
              ("pa_one_way_line_15_10_random_starts_1000.jani",), 1000),
]  # fmt: skip


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
