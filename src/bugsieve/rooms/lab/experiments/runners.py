"""Runners of jobs beside the processes of this machine: rooms bring them, with their options."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable

if TYPE_CHECKING:
    from bugsieve.commands.shared.options import Options
    from bugsieve.rooms.lab.experiments.grid import Grid
    from bugsieve.rooms.lab.experiments.jobs import AnyCrew


class JobRunner(Protocol):
    """Runs the jobs of an experiment elsewhere, if its options are given."""

    def add_options(self, options: Options) -> None:
        """Add the options that choose it."""
        ...

    def taken_file(self, args: argparse.Namespace) -> str | None:
        """Say which option has taken the experiment file for its value; None if none has."""
        ...

    def crew(self, args: argparse.Namespace, grid: Grid) -> AbstractContextManager[AnyCrew] | None:
        """Return its crew; None if it is not chosen, UsageError if its options do not fit."""
        ...


RUNNERS: MemberTable[JobRunner] = MemberTable(FAMILIES["job-runners"])
