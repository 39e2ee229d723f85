"""Fast Downward's program as a planner; skipped where it is not installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.oracles import fast_downward
from bugsieve.pipeline.oracles.fast_downward import FastDownward, find_fast_downward
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.property.engine import native_task
from tests.property.strategies import LONG, seeded_task
from tests.reference.search import optimal_cost
from tests.unit.oracles.benches import places, road_bench, road_map

try:
    find_fast_downward()
    INSTALLED = True
except UnsupportedError:
    INSTALLED = False

needs_program = pytest.mark.skipif(not INSTALLED, reason="Fast Downward is not installed")

# The last road leads nowhere: an operator without an effect, which Fast Downward refuses to read.
ROADS = ((0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 3), (2, 2, 1))
TASK = road_map(ROADS, places=5, goal=3)


@needs_program
def test_a_cheaper_plan_is_a_bug() -> None:
    bench = road_bench(TASK, {0: 2, 2: 3})
    (verdict,) = make_oracle("planner:fd:astar(lmcut())", bench).judge(bench.suspects(places(0)))
    assert verdict.is_bug and verdict.plan == (0, 1) and verdict.gap == 2.0


@needs_program
def test_what_it_proves_and_what_it_does_not() -> None:
    bench = road_bench(TASK, {0: 0, 1: 1})
    suspects = bench.suspects(places(4, 0))
    verdicts = make_oracle("planner:fd:astar(blind())", bench).judge(suspects)
    assert verdicts[0].outcome is Outcome.PASS, "it says that the goal cannot be reached"
    assert verdicts[1].outcome is Outcome.INCONCLUSIVE, "not every search is optimal"
    verdicts = make_oracle("planner:fd:astar(blind(), bound=7)", bench).judge(suspects)
    assert verdicts[0].outcome is Outcome.INCONCLUSIVE, "with a bound it proves less"


@needs_program
@pytest.mark.parametrize("seed", range(12))
def test_costs_agree_with_exhaustive_search(seed: int) -> None:
    sas = seeded_task(seed, LONG)
    task = Task(native_task(sas), name="random")
    result = FastDownward("astar(blind())").search(task, task.initial_state, Limits(), None)
    assert result.cost == optimal_cost(sas, sas.initial)
    assert result.status == ("unsolvable" if result.cost is None else "solved")


@needs_program
def test_operators_of_one_name_are_told_apart() -> None:
    text = TASK.to_sas().replace("go-2", "go-0").replace("go-3", "go-0")
    task = Task(type(TASK.native).from_sas(text.encode()), name="map")
    result = FastDownward("astar(blind())").search(task, places(2)[0], Limits(), None)
    assert result.plan == (3,)


@needs_program
@pytest.mark.parametrize("search", ["astar(lmcat())", "astar(", "astar(lmcut(),bounds=3)"])
def test_a_wrong_search_is_the_users_mistake(search: str) -> None:
    with pytest.raises(UsageError, match="Fast Downward cannot understand --search"):
        FastDownward(search).search(TASK, TASK.initial_state, Limits(), None)


@needs_program
def test_the_last_of_several_plans_counts() -> None:
    search = "iterated([lazy_greedy([const(1)]),astar(blind())])"
    result = FastDownward(search).search(TASK, TASK.initial_state, Limits(), None)
    assert (result.plan, result.cost) == ((0, 1), 2)


def stand_in(folder: Path, script: str) -> Path:
    """A program that is called as Fast Downward would be."""
    program = folder / "downward"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_it_is_killed_with_all_its_children_when_the_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    program = stand_in(tmp_path, f"echo $$ > {pids}; sleep 1000 & echo $! >> {pids}; wait")
    monkeypatch.setenv(fast_downward.VARIABLE, str(program))
    result = FastDownward("any").search(TASK, TASK.initial_state, Limits(seconds=3.0), None)
    assert result.status == "time"
    for pid in map(int, pids.read_text().split()):
        while not is_gone(pid):
            time.sleep(0.01)


def test_its_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = stand_in(tmp_path, "[ $(ulimit -v) -eq 65536 ] && exit 22; exit 11")
    monkeypatch.setenv(fast_downward.VARIABLE, str(program))
    result = FastDownward("any").search(TASK, TASK.initial_state, Limits(bytes=64 << 20), None)
    assert result.status == "memory"


def test_half_a_plan_is_no_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = "printf '(2)\\n(3)\\n; cost = 4 (general cost)\\n' > sas_plan.1"
    program = stand_in(tmp_path, f"{whole}; printf '(0)\\n' > sas_plan.2; kill -9 $$")
    monkeypatch.setenv(fast_downward.VARIABLE, str(program))
    result = FastDownward("any").search(TASK, TASK.initial_state, Limits(), None)
    assert (result.plan, result.cost) == ((2, 3), 4)


def test_an_absent_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(fast_downward.VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(UnsupportedError, match=r"nothing, which is not a program"):
        make_oracle("planner:fd:astar(lmcut())", road_bench(TASK, {}))
    monkeypatch.delenv(fast_downward.VARIABLE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(fast_downward, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="pip install up-fast-downward"):
        make_oracle("planner:fd:astar(lmcut())", road_bench(TASK, {}))
    found = stand_in(tmp_path, "exit 0")
    assert find_fast_downward() == found


CALLER = """
import sys
from bugsieve.pipeline.oracles.fast_downward import FastDownward
from bugsieve.tasks.search import Limits
from tests.unit.oracles.test_fast_downward import TASK
FastDownward("any").search(TASK, TASK.initial_state, Limits(), None)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_the_caller(tmp_path: Path, end: signal.Signals) -> None:
    pids = tmp_path / "pids"
    program = stand_in(tmp_path, f"echo $$ > {pids}.part; mv {pids}.part {pids}; sleep 1000")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    setting = {fast_downward.VARIABLE: str(program), "TMPDIR": str(scratch)}
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLER],
        env={**os.environ, **setting},
        stderr=subprocess.DEVNULL,
    )
    while not pids.exists():
        assert caller.poll() is None
        time.sleep(0.01)
    caller.send_signal(end)
    caller.wait()
    pid = int(pids.read_text())
    while not is_gone(pid):
        time.sleep(0.01)
    while list(scratch.iterdir()):
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    """Whether no such process runs any more; one that nobody has waited for counts as gone."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
