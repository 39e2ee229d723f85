"""Runs Fast Downward's translator in a child process and says what went wrong in one sentence.

The translator is under the GPL: it is run as a program and never imported.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import BudgetError, InputError, InternalError, UsageError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.interpreters import NEUTRAL_FOLDER, python_command

PACKAGE = "fast-downward.translate"
PIP_COMMAND = f"pip install {PACKAGE}"

# A policy may read any fact and choose any legal action, so nothing is filtered for relevance.
# Invariant synthesis has no time limit of its own: results must not depend on the clock.
OPTIONS = (
    "--keep-unimportant-variables",
    "--keep-no-ops",
    "--invariant-generation-max-time",
    "1000000",
)

# What is imported once serves every problem: each is translated by a fork, which is a process as
# any other from there on. Its folder comes in hexadecimal digits, since it may be called anything.
# - Limits are set by the fork itself: hooks between fork and exec are not safe with threads.
# - A fork that fills its last megabyte is ended: where not even a small number fits,
#   CPython 3.11 may raise the same MemoryError for ever instead of handling it.
# - Where the system can (Linux), both ask to be told of our end, for every cause of it. They then
#   remove the folder, which we no longer can; the fork, too, if only its server has ended.
_SERVER = """
import os, resource, runpy, select, shutil, signal, sys
folder, child, parent = None, 0, int(sys.argv[1])
def end(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # each thread of ours that ends may send one
    if child:  # it may be beyond listening, and must not write while its folder goes
        os.kill(child, signal.SIGKILL)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
def watch():
    signal.signal(signal.SIGTERM, end)
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1 is PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass
    if os.getppid() != parent:
        end()
def limits(kind, value):
    hard = resource.getrlimit(kind)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard), hard
def memory_of(child):
    try:
        with open(f"/proc/{child}/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
watch()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else nobody could wait for forks
try:
    import fast_downward.translate.main
except Exception:
    pass  # the fork says why
server = os.getpid()
memory = limits(resource.RLIMIT_AS, int(sys.argv[2]))
processor = limits(resource.RLIMIT_CPU, int(sys.argv[3]))
while True:
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    folder = os.fsdecode(bytes.fromhex(line))
    ended, running = os.pipe()  # whose end the fork holds until it ends
    child = os.fork()
    if not child:
        break
    os.close(running)
    while not select.select([ended], [], [], 0.2)[0]:
        if memory_of(child) > memory[0] - (1 << 20):
            os.kill(child, signal.SIGKILL)
    os.close(ended)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    folder, child = None, 0
    print(code, flush=True)
parent = server
watch()
os.chdir(folder)
for stream, name in ((1, "output.txt"), (2, "errors.txt")):
    os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), stream)
resource.setrlimit(resource.RLIMIT_AS, memory)
resource.setrlimit(resource.RLIMIT_CPU, processor)
sys.argv[:] = ["translate", *sys.argv[4:]]
runpy.run_module("fast_downward.translate", run_name="__main__", alter_sys=True)
"""

_LARGEST_LIMIT = (1 << 63) - 1  # what the system takes
_CHUNK = 1 << 16
_POLL_SECONDS = 3600.0  # selectors refuse to wait for months

_OUT_OF_MEMORY = 20
_OUT_OF_TIME = 21
_KILLED = -9
_CPU_LIMIT_SIGNAL = -24
# What Python says when memory runs out before the translator can catch it.
_NO_MEMORY = ("MemoryError", "Cannot allocate memory", "failed to map segment")


class TrivialGoalError(InputError):
    """The goal holds in every state, or not even the relaxation reaches it: there is no task."""

    def __init__(self, sentence: str, *, holds: bool = False) -> None:
        super().__init__(sentence)
        self.holds = holds


@dataclass(frozen=True)
class TranslationLimits:
    """What a translation may use; on large tasks it needs tens of seconds and a gigabyte."""

    seconds: float = 300.0
    bytes: int = 4 << 30

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("seconds", "bytes"):
            value = getattr(self, name)
            if not value > 0:
                raise UsageError(f"TranslationLimits.{name} must be greater than 0, not {value}")


def translator_version() -> str:
    """The installed version, or a UsageError with the pip command."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        raise UsageError(
            f"PDDL files need Fast Downward's translator, install it with: {PIP_COMMAND}"
        ) from None


class WarmTranslator(Closing):
    """Translates one problem after the other, without starting a program for each."""

    def __init__(self, limits: TranslationLimits | None = None) -> None:
        self._limits = limits or TranslationLimits()
        self._process: subprocess.Popen[bytes] | None = None

    def translate(self, domain: bytes, problem: bytes, *, name: str) -> bytes:
        """The SAS text of a task; `name` is the problem file as errors call it."""
        translator_version()
        with tempfile.TemporaryDirectory(prefix="bugsieve-") as folder:
            place = Path(folder)
            (place / "domain.pddl").write_bytes(domain)
            (place / "problem.pddl").write_bytes(problem)
            result = self._run(place, name)
            if result.returncode != 0:
                raise _failure(result, name, self._limits)
            _reject_trivial(result.stdout, name)
            return (place / "output.sas").read_bytes()

    def _run(self, place: Path, name: str) -> subprocess.CompletedProcess[str]:
        limits = self._limits
        process = self._process = self._process or _launch(limits)
        assert process.stdin is not None
        end = time.monotonic() + limits.seconds
        try:
            process.stdin.write(os.fsencode(place).hex().encode() + b"\n")
            process.stdin.flush()
            code = _answer(process, end)
        except TimeoutError:
            self._kill()
            raise _out_of_time(name, limits) from None
        except BrokenPipeError:  # killed by the system, for want of memory
            self._kill()
            raise _out_of_memory(name, limits) from None
        except BaseException:  # Ctrl-C among them: the child must not outlive this call
            self._kill()
            raise
        texts = (place / "output.txt", place / "errors.txt")
        output, errors = (path.read_text(errors="backslashreplace") for path in texts)
        return subprocess.CompletedProcess(process.args, code, output, errors)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            # Leaving the process closes its pipes, and fails with what it could not be told.
            with suppress(BrokenPipeError), process:
                _kill(process)


def _answer(process: subprocess.Popen[bytes], end: float) -> int:
    """The exit code of a translation, from the process that has it made.

    TimeoutError if it comes too late, BrokenPipeError if that process has ended.
    """
    assert process.stdout is not None
    text = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not text.endswith(b"\n"):
            for key, _ in _ready(selector, end):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    raise BrokenPipeError
                text.extend(chunk)
    return int(text)


def translate(
    domain: bytes, problem: bytes, *, name: str, limits: TranslationLimits | None = None
) -> bytes:
    """The SAS text of a task; `name` is the problem file as errors call it."""
    with WarmTranslator(limits) as translator:
        return translator.translate(domain, problem, name=name)


def _launch(limits: TranslationLimits) -> subprocess.Popen[bytes]:
    cpu_seconds = max(1, int(min(limits.seconds, _LARGEST_LIMIT)))
    memory = int(min(limits.bytes, _LARGEST_LIMIT))
    files = ("--sas-file", "output.sas", "domain.pddl", "problem.pddl")
    arguments = (*map(str, (os.getpid(), memory, cpu_seconds)), *OPTIONS, *files)
    return subprocess.Popen(
        python_command(_SERVER, *arguments),
        cwd=NEUTRAL_FOLDER,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _ready(
    selector: selectors.BaseSelector, end: float
) -> list[tuple[selectors.SelectorKey, int]]:
    """The ends that can be read, if any; TimeoutError if the end has come."""
    remaining = end - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return selector.select(min(remaining, _POLL_SECONDS))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the child, which leads its group, and reap it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _out_of_time(name: str, limits: TranslationLimits) -> BudgetError:
    return BudgetError(
        f"{name}: grounding took longer than {limits.seconds:g} s: use a smaller problem, or more "
        "time with --translation-time S (in Python, bugsieve.TranslationLimits(seconds=S))"
    )


def _out_of_memory(name: str, limits: TranslationLimits) -> BudgetError:
    return BudgetError(
        f"{name}: grounding needs more than {int(limits.bytes) >> 20} MiB of memory: use a "
        "smaller problem, or more memory with --translation-memory MIB (in Python, "
        "bugsieve.TranslationLimits(bytes=N))"
    )


def _failure(
    result: subprocess.CompletedProcess[str], name: str, limits: TranslationLimits
) -> Exception:
    code = result.returncode
    if code in (_OUT_OF_TIME, _CPU_LIMIT_SIGNAL):
        return _out_of_time(name, limits)
    if code in (_OUT_OF_MEMORY, _KILLED) or any(sign in result.stderr for sign in _NO_MEMORY):
        return _out_of_memory(name, limits)
    if "RecursionError" in result.stderr:
        return InputError(f"{name}: a condition is nested too deeply, write it flatter")
    reason = _reason(result)
    if "Traceback (most recent call last)" in result.stderr:
        return InternalError(f"{name}: the translator failed on checked input ({reason})")
    return InputError(f"{name}: the translator refuses the task ({reason})")


def _reason(result: subprocess.CompletedProcess[str]) -> str:
    """The translator's last words, as one line."""
    text = result.stderr.strip() or result.stdout.strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    context = ("->", "Parsing", "Syntax:")
    said = [line for line in lines if not line.startswith(context)]
    return "; ".join(said[-2:])[-300:] or f"exit code {result.returncode}"


def _reject_trivial(output: str, name: str) -> None:
    """The translator replaces tasks without a decision to make by a dummy task."""
    if "Generating unsolvable task" in output:
        raise TrivialGoalError(
            f"{name}: the goal cannot be reached from the initial state, "
            "so there is nothing to test: check ':init' and ':goal'",
            holds=False,
        )
    if "Generating solvable task" in output:
        raise TrivialGoalError(
            f"{name}: the goal holds in every state, so there is nothing to test: check ':goal'",
            holds=True,
        )
