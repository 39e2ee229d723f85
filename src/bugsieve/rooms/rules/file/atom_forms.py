"""The languages in which rules files say what an atom means, each known by how its text begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable
from bugsieve.rooms.rules.file.source import PlacedText
from bugsieve.tasks.pddl.reader import Document


class OtherCondition(Protocol):
    """The condition of an atom in another language than PDDL."""

    @property
    def about(self) -> str:
        """The subject of such atoms, as in "the atom is about timelines"."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables in it, each a parameter of the atom: in lower case, with their `?`."""


@dataclass(frozen=True)
class AtomForm:
    """One of the languages."""

    begins: Callable[[str], bool]
    """True if a text without leading white space is in this language; the first form counts."""
    read: Callable[[PlacedText], Document | OtherCondition]
    """Read the condition; an InputError names the character that is wrong."""


ATOM_FORMS: MemberTable[AtomForm] = MemberTable(FAMILIES["rule-atoms"])
