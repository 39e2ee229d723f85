"""Decisions of ReLU networks per second, beside PyTorch's forward pass of the same batch.

`python -m benchmarks.networks`; `make bench` calls `bench_decisions`. Ours read packed states,
evaluate the network and choose, with and without applicability filtering; PyTorch only evaluates
and takes the greatest score, on one thread.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.jani import BENCHMARKS, FOLDER
from benchmarks.table import Bar, Report, Row
from bugsieve.rooms.formats.mlp import MlpPolicy
from bugsieve.rooms.formats.networks import Network
from bugsieve.rooms.jani.model.model import JaniModel

SECONDS = 0.5
REPETITIONS = 5
BATCH = 10_000
HIDDEN = (64, 256)
BAR = 200_000  # for two hidden layers of 64


def random_network(*sizes: int) -> Network:
    """A network whose layers have these sizes, inputs first."""
    rng = np.random.default_rng(0)
    pairs = list(pairwise(sizes))
    return Network(
        weights=tuple((rng.normal(size=(o, i)) / i**0.5).astype(np.float32) for i, o in pairs),
        biases=tuple(rng.normal(size=o).astype(np.float32) for _, o in pairs),
        activation="relu",
    )


def rate(decide: Callable[[], int], seconds: float) -> float:
    """Decisions per CPU second over at least this time."""
    count = 0
    start = time.process_time()
    while True:
        count += decide()
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return count / elapsed


def native_decisions(
    model: JaniModel, network: Network, filtered: bool, batch: int
) -> Callable[[], int]:
    """Decides a batch of the model's states."""
    view = MlpPolicy(model, network, "mlp:benchmark", filter=filtered).view()
    states = BENCHMARKS[0].states(model)
    words = model.pack(np.resize(states, (batch, model.num_variables)))

    def decide() -> int:
        return len(view.choose(words))

    return decide


def torch_decisions(network: Network, batch: int) -> Callable[[], int] | None:
    """The same batch in PyTorch; None where it is not installed."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    torch.set_num_threads(1)
    layers = [
        (torch.from_numpy(weight), torch.from_numpy(bias))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]
    rows = torch.ones(batch, network.num_inputs)

    def decide() -> int:
        values = rows
        with torch.no_grad():
            for number, (weight, bias) in enumerate(layers):
                values = torch.addmm(bias, values.relu() if number else values, weight.T)
            return len(values.argmax(dim=1))

    return decide


def bench_decisions(
    report: Report, *, seconds: float = SECONDS, repetitions: int = REPETITIONS
) -> None:
    """Our rates, the best of several, beside PyTorch's."""
    title = "ReLU networks, decisions per CPU second on one core (peer: PyTorch)"
    report.section(title, figure="millions")
    if not FOLDER.is_dir():
        print(f"the models are not beside the repository ({FOLDER})")
        return
    model = BENCHMARKS[0].load()
    for hidden in HIDDEN:
        network = random_network(model.num_variables, hidden, hidden, len(model.actions))
        bar = Bar(BAR / 1e6) if hidden == HIDDEN[0] else None
        for filtered, batch in ((False, BATCH), (True, BATCH), (False, 1)):
            mine = native_decisions(model, network, filtered, batch)
            theirs = torch_decisions(network, batch)
            rounds = [
                (rate(mine, seconds), 0.0 if theirs is None else rate(theirs, seconds))
                for _ in range(repetitions)
            ]
            best, peer = (max(values) for values in zip(*rounds, strict=True))
            label = f"2 x {hidden}{' filtered' if filtered else ''}, {batch} at once"
            shown = "" if theirs is None else f"{peer:,.0f}"
            is_batch = batch == BATCH
            report.add(Row(label, f"{best:,.0f}", shown, best / 1e6, bar if is_batch else None))


def main() -> None:
    """Print the table."""
    report = Report()
    bench_decisions(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
