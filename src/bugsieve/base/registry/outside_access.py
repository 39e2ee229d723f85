"""The reach of a member: all that it may touch outside of this process, told before it is made.

A member declares it by a class method `reach(argument)`. Built-in ones that declare nothing touch
nothing; those of other packages count as code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True)
class OutsideAccess:
    """All that a spec would touch; each of the names once, in alphabetical order."""

    programs: tuple[str, ...] = ()
    """Programs that it would start."""
    connections: tuple[str, ...] = ()
    """Places that it would connect to."""
    files: tuple[str, ...] = ()
    """Files and folders that it would read."""
    runs_code: bool = False
    """True if it would run Python code of others."""

    @property
    def needs_trust(self) -> bool:
        """Return true if it touches more than files, which our own code reads."""
        return bool(self.programs or self.connections or self.runs_code)

    def __or__(self, other: OutsideAccess) -> OutsideAccess:
        """All that either touches."""
        return together((self, other))


NOTHING = OutsideAccess()
CODE = OutsideAccess(runs_code=True)


def together(reaches: Iterable[OutsideAccess]) -> OutsideAccess:
    """All that any of them touches."""
    parts = list(reaches)
    return OutsideAccess(
        _names(part.programs for part in parts),
        _names(part.connections for part in parts),
        _names(part.files for part in parts),
        any(part.runs_code for part in parts),
    )


def _names(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted(set(chain.from_iterable(groups))))
