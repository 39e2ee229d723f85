"""Families of members, and what a room plugs into them: strings only, nothing is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TASKS, MODELS = "planning tasks", "models"


@dataclass(frozen=True)
class Family:
    """One kind of member. Families of the same noun are neighbours, for different subjects."""

    noun: str
    builtin: Mapping[str, str]
    """Name to `module:attribute`, or to a module that is the member itself."""
    subject: str = ""
    """The subject that the members are for."""
    group: str | None = None
    """The entry-point group by which other packages add members; None: closed."""
    title: str = ""
    """The name of a missing member in errors, if not the noun."""
    summaries: Mapping[str, str] = field(default_factory=dict)
    """The purposes of members, where they must be known before these are loaded."""


@dataclass(frozen=True)
class Entry:
    """A member that a room adds to a family, whose own members rank 100, 200 and so on."""

    rank: int
    name: str
    place: str
    summary: str = ""


@dataclass(frozen=True)
class Listing:
    """The output of `bugsieve list NAME`: the members of families, or what a function returns."""

    rank: int
    name: str
    heading: str
    families: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True)
class Manifest:
    """All that a room plugs in."""

    families: Mapping[str, Family] = field(default_factory=dict)
    """Families of its own, which other rooms may add to."""
    members: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Members by their families."""
    lists: tuple[Listing, ...] = ()
    public: Mapping[str, str] = field(default_factory=dict)
    """Names of `bugsieve` itself, and the modules they are in."""
