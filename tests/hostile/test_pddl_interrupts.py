"""The end of whoever translates is the end of the translator, and its folder goes with it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bugsieve.tasks.fdr.translator import translate
from tests.hostile.processes import children, is_running, needs_proc
from tests.unit.tasks.fdr.test_translator import LARGE_DOMAIN, large_problem

pytestmark = needs_proc

LOAD = "import sys, bugsieve; bugsieve.load_task(*sys.argv[1:], cache=False)"


WARM = """
import sys
from pathlib import Path
from bugsieve.tasks.fdr.translator import WarmTranslator
WarmTranslator().translate(*(Path(name).read_bytes() for name in sys.argv[1:]), name="p.pddl")
"""


def translating(script: str, folder: Path) -> subprocess.Popen[bytes]:
    """A program that translates something large; its own folders are in `temporary`."""
    files = (folder / "domain.pddl", folder / "problem.pddl")
    for file, content in zip(files, (LARGE_DOMAIN, large_problem(30)), strict=True):
        file.write_bytes(content)
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen([sys.executable, "-c", script, *files], env=environment)


def check_gone(folder: Path, *processes: int) -> None:
    """The processes end soon, and nothing of theirs is left."""
    patience = time.monotonic() + 60
    while any(map(is_running, processes)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert not any(map(is_running, processes))
    assert list((folder / "temporary").iterdir()) == []


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait for what must come; a process that ended before it is a failure."""
    while not condition():
        assert process.poll() is None
        time.sleep(0.02)


def ticks(process: int) -> int:
    """Processor time of a process, in clock ticks."""
    words = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_killed_programs_leave_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    process = translating(LOAD, tmp_path)
    wait_until(lambda: bool(children(process.pid)), process)
    (translator,) = children(process.pid)
    wait_until(lambda: ticks(translator) > 20, process)  # it translates, and does not just start
    process.send_signal(number)
    assert process.wait() == -number
    check_gone(tmp_path, translator)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_programs_leave_no_warm_translator(number: signal.Signals, tmp_path: Path) -> None:
    process = translating(WARM, tmp_path)
    wait_until(lambda: any(map(children, children(process.pid))), process)
    (server,) = children(process.pid)
    (translator,) = children(server)
    wait_until(lambda: ticks(translator) > 20, process)
    process.send_signal(number)
    assert process.wait() == -number
    check_gone(tmp_path, server, translator)


@pytest.mark.parametrize("reason", [KeyboardInterrupt, SystemExit])
def test_interrupts_end_the_translator_at_once(
    reason: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spent: list[int] = []
    others = set(children(os.getpid()))

    def interrupt(*_: object) -> None:
        (translator,) = set(children(os.getpid())) - others
        spent.append(ticks(translator))
        raise reason

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(reason):
            translate(LARGE_DOMAIN, large_problem(30), name="p.pddl")
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert set(children(os.getpid())) <= others, "the translator was not reaped"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Processor time, not the clock: a child that is left running for 0.25 s uses it, and one
    # that is killed at once uses none however busy the machine is.
    assert used - spent[0] / os.sysconf("SC_CLK_TCK") < 0.1
    assert list(tmp_path.iterdir()) == []
