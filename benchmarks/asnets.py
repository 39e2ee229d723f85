"""Decisions of ASNets, beside PyTorch's forward pass and the share of the processor's peak.

`python -m benchmarks.asnets`; `make bench` calls `bench_asnets`. Ours read states, find applicable
actions, run the network and choose. PyTorch gets encoded states and stops at the scores, on one
thread and transform-first as ours. The peak is that of large matrix products in NumPy, which may
add and multiply in one instruction, as we must not.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.table import Bar, Report, Row
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Weights, random_weights
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task

FOLDER = Path(__file__).parents[2] / "shared" / "benchmarks" / "asnets"
BATCH = 64
REPETITIONS = 20


class Case(NamedTuple):
    """A task, and what a state of it may take in milliseconds, for batches of 64 and of 1."""

    name: str
    load: Callable[[], Task]
    bars: tuple[float, float | None]


def blocks(count: int) -> Task:
    """A generated task."""
    made = generate("blocksworld", seed=1, blocks=count)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        for path, text in zip(paths, (made.domain, made.problem), strict=True):
            path.write_text(text)
        return load_task(*map(str, paths))


def transport() -> Task:
    """The published problem of 3 246 actions."""
    place = FOLDER / "transport"
    return load_task(str(place / "domain.pddl"), str(place / "problems" / "opt-p06.pddl"))


CASES = (
    Case("blocks 10", lambda: blocks(10), (0.05, 0.15)),
    Case("blocks 20", lambda: blocks(20), (0.16, None)),
    Case("transport 3246", transport, (0.45, None)),
)


def walked(task: Task, count: int) -> StateArray:
    """The states of a random walk."""
    rng = np.random.default_rng(0)
    states = [task.initial_state]
    while len(states) < count:
        operator = rng.choice(task.applicable(states[-1]).operators)
        states.append(task.successors(states[-1], [operator])[0])
    return np.array(states, dtype=np.uint16)


def least(work: Callable[[], object], repetitions: int) -> float:
    """CPU seconds of a call, the best of several."""
    times = []
    work()
    for _ in range(repetitions):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def multiplications(grounding: Grounding, weights: Weights) -> int:
    """What one state takes when each fact's share is computed once."""
    h, last = weights.hidden, weights.layers
    facts = np.diff(grounding.fact_starts)
    slots = np.array([len(found) for found in grounding.signature.slots.values()])
    pairs = int(facts @ slots)
    total = sum((table.shape[1] + 1) * len(table) * h for table in grounding.related)
    for layer in range(last):
        own = int(facts[slots > 0].sum()) if layer else 0
        outputs = h if layer + 1 < last else 1
        total += (pairs + own) * h * h + (pairs + len(grounding.actions)) * h * outputs
    return int(total)


_PRODUCTS = """
import time, numpy
matrix = numpy.ones((768, 768), dtype=numpy.float32)
times = []
for _ in range(20):
    start = time.process_time()
    matrix @ matrix
    times.append(time.process_time() - start)
print(768**3 / min(times))
"""


def peak() -> float:
    """Multiplications per second in large matrix products of NumPy.

    In a process of its own: how many threads they take is decided when NumPy is imported.
    """
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(threads, "1")}
    command = [sys.executable, "-c", _PRODUCTS]
    return float(
        subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    )


def torch_forward(policy: AsnetPolicy, states: StateArray) -> Callable[[], object] | None:
    """The same network in PyTorch on encoded states; None where it is not installed."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="index_reduce")
    grounding, weights = policy.grounding, policy.weights
    truth = torch.from_numpy(grounding.truth(states).T.astype(np.float32))
    offered = torch.from_numpy(grounding.applicable(states).T.astype(np.float32))
    net = _TorchNet(torch, grounding, weights)

    def run() -> object:
        with torch.no_grad():
            return net.scores(truth, offered)

    return run


class _TorchNet:
    """Activations have the shape (items, states, hidden); tasks without missing facts only."""

    def __init__(self, torch: Any, grounding: Grounding, weights: Weights) -> None:
        self.torch, self.grounding, self.weights = torch, grounding, weights
        self.elu = torch.nn.functional.elu
        self.related = [torch.from_numpy(table.astype(np.int64)) for table in grounding.related]
        self.goal = torch.from_numpy(grounding.goal.astype(np.float32))
        self.names = [schema.name for schema in grounding.signature.schemas]

    def module(self, modules: Any, name: str) -> Any:
        return map(self.torch.from_numpy, modules[name])

    def scores(self, truth: Any, offered: Any) -> list[Any]:
        starts = self.grounding.action_starts
        actions = [
            self._first(number, truth, offered[starts[number] : starts[number + 1]])
            for number in range(len(self.names))
        ]
        facts: list[Any] = []
        for layer in range(self.weights.layers):
            facts = self._facts(layer, actions, facts)
            actions = self._actions(layer + 1, actions, facts)
        return actions

    def _first(self, number: int, truth: Any, offered: Any) -> Any:
        weight, bias = self.module(self.weights.actions[0], self.names[number])
        table = self.related[number]
        positions = table.shape[1]
        fixed = bias + self.goal[table] @ weight[:, positions : 2 * positions].T
        inputs = self.torch.cat([truth[table].permute(0, 2, 1), offered[:, :, None]], dim=2)
        columns = self.torch.cat([weight[:, :positions], weight[:, -1:]], dim=1)
        return self.elu(fixed[:, None] + inputs @ columns.T)

    def _facts(self, layer: int, actions: list[Any], before: list[Any]) -> list[Any]:
        grounding, found = self.grounding, []
        batch, hidden = actions[0].shape[1], self.weights.hidden
        for number, (name, slots) in enumerate(grounding.signature.slots.items()):
            first, end = grounding.fact_starts[number : number + 2].tolist()
            parts = []
            for schema, position in slots:
                pooled = self.torch.full((end - first, batch, hidden), -1.0)
                target = self.related[schema][:, position] - first
                pooled.index_reduce_(0, target, actions[schema], "amax", include_self=False)
                parts.append(pooled)
            parts += [before[number]] if before and slots else []
            if not slots:
                found.append(self.torch.zeros((end - first, batch, hidden)))
                continue
            weight, bias = self.module(self.weights.predicates[layer], name)
            found.append(self.elu(self.torch.cat(parts, dim=2) @ weight.T + bias))
        return found

    def _actions(self, layer: int, actions: list[Any], facts: list[Any]) -> list[Any]:
        hidden, all_facts = self.weights.hidden, self.torch.cat(facts)
        found = []
        for number, name in enumerate(self.names):
            weight, bias = self.module(self.weights.actions[layer], name)
            table = self.related[number]
            sums = actions[number] @ weight[:, -hidden:].T + bias
            for position in range(table.shape[1]):
                part = weight[:, position * hidden : (position + 1) * hidden]
                column = table[:, position]
                first, end = int(column.min()), int(column.max()) + 1
                sums += (all_facts[first:end] @ part.T)[column - first]
            found.append(sums if layer == self.weights.layers else self.elu(sums))
        return found


def bench_asnets(report: Report, *, repetitions: int = REPETITIONS) -> None:
    """Milliseconds of a state in batches and alone, the share of the peak, and PyTorch's."""
    title = "ASNets, CPU milliseconds per state and share of the peak, on one core (peer: PyTorch)"
    report.section(title, figure="ms")
    most = peak()
    for case in CASES:
        if case.load is transport and not FOLDER.is_dir():
            print(f"the published problems are not beside the repository ({FOLDER})")
            continue
        grounding = ground(case.load())
        weights = random_weights(grounding.signature, np.random.default_rng(0))
        policy = AsnetPolicy(grounding, weights, "asnets:benchmark", threads=1)
        for size, bar in zip((BATCH, 1), case.bars, strict=True):
            states = walked(grounding.task, size)
            mine = milliseconds(partial(policy.choose, states), size, repetitions)
            peer = torch_forward(policy, states)
            theirs = "" if peer is None else f"{milliseconds(peer, size, repetitions):.3f}"
            share = multiplications(grounding, weights) / (mine / 1e3) / most
            limit = None if bar is None else Bar(bar, at_least=False)
            cell = f"{mine:.3f}, {share:.0%}"
            report.add(Row(f"{case.name}, {size} at once", cell, theirs, mine, limit))


def milliseconds(work: Callable[[], object], states: int, repetitions: int) -> float:
    """What one of the states takes."""
    return 1e3 * least(work, repetitions) / states


def main() -> None:
    """Print the table."""
    report = Report()
    bench_asnets(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
