"""Sources that say where a model is unsafe, if neither its property nor `--unsafe` does.

A room adds a source under the name of the argument by which commands take it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.jani.model.properties import PropertyFiles
    from bugsieve.rooms.jani.model.types import Value


class Danger(Protocol):
    """A source of danger that was given; loads models whose unsafety condition it is."""

    def load_jani(
        self,
        model: Path,
        source: Path | PropertyFiles | None,
        *,
        constants: Mapping[str, Value],
        property_name: str | None,
    ) -> JaniModel:
        """A model in JANI, with start and goal of its property if it has one."""
        ...

    def load_fond(self, domain: Path, problem: Path) -> JaniModel:
        """PDDL with `oneof` as a model."""
        ...


class DangerSource(Protocol):
    """A member of the family."""

    usage: str
    """The way to give it."""
    clash: str
    """The message where `--unsafe` is given as well."""

    def __call__(self, given: Any) -> Danger:
        """The source with the value of its argument."""
        ...

    def add_option(self, group: argparse._ArgumentGroup) -> None:
        """Add the argument to the options of a command."""
        ...


DANGERS: MemberTable[DangerSource] = MemberTable(FAMILIES["dangers"])


def danger_from(args: argparse.Namespace) -> Danger | None:
    """The source of danger that is given; UsageError if `--unsafe` is given beside it."""
    for name, source in DANGERS.items():
        given = getattr(args, name, None)
        if given is not None:
            if args.unsafe is not None:
                raise UsageError(source.clash)
            return source(given)
    return None
