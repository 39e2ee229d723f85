"""What `explain` tells of a bug, whatever the kind of its campaign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable

if TYPE_CHECKING:
    from bugsieve.pictures.strips import SvgFile


@dataclass(frozen=True)
class Account:
    """An explanation of a bug in several forms, each of which is made when it is asked for."""

    text: Callable[[], str]
    """For people."""
    json: Callable[[], str]
    """For programs."""
    draw: Callable[[str | None], SvgFile]
    """As a picture; states are drawn as a spec says, or by the first picture that fits."""


class Witness(Protocol):
    """What the records have on a bug; enough to explain it when they are closed."""

    def account(self, expansions: int) -> Account:
        """The explanation, for which searches may expand so many states."""
        ...


EXPLAINERS: MemberTable[Callable[[Path, str], Witness]] = MemberTable(families.EXPLAINERS)
"""By kinds of campaigns, what makes the witness of a bug from a folder and an id.

They are no part of the kinds: what runs campaigns takes longer to import than most explanations.
"""
