"""Looks members of a family up by the names in specs, those of other packages among them.

A spec is `name` or `name:argument`. Another package adds a member by an entry point: its name is
the name in the spec, its object a class like the built-in ones (or a module, for domains).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from bugsieve.base.arguments import require_text
from bugsieve.base.errors import BugsieveError, InputError, UsageError
from bugsieve.base.names import for_others, no_such
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.family import Family
from bugsieve.base.registry.outside_access import CODE, NOTHING, OutsideAccess

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

M = TypeVar("M")


class _ForSubjects(Protocol):
    @property
    def subject_type(self) -> type[Any]: ...


S = TypeVar("S", bound=_ForSubjects)


@dataclass(frozen=True)
class MemberInfo:
    """One line of `bugsieve list`."""

    name: str
    usage: str
    summary: str
    package: str | None = None
    """The distribution that brings it; None for our own."""

    @property
    def text(self) -> str:
        """The summary, and where the member comes from if it is not ours."""
        return self.summary if self.package is None else f"{self.summary} [{self.package}]"


class MemberTable(Mapping[str, M], Generic[M]):
    """The members of a family by name, built-in ones first; each is loaded when it is used.

    A name that does not exist is a UsageError. `error` is what a member of another package raises
    that cannot be loaded.
    """

    def __init__(self, family: Family, *, error: type[BugsieveError] = InputError) -> None:
        self.family = family
        self._error = error

    def __getitem__(self, name: str) -> M:
        if name in self.family.builtin:
            return cast(M, load(self.family.builtin[name]))
        for entry in _plugins(self.family).select(name=name):
            return self._load_plugin(entry)
        raise UsageError(self._missing(name))

    def __iter__(self) -> Iterator[str]:
        yield from self.family.builtin
        if self.family.group is not None:
            yield from sorted(_plugins(self.family).names - self.family.builtin.keys())

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def parse(self, spec: str) -> tuple[str, M, str | None]:
        """Name, member and argument of a spec like `greedy:hff`; UsageError for another name."""
        article = "an" if self.family.noun[0] in "aeiou" else "a"
        text = require_text(spec, f"the spec of {article} {self.family.noun}")
        name, colon, argument = text.partition(":")
        name = name.strip()
        return name, self[name], argument.strip() if colon else None

    def check(self, spec: str) -> None:
        """Raise the error of a spec that is wrong for every task or model."""
        _, member, argument = self.parse(spec)
        check_argument = getattr(member, "check_argument", None)
        if check_argument is not None:
            check_argument(argument)

    def reach_of(self, spec: str) -> OutsideAccess:
        """All that the member of the spec would touch."""
        name, member, argument = self.parse(spec)
        if name not in self.family.builtin and "reach" not in getattr(member, "__dict__", {}):
            return CODE
        reach = getattr(member, "reach", None)
        return NOTHING if reach is None else cast(OutsideAccess, reach(argument))

    def started_by(self, spec: str) -> OutsideAccess:
        """All that the member would start by itself, with files of code as absolute paths.

        A member declares it by `starts(argument)` where that is not what it would touch: what a
        file says that it names is its `named(argument)`.
        """
        name, member, argument = self.parse(spec)
        is_own = name in self.family.builtin or "starts" in getattr(member, "__dict__", {})
        starts = getattr(member, "starts", None) if is_own else None
        return self.reach_of(spec) if starts is None else cast(OutsideAccess, starts(argument))

    def named_by(self, spec: str) -> list[tuple[str, str, str]]:
        """The specs in files that the member would read, each with its folder and the file."""
        _, member, argument = self.parse(spec)
        named = getattr(member, "named", None)
        return [] if named is None else list(named(argument))

    def infos(self) -> list[MemberInfo]:
        """A line on each member; one that cannot be loaded says so in its own."""
        return [self._info(name) for name in self]

    def examples(self) -> list[str]:
        """Specs to try: those that members name as their `examples`, or their names alone."""
        return [spec for name, member in self.items() for spec in _examples(name, member)]

    def _info(self, name: str) -> MemberInfo:
        package = None if name in self.family.builtin else _package(self.family, name)
        try:
            member = self[name]
        except BugsieveError as error:
            return MemberInfo(name, name, str(error), package)
        usage = str(getattr(member, "usage", name))
        shown = usage if usage.startswith(name) else name  # inherited from a member of ours
        return MemberInfo(name, shown, _summary(member, name), package)

    def _missing(self, name: str) -> str:
        family = self.family
        for other in FAMILIES.values():
            neighbour = other.noun == family.noun and other is not family
            if neighbour and (name in other.builtin or name in _plugins(other).names):
                return for_others(
                    family.noun, name, ours=family.subject, theirs=other.subject, choices=self
                )
        return no_such(family.title or family.noun, name, self)

    def _load_plugin(self, entry: EntryPoint) -> M:
        try:
            return cast(M, entry.load())
        except Exception as error:  # someone else's package: anything can go wrong
            noun = self.family.noun
            raise self._error(
                f"{noun} {entry.name!r} of {entry.value} cannot be loaded: {error}"
            ) from error


def member_for(members: Mapping[str, S], subject: object) -> S | None:
    """The first member that is for subjects of this type; None if there is none."""
    fitting = (member for member in members.values() if isinstance(subject, member.subject_type))
    return next(fitting, None)


def load(place: str) -> Any:
    """The object at `module:attribute`, or the module."""
    module, colon, attribute = place.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if colon else loaded


def _plugins(family: Family) -> EntryPoints:
    from importlib.metadata import EntryPoints, entry_points  # slow, and no command needs them

    return EntryPoints() if family.group is None else entry_points(group=family.group)


def _package(family: Family, name: str) -> str:
    entry = _plugins(family)[name]
    return entry.value if entry.dist is None else entry.dist.name


def _summary(member: object, name: str) -> str:
    """The summary of a member: its SUMMARY, or the first line of its docstring."""
    said = getattr(member, "SUMMARY", None) or member.__doc__ or name
    return str(said).strip().partition("\n")[0]


def _examples(name: str, member: object) -> tuple[str, ...]:
    return cast("tuple[str, ...]", getattr(member, "examples", (name,)))
