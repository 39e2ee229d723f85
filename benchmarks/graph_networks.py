"""Values of graph networks, in milliseconds per state, beside PyTorch's of the same weights.

`python -m benchmarks.graph_networks`; `make bench` calls `bench_values`. Both have one thread and
get states in batches of 32; ours are not asked twice for a state.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import ROOT
from bugsieve.rooms.formats.gnn.atoms import NetworkAtoms, network_atoms
from bugsieve.rooms.formats.gnn.network import GraphNetwork, read_graph_network
from bugsieve.rooms.formats.gnn.policy import GnnPolicy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import StateArray, Task

FOLDER = ROOT.parent / "shared" / "benchmarks" / "gnn"
REPETITIONS = 5
BATCH = 32
SIDE = 512  # of the matrices whose product shows what the processor can do


@dataclass(frozen=True)
class GraphBenchmark:
    """A problem of a published network, and the milliseconds that a state may take."""

    domain: str
    problem: str
    bar: float | None = None

    def load(self) -> GnnPolicy:
        """The policy on the problem."""
        return published(self.domain, FOLDER / self.domain / "problems" / f"{self.problem}.pddl")


BENCHMARKS = (
    GraphBenchmark("blocks", "probBLOCKS-10-0", bar=1.4),
    GraphBenchmark("blocks", "probBLOCKS-17-0"),
    GraphBenchmark("gripper", "prob10"),
    GraphBenchmark("miconic", "s10-0"),
)


def published(domain: str, problem: Path) -> GnnPolicy:
    """The network of a domain on one of its problems."""
    (file,) = (FOLDER / domain).glob("*.ckpt")
    task = load_task(FOLDER / domain / "domain.pddl", problem)
    return GnnPolicy(task, read_graph_network(file), f"gnn:{file.name}", threads=1)


def states_of(task: Task, count: int) -> StateArray:
    """Different states, met on a random walk."""
    rng = np.random.default_rng(0)
    state = task.initial_state
    found: dict[bytes, StateArray] = {}
    while len(found) < count:
        found[state.tobytes()] = state
        successors, _, _ = task.all_successors(state)
        state = successors[rng.integers(len(successors))]
    return np.array(list(found.values()))


def graph_of(atoms: NetworkAtoms, state: StateArray) -> dict[int, list[list[int]]]:
    """The objects of the atoms that are true in a state, by relation."""
    values = [atoms.of_values[variable][value] for variable, value in enumerate(state)]
    found: dict[int, list[list[int]]] = {}
    for atom in (*atoms.always, *(atom for atom in values if atom >= 0)):
        found.setdefault(atoms.relations[atom], []).append(atoms.arguments[atom])
    return found


def operations(network: GraphNetwork, atoms: NetworkAtoms, state: StateArray) -> float:
    """Multiplications and additions in the layers for one state."""

    def of(part: Any) -> int:
        return sum(2 * int(weight.size) for weight in part.weights)

    graph = graph_of(atoms, state)
    sent = sum(len(rows) * of(network.relations[r].module) for r, rows in graph.items())
    return float(network.iterations * (sent + atoms.objects * of(network.update)))


class TorchValues:
    """The same network in PyTorch, on one thread; batches are graphs side by side."""

    def __init__(self, network: GraphNetwork, torch: Any) -> None:
        self.network, self.torch = network, torch
        torch.set_num_threads(1)
        self._parts = {id(part): self._layers(part) for part in network.parts}

    def _layers(self, part: Any) -> list[tuple[Any, Any]]:
        pairs = zip(part.weights, part.biases, strict=True)
        return [(self.torch.tensor(weight), self.torch.tensor(bias)) for weight, bias in pairs]

    def _run(self, part: Any, rows: Any) -> Any:
        for number, (weight, bias) in enumerate(self._parts[id(part)]):
            rows = self.torch.addmm(bias, rows.relu() if number else rows, weight.T)
        return rows

    def prepare(
        self, atoms: NetworkAtoms, states: StateArray
    ) -> tuple[list[tuple[int, Any]], int]:
        """The nodes of all atoms, by relation, and how many nodes there are."""
        found: dict[int, list[list[int]]] = {}
        for number, state in enumerate(states):
            for relation, rows in graph_of(atoms, state).items():
                moved = [[number * atoms.objects + place for place in row] for row in rows]
                found.setdefault(relation, []).extend(moved)
        tensors = [(relation, self.torch.tensor(rows)) for relation, rows in found.items()]
        return tensors, atoms.objects

    def values(self, prepared: tuple[list[tuple[int, Any]], int], count: int) -> NDArray[Any]:
        """The values of a batch, each state with its own maximum."""
        torch, (tensors, objects) = self.torch, prepared
        width, nodes = self.network.width, count * objects
        vectors = torch.zeros(nodes, width)
        target = torch.cat([rows.flatten() for _, rows in tensors])
        state = target // objects
        with torch.no_grad():
            for _ in range(self.network.iterations):
                told = [
                    self._run(
                        self.network.relations[r].module, vectors[rows].reshape(len(rows), -1)
                    ).reshape(-1, width)
                    for r, rows in tensors
                ]
                messages = torch.cat(told)
                most = torch.full((count,), -torch.inf)
                most = most.scatter_reduce(0, state, messages.amax(dim=1), "amax")
                powers = (8 * (messages - most[state][:, None])).exp()
                sums = torch.full_like(vectors, 1e-16).index_add(0, target, powers)
                heard = sums.log() / 8 + most.repeat_interleave(objects)[:, None]
                vectors = self._run(self.network.update, torch.cat([heard, vectors], dim=1))
            before, after = self.network.value
            total = self._run(before, vectors).reshape(count, objects, -1).sum(dim=1)
            return np.asarray(self._run(after, total).abs()[:, 0])


def milliseconds(work: Callable[[], object], count: int) -> float:
    """CPU time per state."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000 / count


def peak() -> float:
    """Operations per CPU millisecond in a product of matrices, which libraries have tuned."""
    matrix = np.ones((SIDE, SIDE), np.float32)
    return 2 * SIDE**3 / min(milliseconds(lambda: matrix @ matrix, 1) for _ in range(20))


def bench_values(report: Report, *, repetitions: int = REPETITIONS) -> None:
    """Our time per state, the best of several, beside PyTorch's."""
    report.section("graph networks, batches of 32, one thread (peer: PyTorch)", figure="ms/state")
    if not FOLDER.is_dir():
        print(f"the networks are not beside the repository ({FOLDER})")
        return
    most = peak()
    for benchmark in BENCHMARKS:
        policy = benchmark.load()
        states = states_of(policy.task, BATCH)
        atoms = network_atoms(policy.network, policy.task)
        rounds = list(_rounds(policy, atoms, states, repetitions))
        mine, theirs = (min(times) for times in zip(*rounds, strict=True))
        work = np.mean([operations(policy.network, atoms, state) for state in states])
        shown = [
            f"{time:.2f} ({work / time / most:.0%})" if time else "" for time in (mine, theirs)
        ]
        label = f"{benchmark.problem}, {atoms.objects} objects"
        bar = None if benchmark.bar is None else Bar(benchmark.bar, at_least=False)
        report.add(Row(label, shown[0], shown[1], mine, bar))
    print(f"in brackets: the share of {most / 1e6:.0f} Gflop/s, which a product of matrices has")


def _rounds(
    policy: GnnPolicy, atoms: NetworkAtoms, states: StateArray, repetitions: int
) -> Iterator[tuple[float, float]]:
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        torch = None
    for _ in range(repetitions):
        # A new one, which knows no state yet.
        fresh = GnnPolicy(policy.task, policy.network, policy.spec, threads=1)
        mine = milliseconds(lambda fresh=fresh: fresh.values(states), len(states))  # type: ignore[misc]
        if torch is None:
            yield mine, 0.0
            continue
        peer = TorchValues(policy.network, torch)
        prepared = peer.prepare(atoms, states)
        found = peer.values(prepared, len(states))
        assert policy.network.solvable or np.allclose(found, fresh.values(states), rtol=1e-3)
        yield mine, milliseconds(lambda: peer.values(prepared, len(states)), len(states))  # noqa: B023


def main() -> None:
    """Print the table."""
    report = Report()
    bench_values(report)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
