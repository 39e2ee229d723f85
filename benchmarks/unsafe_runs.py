"""How fast walks ask a policy on their way to danger: decisions per second.

`python -m benchmarks.unsafe_runs`; `make bench` calls `bench_unsafe_runs`. A decision is a state
in which the policy was asked; states that several walks meet count once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.table import Bar, Report, Row
from bugsieve.rooms.formats.mlp import MlpPolicy
from bugsieve.rooms.formats.networks import Network
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.jani.policies.random import RandomModelPolicy
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.unsafe_runs import UnsafeRunFuzzer
from bugsieve.rooms.zoo.model_domains import generate_model

SECONDS = 1.0
REPETITIONS = 3
HIDDEN = (64, 64)
BAR = 200_000
PORTION = 2000  # walks at a time
SIZES = {"one-way-line": {"length": 10, "packages": 15}}  # as that of the paper


@dataclass(frozen=True)
class WalkBenchmark:
    """A model, a policy, a way to walk, and our bar, if any."""

    name: str
    domain: str
    policy: Callable[[JaniModel], ModelPolicy]
    lookahead: int | None
    choice: str
    bar: float | None = None

    def rate(self, seconds: float) -> float:
        """Decisions per CPU second over at least this time, starts included."""
        generated = generate_model(self.domain, **SIZES.get(self.domain, {}))
        model = load_document(generated.document, name=generated.name)
        options = SafetyFuzzOptions(self.lookahead, self.choice)
        decisions, done = 0, 0
        start = time.process_time()
        while True:
            # Each portion begins without knowledge, else few states would be left to ask about.
            fuzzer = UnsafeRunFuzzer(model, self.policy(model), options)
            fuzzer.run(range(done, done + PORTION))
            done += PORTION
            decisions += fuzzer.decisions
            elapsed = time.process_time() - start
            if elapsed >= seconds:
                return decisions / elapsed


def random_network(model: JaniModel) -> MlpPolicy:
    """Two hidden layers with random weights; what it decides is of no importance here."""
    random = np.random.default_rng(0)
    sizes = [model.num_variables, *HIDDEN, len(model.actions)]
    shapes = list(zip(sizes[1:], sizes, strict=False))
    weights = [random.normal(0, 1 / np.sqrt(s[1]), s).astype(np.float32) for s in shapes]
    biases = [random.normal(0, 0.1, s[0]).astype(np.float32) for s in shapes]
    return MlpPolicy(model, Network(tuple(weights), tuple(biases), "relu"), "mlp:random")


BENCHMARKS = [
    WalkBenchmark("one-way line, 2x64, 1", "one-way-line", random_network, 1, "uniform", BAR),
    WalkBenchmark("one-way line, 2x64, ∞", "one-way-line", random_network, None, "greedy", BAR),
    WalkBenchmark("bouncing ball, 2x64, ∞", "bouncing-ball", random_network, None, "greedy"),
    WalkBenchmark("one-way line, random, ∞", "one-way-line", RandomModelPolicy, None, "greedy"),
]


def bench_unsafe_runs(
    report: Report, *, seconds: float = SECONDS, repetitions: int = REPETITIONS
) -> None:
    """Our rates, the best of several."""
    report.section("walks towards danger, policy decisions per CPU second", figure="thousands")
    for benchmark in BENCHMARKS:
        rate = max(benchmark.rate(seconds) for _ in range(repetitions))
        bar = None if benchmark.bar is None else Bar(benchmark.bar / 1e3)
        report.add(Row(benchmark.name, f"{rate:,.0f}", "", rate / 1e3, bar))


def main() -> None:
    """Print the table."""
    report = Report()
    bench_unsafe_runs(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
