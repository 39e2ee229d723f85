"""The JANI benchmarks beside the repository: where their parts are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.properties import PropertyFiles

FOLDER = Path(__file__).parents[2].parent / "shared" / "benchmarks" / "jani"


@dataclass(frozen=True)
class Benchmark:
    folder: str
    model: str
    source: tuple[str, ...]  # of the property: inside the model, one file, or three
    starts: int | None  # listed start states

    def load(self) -> JaniModel:
        return _model(self)

    def verdicts(self) -> Any:
        return _verdicts(self.folder)


@cache
def _model(benchmark: Benchmark) -> JaniModel:
    folder = FOLDER / benchmark.folder
    if not folder.is_dir():
        pytest.skip(f"the benchmarks are not beside the repository ({folder})")
    files = [folder / name for name in benchmark.source]
    if len(files) == 3:
        return load_model(folder / benchmark.model, PropertyFiles(*files))
    return load_model(folder / benchmark.model, files[0] if files else None)


@cache
def _verdicts(folder: str) -> Any:
    return json.loads((FOLDER / folder / "verdicts.json").read_text("utf-8"))


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
