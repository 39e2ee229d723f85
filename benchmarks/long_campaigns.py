"""What a long campaign takes: its speed, its memory, its disk, and how soon commands answer.

Usage: python -m benchmarks.long_campaigns SAS-FILE FOLDER STATES; runs such a campaign in this
process and prints the moments of its curve as lines of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.fuzzing import INSTANCES, benchmark_task
from benchmarks.memory import resident_bytes
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import ROOT

STATES = 100_000
POLICY = "greedy:hff"
WINDOW = 1000
"""Judged states between two readings of the clock."""
KILOBYTE = 1000.0


@dataclass(frozen=True)
class Moment:
    """Where a campaign stands after so many judged states."""

    judged: int
    per_second: float
    """Judged states per second of CPU time, since the moment before."""
    seconds: float
    """Running time of the campaign."""
    graph_bytes: int
    other_bytes: int
    """Memory beside the policy graph that was not there at the start."""
    bugs: int
    disk_bytes: int

    @property
    def memory(self) -> float:
        """Kilobytes beside the policy graph for each judged state."""
        return self.other_bytes / self.judged / KILOBYTE

    @property
    def disk(self) -> float:
        """Kilobytes on the disk for each bug."""
        return self.disk_bytes / max(self.bugs, 1) / KILOBYTE


def bench_long_campaigns(report: Report, states: int = STATES) -> None:
    """The curve of one campaign, then commands on what it has left."""
    benchmark = benchmark_task(*INSTANCES["transport"])
    if not benchmark.problem.is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "campaign")
        moments = list(_shown(_moments(benchmark.sas_file(), target, states)))
        report.section("a long campaign, beside its first 1000 states", figure="figure")
        _add_bars(report, moments, target)
        report.section("commands on it, seconds", figure="seconds")
        for name, arguments in _commands(target).items():
            seconds = command_seconds(arguments)
            report.add(Row(name, f"{seconds:.2f}", "", seconds, Bar(2.0, at_least=False)))


def _add_bars(report: Report, moments: list[Moment], folder: Path) -> None:
    first, last = moments[0], moments[-1]
    late = [moment for moment in moments if moment.judged > 0.9 * last.judged]
    speeds = [(last.judged - late[0].judged) / (last.seconds - late[0].seconds)]
    speeds += [first.judged / first.seconds]
    _add_speeds(report, "states per second", speeds, None)
    # None of the first thousand states is solved by the policy, of the later ones some are, and a
    # solved state takes the oracles a hundred times as long. So the bar is on all other work.
    spans = [(late[0], last), (Moment(0, 0.0, 0.0, 0, 0, 0, 0), first)]
    speeds = [_other_speed(folder, *span) for span in spans]
    _add_speeds(report, "the same without oracles", speeds, Bar(0.9))
    grown = (last.other_bytes - first.other_bytes) / (last.judged - first.judged) / KILOBYTE
    report.add(Row("kB beside the graph, state", "", "", grown, Bar(1.0, at_least=False)))
    report.add(Row("kB on disk, bug", "", "", last.disk, Bar(3.0, at_least=False)))


def _add_speeds(report: Report, title: str, speeds: list[float], bar: Bar | None) -> None:
    late, early = speeds
    report.add(Row(title, f"{late:.0f}", f"{early:.0f}", late / early, bar))


def _other_speed(folder: Path, start: Moment, stop: Moment) -> float:
    """Judged states between two moments per second that no oracle was at work."""
    from bugsieve.campaigns.cost.records import CostRecords

    spent = stop.seconds - start.seconds
    with CostRecords(folder) as records:
        for oracle in records.header.used_oracles:
            spent -= float(records.verdicts(oracle).seconds[start.judged : stop.judged].sum())
    return (stop.judged - start.judged) / spent


def _shown(moments: Iterator[Moment]) -> Iterator[Moment]:
    """The moments, some of them printed as a line of the curve."""
    print("\n  judged  states/s  graph MB  kB/state beside it    bugs  kB/bug on disk")
    due = 1
    for moment in moments:
        if moment.judged >= due * WINDOW:
            due *= 2
            graph = moment.graph_bytes / KILOBYTE**2
            cells = f"{moment.judged:8} {moment.per_second:9.0f} {graph:9.1f}"
            print(f"{cells} {moment.memory:19.2f} {moment.bugs:7} {moment.disk:15.2f}", flush=True)
        yield moment


def _moments(sas_file: Path, folder: Path, states: int) -> Iterator[Moment]:
    arguments = [str(sas_file), str(folder), str(states)]
    command = [sys.executable, "-m", "benchmarks.long_campaigns", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            yield Moment(**json.loads(line))
    if child.returncode:
        raise RuntimeError(f"the campaign failed with exit code {child.returncode}")


def _commands(folder: Path) -> dict[str, list[str]]:
    from bugsieve.campaigns.cost.records import CostRecords

    with CostRecords(folder) as records:
        bug = records.ranked()[0]
    return {
        "status": ["status", str(folder)],
        "explain --expansions 2000": ["explain", str(folder), bug, "--expansions", "2000"],
        "table": ["table", "icaps22", str(folder)],
    }


def command_seconds(arguments: list[str]) -> float:
    """Wall time of a command."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "bugsieve", *arguments]
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


def disk_bytes(folder: Path) -> int:
    """What the files of a folder take on the disk."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sum(path.stat().st_blocks * 512 for path in paths)


def run_campaign(sas_file: str, folder: Path, states: int) -> None:
    """Judge so many states, all that walks meet; print a moment every thousand of them."""
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.options import CostOptions
    from bugsieve.pipeline.pool.options import FuzzOptions

    fuzz = FuzzOptions(pool_size=states, novelty=0)
    options = CostOptions(task=(sas_file,), policy=POLICY, fuzz=fuzz)
    with Campaign.create(folder, options) as campaign:
        campaign.run(_Watch(campaign).on_event)


class _Watch:
    """Reads clock, memory and disk of a running campaign."""

    def __init__(self, campaign: Any) -> None:
        self._folder: Path = campaign.directory
        self._graph = campaign.equipment.bench.graph
        self._start = resident_bytes()
        self._judged, self._seconds = 0, time.process_time()

    def on_event(self, event: Any) -> None:
        """Print a moment once enough states were judged since the last."""
        judged = getattr(event, "judged", 0)
        if judged < self._judged + WINDOW:
            return
        spent = time.process_time() - self._seconds
        graph = self._graph.memory_bytes
        other = resident_bytes() - self._start - graph
        moment = Moment(
            *(judged, (judged - self._judged) / spent, event.seconds, graph, other),
            *(sum(event.bugs.values()), disk_bytes(self._folder)),
        )
        print(json.dumps(asdict(moment)), flush=True)
        self._judged, self._seconds = judged, time.process_time()


def main() -> None:
    """Run a campaign in this process."""
    sas_file, folder, states = sys.argv[1:]
    run_campaign(sas_file, Path(folder), int(states))


if __name__ == "__main__":
    main()
