"""Expansions of JANI models per second, beside the figures measured on others' tools.

`python -m benchmarks.jani`; `make bench` calls `bench_expansions`. An expansion lists the outcomes
of all actions of one state; nothing is stored. The peers cannot be installed here, so that their
figures are those of the notes on JANI.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import ROOT
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.properties import PropertyFiles

FOLDER = ROOT.parent / "shared" / "benchmarks" / "jani"
SECONDS = 0.5
REPETITIONS = 5


@dataclass(frozen=True)
class ModelBenchmark:
    """A model, where its property is, the published engine's rate and our bar, if any."""

    folder: str
    model: str
    source: tuple[str, ...] = ()
    peer: float | None = None
    bar: float | None = None

    def load(self) -> JaniModel:
        """The model with its property."""
        folder = FOLDER / self.folder
        files = [folder / name for name in self.source]
        source: PropertyFiles | Path | None = files[0] if files else None
        if len(files) == 3:
            source = PropertyFiles(*files)
        return load_model(folder / self.model, source)

    def states(self, model: JaniModel) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """The states with verdicts, which are spread over the model's runs."""
        verdicts = json.loads((FOLDER / self.folder / "verdicts.json").read_text("utf-8"))
        return np.array([model.state(item["state"]) for item in verdicts["states"]])


BENCHMARKS = [
    ModelBenchmark("one_way_line_15_10", "model.jani", peer=18_600, bar=1_000_000),
    ModelBenchmark("one_way_line_15_10_det", "one_way_line_15_10.jani",
                   ("pa_one_way_line_15_10_random_starts_1000.jani",)),
    ModelBenchmark("mod_linetrack_icy_park", "model.jani", ("property.jani",)),
    ModelBenchmark("bouncing_ball", "bouncing_ball.jani",
                   ("start_compact.jani", "objective.jani", "safe.jani"),
                   peer=122_000, bar=3_000_000),
    ModelBenchmark("inverted_pendulum", "inverted_pendulum.jani", ("property.jani",)),
    ModelBenchmark("beluga_4_2", "beluga_4_2.jani",
                   ("pa_beluga_4_2_random_starts_1000.jani",)),
]  # fmt: skip


def expansion_rate(benchmark: ModelBenchmark, seconds: float) -> float:
    """Expansions per CPU second over at least this time."""
    model = benchmark.load()
    states = benchmark.states(model)
    rounds = max(1, 100_000 // len(states))
    expansions = 0
    start = time.process_time()
    while True:
        model.system.count_outcomes(states, rounds)
        expansions += rounds * len(states)
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return expansions / elapsed


def bench_expansions(
    report: Report, *, seconds: float = SECONDS, repetitions: int = REPETITIONS
) -> None:
    """Our rates, the best of several, beside the published engine's."""
    title = "JANI expansions per CPU second (peer: published engine)"
    report.section(title, figure="millions")
    if not FOLDER.is_dir():
        print(f"the models are not beside the repository ({FOLDER})")
        return
    for benchmark in BENCHMARKS:
        rate = max(expansion_rate(benchmark, seconds) for _ in range(repetitions))
        peer = "" if benchmark.peer is None else f"{benchmark.peer:,.0f}"
        bar = None if benchmark.bar is None else Bar(benchmark.bar / 1e6)
        report.add(Row(benchmark.folder, f"{rate:,.0f}", peer, rate / 1e6, bar))


def main() -> None:
    """Print the table."""
    report = Report()
    bench_expansions(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
