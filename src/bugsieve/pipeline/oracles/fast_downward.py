"""Fast Downward's search program as a planner: `planner:fd:SEARCH`.

Fast Downward is under the GPL: it is run as a program and never imported. Each call has a folder
and a process group of its own; neither outlives the call, nor us.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import InternalError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.process_groups import launch_guarded
from bugsieve.base.stopping import check_stop, seconds_left
from bugsieve.pipeline.objectives.objective import plan_cost
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult

if TYPE_CHECKING:
    from bugsieve._native import SearchStatus

VARIABLE = "BUGSIEVE_FAST_DOWNWARD"
PIP_COMMAND = "pip install up-fast-downward"
DEFAULT_SECONDS = 60.0
"""For one state, where the limits name no time: Fast Downward cannot count expansions for us."""

_PLAN_FILE = "sas_plan"
_WRONG_SEARCH = {33: "understand", 34: "run on this task"}  # exit codes of the search program
_STATUSES: dict[int, SearchStatus] = {
    11: "unsolvable",
    12: "gave-up",
    22: "memory",
    23: "time",
    24: "time",
}
_POLL_SECONDS = 0.002
_LONGEST_PAUSE = 0.05


def find_fast_downward() -> Path:
    """The search program, or an UnsupportedError that says how to get it."""
    named = os.environ.get(VARIABLE)
    if named:
        return _checked(Path(named))
    package = find_spec("up_fast_downward")
    if package is not None and package.origin is not None:
        program = Path(package.origin).parent / "downward/builds/release/bin/downward"
        if os.access(program, os.X_OK):
            return program
    on_path = shutil.which("downward")
    if on_path is None:
        raise UnsupportedError(
            f"Fast Downward is not installed: {PIP_COMMAND}, or name its program 'downward' in "
            f"the environment variable {VARIABLE}"
        )
    return Path(on_path)


def _checked(program: Path) -> Path:
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise UnsupportedError(
            f"{VARIABLE} names {program}, which is not a program; it must be Fast Downward's "
            "'downward' in builds/release/bin"
        )
    return program.absolute()


class FastDownward:
    """The search program with one search string, such as `astar(lmcut())`."""

    def __init__(self, search: str) -> None:
        self._program = find_fast_downward()
        self._search = search

    def search(
        self, task: Task, state: StateArray, limits: Limits, cost_bound: int | None
    ) -> SearchResult:
        """The last plan that the search writes; a plan above the cost bound counts as none."""
        with tempfile.TemporaryDirectory(prefix="bugsieve-", ignore_cleanup_errors=True) as folder:
            place = Path(folder)
            (place / "task.sas").write_text(_numbered(task, state), encoding="utf-8")
            code = self._run(place, limits)
            plan = _last_plan(place)
            if plan is None:
                return _result(self._status(code, place), None, None)
        # No plan is taken on trust; a wrong one would only be found by the checker, much later.
        if not _is_plan(task, state, plan):
            raise InternalError(f"Fast Downward's search {self._search} wrote a wrong plan")
        cost = plan_cost(task, plan)
        # The program knows nothing of our bound: a plan beyond it shows neither that there is a
        # cheaper one nor that there is none.
        if cost_bound is not None and cost >= cost_bound:
            return _result("gave-up", None, None)
        return _result("solved", plan, cost)

    def _run(self, place: Path, limits: Limits) -> int | None:
        """The exit code, or None if the time was over."""
        seconds = DEFAULT_SECONDS if limits.seconds is None else limits.seconds
        end = time.monotonic() + seconds
        process, lifeline = self._launch(place, limits)
        pause = _POLL_SECONDS
        try:
            while process.poll() is None:
                check_stop()
                if time.monotonic() >= end:
                    return None
                time.sleep(min(pause, seconds_left()))
                pause = min(2 * pause, _LONGEST_PAUSE)
            return process.returncode
        finally:  # Ctrl-C among the reasons: nothing of the group outlives this call
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(lifeline)

    def _launch(self, place: Path, limits: Limits) -> tuple[subprocess.Popen[bytes], int]:
        """The process, and the descriptor whose closing is the end of its group."""
        command = [str(self._program), "--search", self._search, "--internal-plan-file"]
        with (place / "task.sas").open("rb") as task, (place / "log").open("wb") as log:
            return launch_guarded(
                [*command, _PLAN_FILE],
                memory_kib=None if limits.bytes is None else max(1, limits.bytes // 1024),
                folder=place,
                cwd=place,
                stdin=task,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _status(self, code: int | None, place: Path) -> SearchStatus:
        if code is None:
            return "time"
        if code in _WRONG_SEARCH:
            said = _complaint((place / "log").read_text(errors="replace"))
            raise UsageError(
                f"Fast Downward cannot {_WRONG_SEARCH[code]} --search '{self._search}': {said}"
            )
        status = _STATUSES.get(code, "memory" if code < 0 else "gave-up")
        # With a bound of its own, a search that finds nothing proves less than we ask for.
        return "gave-up" if status == "unsolvable" and "bound" in self._search else status


def _numbered(task: Task, state: StateArray) -> str:
    """The task as Fast Downward can read it, with operators named by their numbers.

    Several operators may share one name, and it refuses those without an effect.
    """
    head, *operators = task.to_sas(state).split("begin_operator\n")
    if not operators:
        return head
    tail = operators[-1].partition("end_operator\n")[2]
    kept = [
        f"begin_operator\n{number}\n{_body(text)}"
        for number, text in enumerate(operators)
        if task.native.effects(number)
    ]
    sections = head.splitlines(keepends=True)[:-1]  # without the number of operators
    return "".join(
        [*sections, f"{len(kept)}\n", *(f"{text}end_operator\n" for text in kept), tail]
    )


def _body(operator: str) -> str:
    """The text between the operator's name and its end."""
    return operator.partition("\n")[2].partition("end_operator\n")[0]


def _last_plan(place: Path) -> tuple[int, ...] | None:
    """The plan of a search, the last one if it goes on improving; None if there is none."""
    files = {int(file.suffix[1:] or 0): file for file in place.glob(f"{_PLAN_FILE}*")}
    for _, file in sorted(files.items(), reverse=True):
        *steps, end = file.read_text().splitlines() or [""]
        if end.startswith("; cost"):  # otherwise the search was killed while writing
            return tuple(int(step.strip("() ")) for step in steps)
    return None


def _is_plan(task: Task, state: StateArray, plan: tuple[int, ...]) -> bool:
    current = task.checked_states(state)
    for operator in plan:
        if not task.is_applicable(current, [operator])[0]:
            return False
        current = task.successors(current, [operator])
    return bool(task.is_goal(current)[0])


def _complaint(log: str) -> str:
    """The last thing it said, on one line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Usage", "[t=", "Peak memory"))]
    return (said or ["no reason given"])[-1][:300]


def _result(status: SearchStatus, plan: tuple[int, ...] | None, cost: int | None) -> SearchResult:
    return SearchResult(status, plan, cost, expanded=0, evaluated=0, generated=0)
