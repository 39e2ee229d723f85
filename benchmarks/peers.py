"""Measures the peers: Fast Downward's search binary, called directly, and pymimir in a child.

Fast Downward's own clocks are CPU clocks, and it prints its statistics also when `max_time` ends
a search, so evaluations per second of search come from its log. The child's resource usage is
read as well: it includes the start and the reading of the SAS file.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.tasks import ROOT, BenchmarkTask, typed_domain

INSTALL = "install the peers with: pip install up-fast-downward pymimir"
PREFERRED_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"


class PeerMissingError(RuntimeError):
    """A program to compare with is not installed."""


@dataclass(frozen=True)
class DownwardRun:
    """What one call of Fast Downward did; `search_seconds` is its own CPU clock."""

    evaluated: int
    evaluated_before_last_layer: int
    search_seconds: float
    cpu_seconds: float
    wall_seconds: float
    plan_cost: int | None
    exit_code: int

    @property
    def rate(self) -> float:
        """Evaluations per CPU second of search."""
        return self.evaluated / max(self.search_seconds, 1e-6)


def downward_binary() -> Path:
    """The search component in the package up-fast-downward, found without importing it."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        raise PeerMissingError(f"Fast Downward is not installed; {INSTALL}")
    return Path(spec.origin).parent / "downward" / "builds" / "release" / "bin" / "downward"


def astar(heuristic: str, seconds: float) -> str:
    """Fast Downward's search option for A* that stops after this many CPU seconds."""
    return f"astar({heuristic}(), max_time={seconds:g})"


def run_downward(
    sas_file: Path, search: str, *, cpu_limit: int = resource.RLIM_INFINITY
) -> DownwardRun:
    """Run the search on a SAS file until it ends by itself or is killed at the CPU limit.

    `max_time` alone is no limit: it is looked at between expansions, which may take minutes.
    """
    with tempfile.TemporaryDirectory() as folder, sas_file.open("rb") as task:
        plan = Path(folder) / "plan"
        command = [str(downward_binary()), "--search", search, "--internal-plan-file", str(plan)]
        log = Path(folder) / "log"
        with log.open("wb") as output:
            start = time.perf_counter()
            child = subprocess.Popen(command, stdin=task, stdout=output, stderr=subprocess.STDOUT)
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (cpu_limit, cpu_limit))
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        text = log.read_text(errors="replace")
    cost = _number(r"Plan cost: (\d+)", text)
    return DownwardRun(
        evaluated=int(_number(r"Evaluated (\d+) state", text) or 0),
        evaluated_before_last_layer=int(
            _number(r"Evaluated until last jump: (\d+) state", text) or 0
        ),
        search_seconds=_number(r"Search time: ([\d.]+)s", text) or 0.0,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=wall,
        plan_cost=None if cost is None else int(cost),
        exit_code=child.returncode,
    )


def _number(pattern: str, text: str) -> float | None:
    found = re.search(pattern, text)
    return float(found[1]) if found else None


@contextmanager
def mimir_walks(task: BenchmarkTask) -> Iterator[Callable[[float], float]]:
    """A function from seconds to pymimir's steps per CPU second, served by one child process."""
    if find_spec("pymimir") is None:
        raise PeerMissingError(f"pymimir is not installed; {INSTALL}")
    reader, writer = os.pipe()
    arguments = [str(typed_domain(task)), str(task.problem), str(writer)]
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.mimir_walks", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=[writer],
        cwd=ROOT,
        text=True,
    )
    os.close(writer)
    with child, os.fdopen(reader) as answers:
        requests = child.stdin
        assert requests is not None

        def measure(seconds: float) -> float:
            print(seconds, file=requests, flush=True)
            steps, elapsed = answers.readline().split()
            return int(steps) / float(elapsed)

        yield measure
        requests.close()


def mean_cpu_seconds(sas_file: Path, search: str, calls: int) -> float:
    """CPU seconds of one call of the binary, start included, mean over calls."""
    return sum(run_downward(sas_file, search).cpu_seconds for _ in range(calls)) / calls
