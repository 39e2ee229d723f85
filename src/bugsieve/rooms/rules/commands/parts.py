"""What languages of subjects add to `bugsieve rules`: options, and what these have written."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.rules.campaign.options import RulesOptions


class CommandPart(Protocol):
    """The part of one language; a module has these functions."""

    def register(self, parser: Parser) -> None:
        """Add the options that only this language has."""

    def is_model(self, files: Sequence[str]) -> bool:
        """Return true if files of this language are among them: one of those is enough."""

    def check_arguments(self, args: argparse.Namespace) -> None:
        """End with a usage message for what goes with other files alone, or with none."""

    def write_instead(self, args: argparse.Namespace, options: RulesOptions) -> int | None:
        """Write what is asked for instead of a test, and return the exit code; None if nothing."""

    def write_beside(self, args: argparse.Namespace, folder: Path) -> None:
        """Write what is asked for beside the campaign in this folder."""


PARTS: MemberTable[CommandPart] = MemberTable(FAMILIES["rule-commands"])
