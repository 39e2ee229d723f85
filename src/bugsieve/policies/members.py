"""Names of policies and the classes behind them: one table for planning tasks, one for models.

Other packages add members through the entry-point groups; the name of the entry is the name in the
spec, its object a class like the built-in ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar, cast, runtime_checkable

from bugsieve.basis.arguments import require_text
from bugsieve.basis.errors import PolicyError, UsageError
from bugsieve.basis.names import for_others, no_such


class Described(Protocol):
    """What every member has: how its specs are written."""

    usage: str


@runtime_checkable
class ChecksArgument(Protocol):
    """What a member offers that can tell a wrong argument before there is anything to act on."""

    def check_argument(self, argument: str | None) -> None:
        """Raise UsageError or PolicyError for an argument that nothing could make right."""
        ...


@dataclass(frozen=True)
class PolicyInfo:
    """One line of `bugsieve list policies`."""

    name: str
    usage: str
    summary: str


@dataclass(frozen=True)
class Family:
    """The built-in members of one kind of policy, as `module:class`."""

    subject: str
    """What the policies act on."""
    entry_points: str
    builtin: Mapping[str, str]


TASK_FAMILY = Family(
    subject="planning tasks",
    entry_points="bugsieve.policies",
    builtin={
        "random": "bugsieve.policies.random:RandomPolicy",
        "greedy": "bugsieve.policies.greedy:GreedyPolicy",
        "hill-climbing": "bugsieve.policies.hill_climbing:HillClimbingPolicy",
        "optimal": "bugsieve.policies.optimal:OptimalPolicy",
        "lazy": "bugsieve.policies.lazy:LazyPolicy",
        "python": "bugsieve.policies.python:PythonPolicy",
        "cmd": "bugsieve.policies.command:CommandPolicy",
    },
)

MODEL_FAMILY = Family(
    subject="models",
    entry_points="bugsieve.model_policies",
    builtin={
        "mlp": "bugsieve.policies.models.mlp:MlpPolicy",
        "trees": "bugsieve.policies.models.trees:TreesPolicy",
        "table": "bugsieve.policies.models.table:TablePolicy",
        "random": "bugsieve.policies.models.random:RandomPolicy",
        "python": "bugsieve.policies.models.python:PythonPolicy",
        "cmd": "bugsieve.policies.models.command:CommandPolicy",
    },
)

M = TypeVar("M", bound=Described)


class MemberTable(Generic[M]):
    """Looks up and lists the members of a family; classes are imported when they are needed."""

    def __init__(self, family: Family, *, other: Family) -> None:
        self._family = family
        self._other = other

    def parse(self, spec: str) -> tuple[str, M, str | None]:
        """Name, member and argument of a spec like `greedy:hff`; UsageError for another name."""
        name, colon, argument = require_text(spec, "the spec of a policy").partition(":")
        name = name.strip()
        return name, self._member(name), argument.strip() if colon else None

    def check(self, spec: str) -> None:
        """Raise the error of a spec that is wrong whatever the policy is to act on."""
        _, member, argument = self.parse(spec)
        if isinstance(member, ChecksArgument):
            member.check_argument(argument)

    def infos(self) -> list[PolicyInfo]:
        """All members that can be named in a spec, built-in ones first."""
        return [
            PolicyInfo(name, member.usage, (inspect.getdoc(member) or name).partition("\n")[0])
            for name, member in self._all()
        ]

    def _member(self, name: str) -> M:
        if name in self._family.builtin:
            return self._load_builtin(name)
        plugins = entry_points(group=self._family.entry_points)
        if name in plugins.names:
            return self._load_plugin(name)
        names = sorted({*self._family.builtin, *plugins.names})
        if self._is_other(name):
            ours, theirs = self._family.subject, self._other.subject
            raise UsageError(for_others("policy", name, ours=ours, theirs=theirs, choices=names))
        raise UsageError(no_such("policy", name, names))

    def _is_other(self, name: str) -> bool:
        plugins = entry_points(group=self._other.entry_points)
        return name in self._other.builtin or name in plugins.names

    def _all(self) -> Iterator[tuple[str, M]]:
        builtin = self._family.builtin
        for name in builtin:
            yield name, self._load_builtin(name)
        for name in sorted(entry_points(group=self._family.entry_points).names - builtin.keys()):
            yield name, self._load_plugin(name)

    def _load_builtin(self, name: str) -> M:
        module, _, attribute = self._family.builtin[name].partition(":")
        return cast(M, getattr(import_module(module), attribute))

    def _load_plugin(self, name: str) -> M:
        entry = entry_points(group=self._family.entry_points)[name]
        try:
            return cast(M, entry.load())
        except Exception as error:  # someone else's package: anything can go wrong
            raise PolicyError(
                f"policy {name!r} of {entry.value} cannot be loaded: {error}"
            ) from error
