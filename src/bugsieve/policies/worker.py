"""One foreign program in a process of its own: a line in, a line out, under a deadline.

The process leads its own group and runs under a memory limit. Every failure kills the group, and
so does our own end, however it comes: nothing keeps running. One thread feeds and drains all three
pipes at once: a program that floods or never reads cannot block us.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Mapping, Sequence

from bugsieve.base.files_and_processes.process_groups import launch_guarded
from bugsieve.base.stopping import check_stop, seconds_left

_CHUNK = 1 << 16
_STDERR_TAIL = 1 << 13
_MAX_LAST_READS = 64  # a process that escaped the group may flood on; the pipe holds one chunk
_POLL_SECONDS = 0.25
_EXIT_GRACE_SECONDS = 2.0
_OWN_MARGIN = 1.05
_NEAR_LIMIT = 0.75  # of the memory limit: above it, a death is put down to memory
_OUT_OF_MEMORY = ("memoryerror", "bad_alloc", "cannot allocate memory", "out of memory")


class WorkerCrashError(Exception):
    """The process ended, or what it wrote is not an answer.

    `at_limit`: its memory limit did it; `printed`: what it last wrote to its standard error.
    """

    def __init__(self, sentence: str, *, at_limit: bool = False, printed: str = "") -> None:
        super().__init__(sentence)
        self.at_limit = at_limit
        self.printed = printed


class WorkerHangError(Exception):
    """The process did not answer before its deadline."""


class Worker:
    """A running program; once it has crashed or hung it is dead and must be replaced."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        memory_mb: int | None = None,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        self.memory_mb = memory_mb
        self._process, lifeline = launch_guarded(
            command,
            memory_kib=None if memory_mb is None else memory_mb * 1024,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environment,
            cwd=folder,
        )
        self._finalizer = weakref.finalize(self, _end, self._process, lifeline, os.getpid())
        self._stdin, self._stdout, self._stderr = _pipes(self._process)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._output = bytearray()
        self._errors = bytearray()
        self._echo: Callable[[bytes], None] | None = None

    def listen(self, echo: Callable[[bytes], None]) -> None:
        """Pass on what the program writes to its standard error, and the last that it wrote."""
        self._echo = echo
        echo(bytes(self._errors))

    @property
    def pid(self) -> int:
        """Id of the process, which is also the id of its group."""
        return self._process.pid

    def exchange(self, request: bytes, *, deadline: float, max_reply: int) -> bytes:
        """Send one line and return the line that answers it, without its newline."""
        try:
            line = self._exchange(request, time.monotonic() + deadline, max_reply)
            self._drain_all()
            return line
        except _DeadlineError:
            self.close()
            raise WorkerHangError(f"no answer within {deadline:g} s") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill the process with its whole group and reap it."""
        self._finalizer()
        self._selector.close()

    def _exchange(self, request: bytes, end: float, max_reply: int) -> bytes:
        unsent = memoryview(request)
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        searched = 0
        while True:
            # Only the new part is searched: a long answer in small pieces must not take quadratic
            # time.
            newline = self._output.find(b"\n", searched)
            if newline >= 0:
                self._expect_all_sent(unsent)
                return self._take_line(newline)
            searched = len(self._output)
            if searched > max_reply:
                raise WorkerCrashError(
                    f"flooded its output: over {max_reply} bytes and no end of line"
                )
            unsent = self._pump(unsent, end)

    def _pump(self, unsent: memoryview, end: float) -> memoryview:
        """Wait for the pipes and move what can be moved; returns what is still to be sent."""
        check_stop()  # before the deadline of the program: the end of our time is not a hang
        remaining = end - time.monotonic()
        if remaining <= 0:
            raise _DeadlineError
        ready = self._selector.select(min(remaining, seconds_left(), _POLL_SECONDS))
        # A child of the program may hold the pipe open though the program has ended: then no end
        # of file ever comes.
        if not ready and self._exited():
            raise self._death()
        for key, _ in ready:
            if key.fd == self._stdin:
                unsent = self._send(unsent)
            elif key.fd == self._stderr:
                self._drain_errors()
            elif not self._receive():
                raise self._death()
        return unsent

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            unsent = unsent[os.write(self._stdin, unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except BrokenPipeError:  # it closed its input: the answer, or its end, is still to come
            unsent = unsent[:0]
        if not unsent:
            self._selector.unregister(self._stdin)
        return unsent

    def _receive(self) -> bool:
        try:
            data = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return True
        self._output += data
        return bool(data)

    def _drain_errors(self) -> bool:
        """Keep the tail of what has been written to stderr; False when there is no more now."""
        try:
            data = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return False
        if not data and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)
        if data and self._echo is not None:
            self._echo(data)
        self._errors += data
        del self._errors[:-_STDERR_TAIL]
        return bool(data)

    def _drain_all(self) -> None:
        """Take what has been written to stderr so far."""
        for _ in range(_MAX_LAST_READS):
            if not self._drain_errors():
                break

    def _expect_all_sent(self, unsent: memoryview) -> None:
        if unsent:
            raise WorkerCrashError("answered before it had read the question")

    def _take_line(self, newline: int) -> bytes:
        line = bytes(self._output[:newline])
        del self._output[: newline + 1]
        return line

    def _exited(self) -> bool:
        """Return true if the process has ended; it stays unreaped, so its group id stays valid."""
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, flags) is not None

    def _death(self) -> WorkerCrashError:
        """The error for the end of the process, with its last words."""
        # Closing the output and ending are two events: wait a moment for the second, as it says
        # why.
        give_up = time.monotonic() + _EXIT_GRACE_SECONDS
        while not self._exited() and time.monotonic() < give_up:
            check_stop()  # when our time ends first, it is asked again later
            time.sleep(0.005)
        if not self._exited():
            return WorkerCrashError("closed its output" + self._last_words())
        status, peak_mb = _reap(self._process)
        self._drain_all()
        hint = self._memory_hint(peak_mb)
        phrase = _describe_exit(status) + hint + self._last_words()
        printed = self._errors.decode(errors="replace")
        return WorkerCrashError(phrase, at_limit=bool(hint), printed=printed)

    def _memory_hint(self, peak_mb: float) -> str:
        if self.memory_mb is None:
            return ""
        words = self._errors.decode(errors="replace").lower()
        # A child inherits the peak of its parent: only what lies above that is its own.
        near = peak_mb >= max(_NEAR_LIMIT * self.memory_mb, _OWN_MARGIN * _own_peak_mb())
        if near or any(phrase in words for phrase in _OUT_OF_MEMORY):
            return f" at its memory limit of {self.memory_mb} MB"
        return ""

    def _last_words(self) -> str:
        lines = self._errors.decode(errors="replace").split("\n")
        spoken = [line.strip() for line in lines if line.strip()]
        return f": {printable(spoken[-1])}" if spoken else ""


class _DeadlineError(Exception):
    """The deadline has passed."""


def printable(text: str, *, limit: int = 200) -> str:
    """The text on one line, without control characters, cut after `limit` characters."""
    cut = text[:limit] + ("…" if len(text) > limit else "")
    return "".join(character if character.isprintable() else "�" for character in cut)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    assert process.stdin and process.stdout and process.stderr
    descriptors = (process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno())
    for descriptor in descriptors:
        os.set_blocking(descriptor, False)
    return descriptors


def _own_peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _describe_exit(status: int) -> str:
    if status >= 0:
        return f"ended with exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _reap(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Kill what is left of the group; returns the exit status and the peak memory in MiB."""
    if process.returncode is not None:
        return process.returncode, 0.0
    # The group before the process itself: once that is reaped, its id may belong to another
    # process.
    with contextlib.suppress(ProcessLookupError, PermissionError):  # only zombies are left
        os.killpg(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss / 1024


def _end(process: subprocess.Popen[bytes], lifeline: int, owner: int) -> None:
    if os.getpid() == owner:  # a forked copy of us must not kill its parent's worker
        _reap(process)
    os.close(lifeline)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
