"""Runs Fast Downward's translator in a child process and says what went wrong in one sentence.

The translator is under the GPL: it is run as a program and never imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from bugsieve.basis.errors import BudgetError, InputError, InternalError, UsageError

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

# Limits are set by the child itself: hooks between fork and exec are not safe with threads.
_LAUNCHER = """
import resource, runpy, sys
limits = ((resource.RLIMIT_AS, int(sys.argv[1])), (resource.RLIMIT_CPU, int(sys.argv[2])))
for limit, value in limits:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, hard))
sys.argv[:] = ["translate", *sys.argv[3:]]
runpy.run_module("fast_downward.translate", run_name="__main__", alter_sys=True)
"""

_OUT_OF_MEMORY = 20
_OUT_OF_TIME = 21
_KILLED = -9
_CPU_LIMIT_SIGNAL = -24
# What Python says when memory runs out before the translator can catch it.
_NO_MEMORY = ("MemoryError", "Cannot allocate memory", "failed to map segment")


@dataclass(frozen=True)
class TranslationLimits:
    """What a translation may use; on large tasks it needs tens of seconds and a gigabyte."""

    seconds: float = 300.0
    bytes: int = 4 << 30


def translator_version() -> str:
    """The installed version, or a UsageError with the pip command."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        raise UsageError(
            f"PDDL files need Fast Downward's translator, install it with: {PIP_COMMAND}"
        ) from None


def translate(
    domain: bytes, problem: bytes, *, name: str, limits: TranslationLimits | None = None
) -> bytes:
    """The SAS text of a task; `name` is the problem file as errors call it."""
    translator_version()
    limits = limits or TranslationLimits()
    with tempfile.TemporaryDirectory(prefix="bugsieve-") as folder:
        place = Path(folder)
        (place / "domain.pddl").write_bytes(domain)
        (place / "problem.pddl").write_bytes(problem)
        result = _run(place, name, limits)
        if result.returncode != 0:
            raise _failure(result, name, limits)
        _reject_trivial(result.stdout, name)
        return (place / "output.sas").read_bytes()


def _run(place: Path, name: str, limits: TranslationLimits) -> subprocess.CompletedProcess[str]:
    """Run the translator in `place`, which is also its search path for modules.

    `subprocess.run` kills the child on a time-out and on Ctrl-C.
    """
    files = ("--sas-file", "output.sas", "domain.pddl", "problem.pddl")
    cpu_seconds = max(1, int(limits.seconds))
    arguments = (str(limits.bytes), str(cpu_seconds), *OPTIONS, *files)
    try:
        return subprocess.run(
            [sys.executable, "-c", _LAUNCHER, *arguments],
            cwd=place,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _out_of_time(name, limits) from None


def _out_of_time(name: str, limits: TranslationLimits) -> BudgetError:
    return BudgetError(
        f"{name}: grounding took longer than {limits.seconds:g} s, "
        "raise the time limit or use a smaller problem"
    )


def _out_of_memory(name: str, limits: TranslationLimits) -> BudgetError:
    return BudgetError(
        f"{name}: grounding needs more than {limits.bytes / (1 << 30):.2g} GiB of memory, "
        "raise the memory limit or use a smaller problem"
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
    """What the translator said last, as one line."""
    text = result.stderr.strip() or result.stdout.strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    context = ("->", "Parsing", "Syntax:")
    said = [line for line in lines if not line.startswith(context)]
    return "; ".join(said[-2:])[-300:] or f"exit code {result.returncode}"


def _reject_trivial(output: str, name: str) -> None:
    """The translator replaces tasks without a decision to make by a dummy task."""
    if "Generating unsolvable task" in output:
        raise InputError(
            f"{name}: the goal cannot be reached from the initial state, "
            "so there is nothing to test: check ':init' and ':goal'"
        )
    if "Generating solvable task" in output:
        raise InputError(
            f"{name}: the goal holds in every state, so there is nothing to test: check ':goal'"
        )
