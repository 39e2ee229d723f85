"""What `measure` can measure beside tasks: a family, to which rooms add theirs.

Members are light, since the parser of the command asks them for their options.
"""

from __future__ import annotations

import argparse
import os
from typing import Any, Protocol

from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable


class Sampler(Protocol):
    """Draws tests of policies on subjects of one type."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only such subjects have."""
        ...

    def is_named(self, args: argparse.Namespace) -> bool:
        """Return true if the arguments name such a subject; else its options are an error."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Measure the subject that the arguments name; the exit code."""
        ...

    def takes(self, subject: object) -> bool:
        """Return true if a Python call may measure a policy on the subject."""
        ...

    def find(
        self,
        subject: Any,
        policy: object,
        folder: str | os.PathLike[str] | None,
        settings: dict[str, Any],
    ) -> Any:
        """The bugs in tests with these settings of all campaigns of policies."""
        ...


SAMPLERS: MemberTable[Sampler] = MemberTable(families.SAMPLERS)
