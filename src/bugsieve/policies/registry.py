"""Names of policies: the table of built-in members, those of other packages, and specs.

Other packages add members through the entry-point group `bugsieve.policies`; the name of the entry
is the name in the spec, its object a class like the built-in ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol, cast, runtime_checkable

from bugsieve.basis.errors import PolicyError, UnsupportedError, UsageError
from bugsieve.basis.names import no_such
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.policies.worker import WorkerLimits
from bugsieve.tasks.fdr.task import Task

ENTRY_POINT_GROUP = "bugsieve.policies"

_MEMBERS = {
    "random": "bugsieve.policies.random:RandomPolicy",
    "greedy": "bugsieve.policies.greedy:GreedyPolicy",
    "hill-climbing": "bugsieve.policies.hill_climbing:HillClimbingPolicy",
    "optimal": "bugsieve.policies.optimal:OptimalPolicy",
    "lazy": "bugsieve.policies.lazy:LazyPolicy",
    "python": "bugsieve.policies.python:PythonPolicy",
    "cmd": "bugsieve.policies.command:CommandPolicy",
}


class Member(Protocol):
    """What a class must offer to be created from a spec."""

    usage: str

    def from_spec(self, task: Task, argument: str | None, settings: PolicySettings) -> BoundPolicy:
        """The policy for the spec `name:argument`."""
        ...

    def supports(self, task: Task) -> str | None:
        """None, or the reason why it cannot be bound to the task."""
        ...


@runtime_checkable
class ChecksArgument(Protocol):
    """What a member offers that can tell a wrong argument without a task; `BoundPolicy` does."""

    def check_argument(self, argument: str | None) -> None:
        """Raise UsageError or PolicyError for an argument that no task could make right."""
        ...


@dataclass(frozen=True)
class PolicyInfo:
    """One line of `bugsieve list policies`."""

    name: str
    usage: str
    summary: str


def make_policy(
    spec: str, task: Task, *, seed: int = 0, limits: WorkerLimits | None = None
) -> BoundPolicy:
    """The policy that a spec like `greedy:hff` or `cmd:./program -v` names, bound to the task."""
    name, argument = _parts(spec)
    member = _member(name)
    reason = member.supports(task)
    if reason is not None:
        raise UnsupportedError(f"policy {name!r} cannot be used on {task.name}: {reason}")
    settings = PolicySettings(seed=seed, limits=limits or WorkerLimits())
    return member.from_spec(task, argument, settings)


def check_spec(spec: str) -> None:
    """Raise the error of a spec that is wrong for every task, before there is a task."""
    name, argument = _parts(spec)
    member = _member(name)
    if isinstance(member, ChecksArgument):
        member.check_argument(argument)


def list_policies() -> list[PolicyInfo]:
    """All members that can be named in a spec, built-in ones first."""
    return [
        PolicyInfo(name, member.usage, (inspect.getdoc(member) or name).partition("\n")[0])
        for name, member in _all_members()
    ]


def _parts(spec: str) -> tuple[str, str | None]:
    name, colon, argument = spec.partition(":")
    return name.strip(), argument.strip() if colon else None


def _member(name: str) -> Member:
    if name in _MEMBERS:
        return _load_builtin(name)
    plugins = entry_points(group=ENTRY_POINT_GROUP)
    if name in plugins.names:
        return _load_plugin(name)
    raise UsageError(no_such("policy", name, sorted({*_MEMBERS, *plugins.names})))


def _all_members() -> Iterator[tuple[str, Member]]:
    for name in _MEMBERS:
        yield name, _load_builtin(name)
    for name in sorted(entry_points(group=ENTRY_POINT_GROUP).names - _MEMBERS.keys()):
        yield name, _load_plugin(name)


def _load_builtin(name: str) -> Member:
    module, _, attribute = _MEMBERS[name].partition(":")
    return cast(Member, getattr(import_module(module), attribute))


def _load_plugin(name: str) -> Member:
    entry = entry_points(group=ENTRY_POINT_GROUP)[name]
    try:
        return cast(Member, entry.load())
    except Exception as error:  # someone else's package: anything can go wrong
        raise PolicyError(f"policy {name!r} of {entry.value} cannot be loaded: {error}") from error
