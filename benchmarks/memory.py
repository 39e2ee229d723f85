"""Measures memory in child processes, where nothing else grows.

Usage: python -m benchmarks.memory generator|registry|pool SAS-FILE, or function with the files of
a task; the figures are printed as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.tasks import ROOT

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

REGISTERED_STATES = 600_000
"""Just past a power of two, where tables that double are emptiest."""

COUNTED_FROM = 100_000


@dataclass(frozen=True)
class GeneratorMemory:
    """Memory of a task: of its successor generator alone, and of all of it."""

    operators: int
    generator_bytes: int
    task_bytes: int


@dataclass(frozen=True)
class RegistryMemory:
    """Memory of a registry; the ratios compare with the packed states alone."""

    states: int
    packed_bytes: int
    worst_ratio: float
    resident_ratio: float


@dataclass(frozen=True)
class PoolMemory:
    """What a pool and its fuzzer take while the pool grows by so many states."""

    states: int
    packed_bytes: int
    resident_bytes: int


def generator_memory(sas_file: Path) -> GeneratorMemory:
    """Figures for the successor generator of a task, measured in a child process."""
    return GeneratorMemory(**_measure("generator", sas_file))


def registry_memory(sas_file: Path) -> RegistryMemory:
    """Figures for a registry filled with random-walk states, measured in a child process."""
    return RegistryMemory(**_measure("registry", sas_file))


def pool_memory(sas_file: Path) -> PoolMemory:
    """Figures for a pool filled by walks without a policy, measured in a child process."""
    return PoolMemory(**_measure("pool", sas_file))


def function_figures(*files: Path) -> dict[str, Any]:
    """The fields of `benchmarks.dominance.FunctionFigures`, measured in a child process."""
    return _measure("function", *files)


def downward_generator_bytes(sas_file: Path) -> int | None:
    """What Fast Downward reports for its own successor generator."""
    from benchmarks.peers import downward_binary

    command = [str(downward_binary()), "--search", "lazy_greedy([blind()], max_time=0)"]
    with sas_file.open("rb") as task:
        log = subprocess.run(command, stdin=task, capture_output=True, text=True, check=False)
    found = re.search(r"successor generator creation: (\d+) KB", log.stdout)
    return int(found[1]) * 1024 if found else None


def _measure(subject: str, *files: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.memory", subject, *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def resident_bytes() -> int:
    """The memory that this process has, without garbage."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def forget_peak() -> None:
    """Let the peak of this process's memory begin anew with what it has now."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    """The most memory this process had since the peak was forgotten."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None, "Linux reports the peak of every process"
    return int(found[1]) * 1024


def _measure_generator(sas_file: Path) -> GeneratorMemory:
    from bugsieve import _native

    before = resident_bytes()
    # The text is freed again before the second reading.
    task = _native.Task.from_sas(sas_file.read_bytes())
    generator_bytes = task.generator_bytes
    grown = resident_bytes() - before
    return GeneratorMemory(task.num_operators, generator_bytes, grown)


def _measure_registry(sas_file: Path) -> RegistryMemory:
    import numpy as np

    import bugsieve
    from benchmarks.ours import WALK_LENGTH, WALKERS, initial_states, random_step
    from bugsieve import _native

    task = bugsieve.load_task(str(sas_file))
    rng = np.random.default_rng(1)
    states = initial_states(task, WALKERS)
    for _ in range(WALK_LENGTH):  # so that the walks' own arrays are there already
        states, _ = random_step(task, states, rng)
    registry = _native.StateRegistry(task.native)
    before = resident_bytes()
    worst = 0.0
    for step in range(20 * REGISTERED_STATES // WALKERS):
        if step % WALK_LENGTH == 0:
            # Half of the walks go on: short walks repeat themselves in some tasks, and long ones
            # end in a corner of the state space in others.
            states[::2] = task.initial_state
        states, _ = random_step(task, states, rng)
        registry.insert(states)
        if len(registry) >= COUNTED_FROM:
            packed = len(registry) * registry.packed_bytes
            worst = max(worst, registry.memory_bytes / packed)
        if len(registry) >= REGISTERED_STATES:
            break
    packed = len(registry) * registry.packed_bytes
    resident = (resident_bytes() - before) / packed
    return RegistryMemory(len(registry), registry.packed_bytes, worst, resident)


def _measure_pool(sas_file: Path) -> PoolMemory:
    import bugsieve
    from benchmarks.fuzzing import LARGE_POOL, uniform_fuzzer
    from bugsieve import _native

    task = bugsieve.load_task(str(sas_file))
    fuzzer = uniform_fuzzer(task, LARGE_POOL)
    fuzzer.round()  # so that everything but the pool is there already
    states, before = len(fuzzer.pool), resident_bytes()
    while fuzzer.finished is None:
        fuzzer.round()
    grown = resident_bytes() - before
    packed = _native.StateRegistry(task.native).packed_bytes
    return PoolMemory(len(fuzzer.pool) - states, packed, grown)


def _measure_function(*files: Path) -> DataclassInstance:
    from benchmarks.dominance import measured_function

    return measured_function(*files)


def main() -> None:
    """Measure one subject in this process."""
    subjects: dict[str, Callable[..., DataclassInstance]] = {
        "generator": _measure_generator,
        "registry": _measure_registry,
        "pool": _measure_pool,
        "function": _measure_function,
    }
    print(json.dumps(asdict(subjects[sys.argv[1]](*map(Path, sys.argv[2:])))))


if __name__ == "__main__":
    main()
