"""Experiments on a Ray cluster of two nodes beside two processes, on this machine.

A node has one CPU, so that both have the same to work with. Jobs are alike and limited by work.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.peers import PeerMissingError
from benchmarks.table import Bar, Report, Row
from bugsieve.rooms.cluster.connection import ClusterOptions, connected
from bugsieve.rooms.cluster.ray_crew import RayCrew
from bugsieve.rooms.lab.experiments.experiment import Experiment
from bugsieve.rooms.lab.experiments.file import read_experiment
from bugsieve.rooms.lab.experiments.jobs import AnyCrew, JobDone

JOBS = 8
EMPTY_JOBS = 40
OBJECT_STORE_BYTES = 80 << 20
STATES = 3500
LEAST_SECONDS = 3.0

_GRID = """
seeds = [{seeds}]
policies = ["greedy:hff"]
oracles = ["lookahead", "aras"]
[campaign]
limits.expansions = 2000
fuzz.pool_size = {states}
fuzz.novelty = 0
[[domains]]
generator = "transport"
parameters = {{ packages = 6 }}
"""


def bench_cluster(report: Report, repetitions: int) -> None:
    """Throughput beside two processes, then what a job costs the driver by itself."""
    if find_spec("ray") is None:
        raise PeerMissingError("Ray is not installed: pip install -r requirements/deep.txt")
    with (
        tempfile.TemporaryDirectory() as folder,
        _two_nodes(Path(folder)) as address,
        connected(ClusterOptions(address)),
        RayCrew() as crew,
    ):
        _bench_throughput(report, Path(folder), crew, repetitions)
        _bench_driver(report, Path(folder), crew)


def _bench_throughput(report: Report, folder: Path, crew: AnyCrew, repetitions: int) -> None:
    report.section(f"{JOBS} jobs on a Ray cluster, jobs per minute (peer: --workers 2)")
    grid = _GRID.format(seeds=_listed(JOBS), states=STATES)
    ours: list[float] = []
    peers: list[float] = []
    for number in range(repetitions):
        ours.append(_run(folder / f"ray-{number}", grid, crew)[0])
        peer, longest = _run(folder / f"workers-{number}", grid, None)
        peers.append(peer)
    mine, peer = 60 * JOBS / min(ours), 60 * JOBS / min(peers)
    name = f"jobs of {longest:.1f} s"
    bar = Bar(0.9) if longest >= LEAST_SECONDS else None
    report.add(Row(name, f"{mine:.1f}", f"{peer:.1f}", mine / peer, bar))


def _bench_driver(report: Report, folder: Path, crew: AnyCrew) -> None:
    report.section("an empty job on a Ray cluster, milliseconds", figure="ms")
    grid = _GRID.format(seeds=_listed(EMPTY_JOBS), states=1)
    start = time.process_time()
    wall, _ = _run(folder / "empty", grid, crew)
    busy = 1000 * (time.process_time() - start) / EMPTY_JOBS
    report.add(Row("CPU time of the driver", f"{busy:.1f}", "", busy))
    waited = 1000 * wall / EMPTY_JOBS
    report.add(Row("time until the next is done", f"{waited:.1f}", "", waited))


def _run(folder: Path, text: str, crew: AnyCrew | None) -> tuple[float, float]:
    """Seconds that an experiment takes, and its shortest campaign."""
    folder.mkdir()
    (folder / "grid.toml").write_text(text)
    shortest: list[float] = []

    def listen(event: object) -> None:
        if isinstance(event, JobDone) and event.summary is not None:
            shortest.append(event.summary.seconds)

    experiment = Experiment(read_experiment(folder / "grid.toml"), folder / "out")
    start = time.monotonic()
    summary = experiment.run(workers=2, crew=crew, on_event=listen)
    seconds = time.monotonic() - start
    assert summary.exit_code == 0, summary
    return seconds, min(shortest)


def _listed(count: int) -> str:
    return ", ".join(map(str, range(count)))


@contextmanager
def _two_nodes(folder: Path) -> Iterator[str]:
    """The address of a cluster with a token of its own."""
    token = folder / "token"
    token.write_text("b5" * 32)
    token.chmod(0o600)
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(token))
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES}
    with ExitStack() as stack:
        head = {**node, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        stack.callback(cluster.shutdown)
        cluster.add_node(**node)
        yield str(cluster.address)
