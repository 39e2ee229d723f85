"""How fast models are explored, beside Storm, and how fast TarjanSafe decides.

`python -m benchmarks.safety`; `make bench` calls `bench_safety`. Storm builds the same models in a
process of its own. The other figures of peers are those of the notes on JANI.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.jani import BENCHMARKS, FOLDER, ModelBenchmark
from benchmarks.table import Bar, Report, Row
from bugsieve import _native
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.safety.oracles.decide import SafetyDecider, WordArray
from tests.reference.storm import ask_storm, is_installed
from tests.unit.oracles.safety.paths import path_system

REPETITIONS = 5
STARTS = 100
PATH = 1_000_000
WORD_BYTES = 8
MOST_BYTES = 100
"""Per state, beyond the packed state itself."""


@dataclass(frozen=True)
class Exploration:
    """A model to explore; where it lists no start states, a start with these packages."""

    benchmark: ModelBenchmark
    packages: tuple[int, ...] = ()

    def starts(self, model: JaniModel) -> list[dict[str, Value]]:
        """Start states by name."""
        if not self.packages:
            assert model.start_states is not None
            return [model.values(state) for state in model.start_states[:STARTS]]
        values: dict[str, Value] = dict.fromkeys((v.name for v in model.variables), 0)
        values.update((f"location_load_{k}", count) for k, count in enumerate(self.packages))
        return [values]


def _benchmark(folder: str) -> ModelBenchmark:
    return next(each for each in BENCHMARKS if each.folder == folder)


EXPLORATIONS = [
    Exploration(_benchmark("one_way_line_15_10"), (2, 2, 1, 1)),
    Exploration(_benchmark("mod_linetrack_icy_park"), (2, 2, 1, 1)),
    Exploration(_benchmark("beluga_4_2")),
]


def bench_safety(report: Report, *, repetitions: int = REPETITIONS) -> None:
    """All of it, as far as the models are beside the repository."""
    if FOLDER.is_dir():
        bench_exploration(report, repetitions=repetitions)
        bench_shared_cache(report, repetitions=repetitions)
        bench_unsafe_starts(report, repetitions=repetitions)
    else:
        print(f"the models are not beside the repository ({FOLDER})")
    bench_path(report, repetitions=repetitions)


def best_seconds(work: Callable[[], object], repetitions: int) -> float:
    """The least CPU time that it took."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def bench_exploration(report: Report, *, repetitions: int) -> None:
    """The whole state space with hashing and storage: time beside Storm's, and memory."""
    report.section("states explored and stored per CPU second (peer: Storm)")
    for exploration in EXPLORATIONS:
        _add_exploration(report, exploration, repetitions)


def _add_exploration(report: Report, exploration: Exploration, repetitions: int) -> None:
    model = exploration.benchmark.load()
    starts = exploration.starts(model)
    rows = model.pack(np.array([model.state(values) for values in starts]))
    found = _native.explore_states(model.system, rows)
    assert found is not None
    states, _, _, used = found
    seconds = best_seconds(lambda: _native.explore_states(model.system, rows), repetitions)
    name = exploration.benchmark.folder
    if is_installed():
        peers = ask_storm([model.document] * repetitions, [starts] * repetitions, check=False)
        peer = min(peers, key=lambda answer: answer.seconds)
        if peer.states != states:
            raise RuntimeError(f"{name}: Storm found {peer.states} states, not {states}")
        ratio = peer.seconds / seconds
        shown = f"{states / peer.seconds:,.0f}"
        report.add(Row(name, f"{states / seconds:,.0f}", shown, ratio, Bar(10)))
    else:
        report.add(Row(name, f"{states / seconds:,.0f}", "", states / seconds))
    beyond = used / states - WORD_BYTES * model.system.words
    label = f"  bytes beyond, {states:,} states"
    report.add(Row(label, f"{beyond:.1f}", "", beyond, Bar(MOST_BYTES, at_least=False)))


def bench_shared_cache(report: Report, *, repetitions: int) -> None:
    """Many start states with one decider."""
    report.section(f"TarjanSafe, {STARTS} starts, CPU seconds (peer: published engine)",
                   figure="seconds")  # fmt: skip
    ball = replace(
        _benchmark("bouncing_ball"), source=("start.jani", "objective.jani", "safe.jani")
    )
    for benchmark, peer in ((ball, 12.5), (_benchmark("one_way_line_15_10_det"), 6.3)):
        model = benchmark.load()
        assert model.start_states is not None
        rows = model.pack(model.start_states[:STARTS])
        seconds = best_seconds(_decision(model, rows), repetitions)
        bar = Bar(0.1, at_least=False)
        report.add(Row(benchmark.folder, f"{seconds:.3f}", f"{peer}", seconds, bar))


def bench_unsafe_starts(report: Report, *, repetitions: int) -> None:
    """Start states of which none is safe, each on its own."""
    report.section("TarjanSafe, unsafe starts, CPU seconds each (peer: published engine)",
                   figure="seconds")  # fmt: skip
    benchmark = _benchmark("one_way_line_15_10")
    model = benchmark.load()
    states = benchmark.states(model)
    starts = model.pack(states[model.is_start(states)])
    seconds = [best_seconds(_decision(model, row[None]), repetitions) for row in starts]
    mean, worst = sum(seconds) / len(seconds), max(seconds)
    bar = Bar(0.2, at_least=False)
    report.add(Row(f"{benchmark.folder}, mean", f"{mean:.3f}", "13.5", mean, bar))
    report.add(Row(f"{benchmark.folder}, worst of {len(starts)}", f"{worst:.3f}", "", worst, bar))


def _decision(model: JaniModel, rows: WordArray) -> Callable[[], object]:
    return lambda: SafetyDecider(model.system.copy()).decide(rows)


def bench_path(report: Report, *, repetitions: int) -> None:
    """A path as deep as it is long, beside one of a tenth of its length."""
    report.section(f"TarjanSafe on a path of {PATH:,} states (peer: a tenth of its length)")
    whole = path_system(PATH, "cycle")
    ours = _seconds_per_state(whole, repetitions)
    peer = _seconds_per_state(path_system(PATH // 10, "cycle"), repetitions)
    bar = Bar(3, at_least=False)
    shown = f"{1e9 * ours:.0f}", f"{1e9 * peer:.0f}"
    report.add(Row("nanoseconds per state", shown[0], shown[1], ours / peer, bar))
    decider = SafetyDecider(whole)
    decider.decide([0])
    beyond = decider.memory_bytes / PATH - WORD_BYTES
    report.add(Row("bytes beyond, per state", f"{beyond:.1f}", "", beyond,
                   Bar(MOST_BYTES, at_least=False)))  # fmt: skip


def _seconds_per_state(system: _native.ExplicitSystem, repetitions: int) -> float:
    seconds = best_seconds(lambda: SafetyDecider(system).decide([0]), repetitions)
    return seconds / system.num_states


def main() -> None:
    """Print the table."""
    report = Report()
    bench_safety(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
