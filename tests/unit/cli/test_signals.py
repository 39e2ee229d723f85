"""Ctrl-C, SIGTERM and SIGHUP at any moment: one sentence, exit code 2, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.files_and_processes.interruptions import interruption_seen
from bugsieve.cli import main
from bugsieve.commands.shared.signals import _LOOK_SECONDS, InterruptedBySignal, ending_on_signals
from tests.hostile.processes import wait_until_gone
from tests.hostile.test_policies_that_misbehave import FAMILY, pids_from
from tests.unit.policies.line import line_task
from tests.unit.tasks.fdr.test_translator import LARGE_DOMAIN, large_problem

SENTENCES = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "interrupted by SIGTERM",
    signal.SIGHUP: "interrupted by SIGHUP",
}

every_signal = pytest.mark.parametrize("number", SENTENCES, ids=lambda number: number.name)


def interrupted(
    number: signal.Signals, arguments: list[str], is_time: Callable[[], bool], **environment: str
) -> None:
    """Start a command, send the signal when it is time, and check how the command ends."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        **environment,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(is_time, process)
    process.send_signal(number)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (2, "", f"bugsieve: {SENTENCES[number]}\n")


def both_written(pid_file: Path) -> bool:
    """Whether a program has told the ids of its two processes."""
    return pid_file.exists() and pid_file.read_text().count("\n") == 2


def wait_for(is_time: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not is_time():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@every_signal
def test_while_a_policy_is_asked(number: signal.Signals, tmp_path: Path) -> None:
    task, program, pid_file = (tmp_path / name for name in ("line.sas", "policy.py", "pids"))
    line_task(4).write_sas(task)
    program.write_text(FAMILY.format(path=str(pid_file)))
    policy = f"cmd:{sys.executable} {program}"
    options = ["--deadline", "100000", "--memory", str(2**32)]
    arguments = ["rollout", str(task), "--policy", policy, *options]
    interrupted(number, arguments, lambda: both_written(pid_file))
    wait_until_gone(pids_from(pid_file, 2))


@every_signal
def test_while_a_task_is_grounded(number: signal.Signals, tmp_path: Path) -> None:
    domain, problem, temporary = (tmp_path / name for name in ("d.pddl", "p.pddl", "tmp"))
    domain.write_bytes(LARGE_DOMAIN)
    problem.write_bytes(large_problem(30))
    temporary.mkdir()
    arguments = ["rollout", str(domain), str(problem), "--policy", "random"]
    interrupted(
        number, arguments, lambda: any(temporary.rglob("problem.pddl")), TMPDIR=str(temporary)
    )
    assert list(temporary.iterdir()) == []


HANGING = """
import os, time
def choose(facts, applicable):
    child = os.fork()
    if child:
        with open({path!r}, "w") as file:
            file.write(f"{{os.getpid()}}\\n{{child}}\\n")
    time.sleep(1e6)
"""


@pytest.mark.parametrize("kind", ["cmd", "python"])
def test_a_policy_dies_when_we_are_killed(kind: str, tmp_path: Path) -> None:
    task, program, pid_file = (tmp_path / name for name in ("line.sas", "policy.py", "pids"))
    line_task(4).write_sas(task)
    program.write_text((FAMILY if kind == "cmd" else HANGING).format(path=str(pid_file)))
    spec = f"cmd:{sys.executable} {program}" if kind == "cmd" else f"python:{program}:choose"
    options = ["--policy", spec, "--deadline", "100000", "--memory", str(2**32)]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", "rollout", str(task), *options], text=True
    )
    wait_for(lambda: both_written(pid_file), process)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    wait_until_gone(pids_from(pid_file, 2))


# Presses Ctrl-C when a certain module is first looked for. It comes inside exec("…"), as it may in
# the making of a dataclass: Python then takes some persuading not to end by the signal.
EARLY = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["MODULE"]:
            exec("signal.raise_signal(signal.SIGINT)")
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize(
    "module",
    [
        "bugsieve.commands.shared.program",
        "argparse",
        "bugsieve.commands.rollout",
        "numpy",
        "bugsieve._native",
    ],
)
def test_while_modules_are_imported(module: str, tmp_path: Path) -> None:
    task = str(tmp_path / "line.sas")
    line_task(4).write_sas(task)
    (tmp_path / "sitecustomize.py").write_text(EARLY)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "bugsieve", "rollout", task, "--policy", "greedy"],
        env={**os.environ, "PYTHONPATH": path, "MODULE": module},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "bugsieve: interrupted\n")


def test_nothing_is_imported_before_ctrl_c_is_taken() -> None:
    code = (
        "import sys; before = set(sys.modules); import bugsieve.cli; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["__future__", "bugsieve", "bugsieve.cli"]


def test_a_second_signal_does_not_cut_the_cleaning_up() -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGHUP)
        finally:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)

    with ending_on_signals(), pytest.raises(InterruptedBySignal, match="by SIGHUP"):
        work()


class Callback:
    """Something that runs when it is let go, and in which exceptions are swallowed."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interruption_that_python_swallows_comes_again(number: signal.Signals) -> None:
    def work() -> None:
        Callback(number)
        while True:
            time.sleep(0.01)

    with ending_on_signals(), pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert (str(caught.value) or "interrupted") == SENTENCES[number]


class Asked(type):
    """Its classes are interrupted when NumPy asks whether they are operands of its own kind."""

    number = signal.SIGINT

    def __getattr__(cls, name: str) -> object:
        signal.raise_signal(cls.number)
        raise AttributeError(name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interruption_that_a_library_swallows_comes_again(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    operand = Asked("operand", (), {})()
    monkeypatch.setattr(Asked, "number", number)

    def work() -> None:
        assert not np.any(np.zeros(3) == operand)  # nothing is raised here
        while True:
            time.sleep(0.01)

    with ending_on_signals(), pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert (str(caught.value) or "interrupted") == SENTENCES[number]


def test_an_interruption_that_is_being_handled_does_not_come_again() -> None:
    cleaned_up = []

    def work() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            with contextlib.suppress(OSError):
                raise OSError
            time.sleep(2.5 * _LOOK_SECONDS)
            cleaned_up.append(True)

    with ending_on_signals(), pytest.raises(KeyboardInterrupt):
        work()
    assert cleaned_up


def test_an_interruption_that_was_dealt_with_does_not_come_again() -> None:
    with ending_on_signals():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            interruption_seen()
        time.sleep(2.5 * _LOOK_SECONDS)


def test_other_things_that_python_swallows_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "from bugsieve.commands.shared.signals import ending_on_signals\n"
        "class Odd:\n    def __del__(self): 1 / 0\n"
        "with ending_on_signals(): Odd()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert "Exception ignored" in done.stderr and "ZeroDivisionError" in done.stderr


def test_what_nohup_ignores_stays_ignored() -> None:
    earlier = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_on_signals():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, earlier)


def test_a_caller_gets_its_signals_back(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [*SENTENCES, signal.SIGALRM]
    before = [sys.unraisablehook, *map(signal.getsignal, numbers)]
    assert main(["generate", "--list"]) == 0
    assert [sys.unraisablehook, *map(signal.getsignal, numbers)] == before


def test_other_threads_may_call_it(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["generate", "--list"])))
    thread.start()
    thread.join()
    assert codes == [0]
