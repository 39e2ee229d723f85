"""`bugsieve doctor`: try every part of the installation and say what is missing."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

OLDEST_PYTHON = (3, 10)
BROKEN = 4

DOMAIN = b"""(define (domain lamp) (:requirements :strips)
(:predicates (on) (off) (plugged))
(:action plug :parameters () :precondition (off) :effect (plugged))
(:action press :parameters () :precondition (and (off) (plugged)) :effect (and (on) (not (off)))))
"""
PROBLEM = b"(define (problem lit) (:domain lamp) (:init (off)) (:goal (on)))\n"

SAS_TASK = """begin_version 3 end_version begin_metric 0 end_metric 2
begin_variable var0 -1 2 Atom_plugged() NegatedAtom_plugged() end_variable
begin_variable var1 -1 2 Atom_off() Atom_on() end_variable
0 begin_state 1 0 end_state begin_goal 1 1,1 end_goal 2
begin_operator plug 1 1,0 1 0,0,-1,0 1 end_operator
begin_operator press 1 0,0 1 0,1,0,1 1 end_operator 0
"""
"""The lamp in SAS, one line per word; `_` and `,` stand for spaces inside a line."""

_REINSTALL = "'pip install --force-reinstall --no-deps .'"

EXTRAS = {
    "torch": ("torch", "training of networks, 'bugsieve train-q'"),
    "matplotlib": ("matplotlib", "pictures, 'bugsieve plot'"),
    "pyarrow": ("pyarrow", "'bugsieve export --parquet'"),
    "grpc": ("grpcio", "policy servers, 'phrm:' and 'bugsieve serve'"),
    "ray": ("ray", "experiments on a cluster, 'bugsieve experiment --ray'"),
    "lark": ("lark", "models on timelines (NDDL), 'bugsieve rules'"),
    "ortools": ("ortools", "models on timelines (NDDL), 'bugsieve rules'"),
    "up_fast_downward": ("up-fast-downward", "Fast Downward as an oracle, and in 'make bench'"),
    "pymimir": ("pymimir", "the comparison in 'make bench'"),
}
"""Module to its package and what it is for."""


@dataclass(frozen=True)
class InstallationCheck:
    """One line of the table; `remedy` is empty when the part works."""

    part: str
    works: bool
    detail: str
    remedy: str = ""
    required: bool = True


class FaultError(Exception):
    """A part does not work: what was seen, and what to do."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.remedy = remedy


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Try every part of the installation and say what is missing.",
        epilog=f"Exit code 0 if all required parts work, {BROKEN} otherwise.",
    )


def run(args: argparse.Namespace) -> int:
    """Print the table of findings."""
    findings = list(examine())
    show(table(findings))
    return 0 if all(finding.works for finding in findings if finding.required) else BROKEN


def examine() -> Iterator[InstallationCheck]:
    """Every required part, tried for real, then the optional packages."""
    required: dict[str, Callable[[], str]] = {
        "Python": _python,
        "bugsieve": _bugsieve,
        "numpy": _numpy,
        "rich": lambda: metadata.version("rich"),
        "compiled core": _core,
        "translator": _translator,
    }
    for part, check in required.items():
        yield _tried(part, check)
    for module, (package, purpose) in EXTRAS.items():
        yield _extra(module, package, purpose)


def table(findings: list[InstallationCheck]) -> str:
    """The findings as aligned text."""
    width = max(len(finding.part) for finding in findings)
    return "\n".join(
        f"{_verdict(finding):8} {finding.part:{width}}  {finding.detail}"
        + (f"; fix: {finding.remedy}" if finding.remedy else "")
        for finding in findings
    )


def _verdict(finding: InstallationCheck) -> str:
    if finding.works:
        return "ok"
    return "BROKEN" if finding.required else "absent"


def _tried(part: str, check: Callable[[], str]) -> InstallationCheck:
    try:
        return InstallationCheck(part, True, check())
    except FaultError as fault:
        return InstallationCheck(part, False, str(fault), fault.remedy)
    except (ImportError, metadata.PackageNotFoundError) as error:
        detail = " ".join(str(error).split())
        return InstallationCheck(
            part, False, f"cannot be imported ({detail})", f"pip install {part}"
        )
    except Exception as error:  # a doctor survives what it examines
        detail = " ".join(f"{type(error).__name__}: {error}".split())
        return InstallationCheck(
            part, False, f"fails ({detail})", f"{_REINSTALL} in the repository"
        )


def _extra(module: str, package: str, purpose: str) -> InstallationCheck:
    if find_spec(module) is None:
        return InstallationCheck(package, False, purpose, f"pip install {package}", required=False)
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        version = "version unknown"
    return InstallationCheck(package, True, f"{version}, {purpose}", required=False)


def _python() -> str:
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        raise FaultError(f"{version} is too old", f"install Python {wanted} or newer")
    return f"{version} ({sys.executable})"


def _bugsieve() -> str:
    try:
        return metadata.version("bugsieve")
    except metadata.PackageNotFoundError:
        raise FaultError("is not installed", "'pip install .' in the repository") from None


def _numpy() -> str:
    import numpy

    return str(numpy.__version__)


def _core() -> str:
    """Import the extension and let it evaluate a state whose h^max is known."""
    rebuild = f"{_REINSTALL} in the repository"
    try:
        from bugsieve import _native
    except ImportError as error:
        raise FaultError(f"cannot be imported ({' '.join(str(error).split())})", rebuild) from None
    installed = _bugsieve()
    if installed != _native.VERSION:
        built = _native.VERSION or "no version"
        raise FaultError(f"was built for {built}, but Bugsieve is {installed}", rebuild)
    task = _native.Task.from_sas(_sas_text())
    value = int(_native.Heuristic(task, "hmax").evaluate(task.initial_state[None, :])[0])
    if value != 2:
        raise FaultError(f"computes h^max = {value} where 2 is right", rebuild)
    sanitized = ", with sanitizers" if _native.SANITIZED else ""
    return f"evaluates a tiny task, {_native.SIMD} instructions{sanitized}"


def _sas_text() -> bytes:
    words = (word.replace("_", " ") if "Atom" in word else word for word in SAS_TASK.split())
    return ("\n".join(word.replace(",", " ") for word in words) + "\n").encode()


def _translator() -> str:
    """Run the translator on a tiny task."""
    from bugsieve.base.errors import BugsieveError
    from bugsieve.tasks.grounded.translator import PIP_COMMAND, translate, translator_version

    try:
        version = translator_version()
        text = translate(DOMAIN, PROBLEM, name="the tiny task")
    except BugsieveError as error:
        raise FaultError(str(error), PIP_COMMAND) from None
    if b"begin_operator\npress" not in text:
        raise FaultError("grounds a tiny task wrongly", f"{PIP_COMMAND} --force-reinstall")
    return f"{version}, grounds a tiny task"
