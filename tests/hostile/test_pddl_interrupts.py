"""The end of whoever translates is the end of the translator, and its folder goes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bugsieve.tasks.grounded.translator import translate
from tests.hostile.processes import children, is_running, needs_proc
from tests.unit.tasks.fdr.test_translator import LARGE_DOMAIN, large_problem

pytestmark = needs_proc

LOAD = "import sys, bugsieve; bugsieve.load_task(*sys.argv[1:], cache=False)"
DEAF = f"""
from bugsieve.tasks.grounded import translator
script = translator._SERVER.partition("sys.argv[:] =")[0]
deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\\nwhile True:\\n    pass\\n"
translator._SERVER = script + deaf
{LOAD}
"""


def translating(folder: Path, script: str = LOAD) -> subprocess.Popen[bytes]:
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
@pytest.mark.parametrize("script", [LOAD, DEAF], ids=["translates", "hangs"])
def test_killed_programs_leave_nothing_behind(
    script: str, number: signal.Signals, tmp_path: Path
) -> None:
    process = translating(tmp_path, script)
    wait_until(lambda: any(map(children, children(process.pid))), process)
    (server,) = children(process.pid)
    (translator,) = children(server)
    wait_until(lambda: ticks(translator) > 20, process)  # it translates, and does not just start
    process.send_signal(number)
    assert process.wait() == -number
    check_gone(tmp_path, server, translator)


@pytest.mark.parametrize("reason", [KeyboardInterrupt, SystemExit])
def test_interrupts_end_the_translator_at_once(
    reason: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spent: dict[int, int] = {}
    others = set(children(os.getpid()))

    def interrupt(*_: object) -> None:
        (server,) = set(children(os.getpid())) - others
        spent.update((process, ticks(process)) for process in (server, *children(server)))
        raise reason

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(reason):
            translate(LARGE_DOMAIN, large_problem(30), name="p.pddl")
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert set(children(os.getpid())) <= others, "the server was not reaped"
    for process, before in spent.items():
        while is_running(process):
            # Processor time, not the clock: a child that is left running for 0.25 s uses it, and
            # one that is killed at once uses none however busy the machine is.
            with suppress(FileNotFoundError, ProcessLookupError):
                assert ticks(process) - before < 0.1 * os.sysconf("SC_CLK_TCK")
    assert list(tmp_path.iterdir()) == []
