"""Options of commands whose results build servers read: `--github`, and a file for each writer.

A writer is a member of the family "result-writers": its name is that of the option, as in
`--junit FILE`, and its summary the help.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show_command
from bugsieve.commands.shared.workflows import github_lines

if TYPE_CHECKING:
    from bugsieve.campaigns.checks import Check
    from bugsieve.campaigns.several.several import JointSummary

ResultWriter: TypeAlias = "Callable[[Path, str, Sequence[Check]], None]"
"""Writes checks to a file; the text is what they are called together."""

RESULT_WRITERS: MemberTable[ResultWriter] = MemberTable(families.RESULT_WRITERS)


def add_build_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Where results go beside the terminal."""
    options = Options(parser, "build servers")
    for name, text in RESULT_WRITERS.family.summaries.items():
        options.add(f"--{name}", dest=name, type=Path, metavar="FILE", help=text)
    github = "print annotations for GitHub workflows, too; what is undecided is a warning"
    options.add("--github", action="store_true", help=github)


def check_build_server_arguments(args: argparse.Namespace) -> None:
    """Annotations and JSON are both printed: whoever reads one trips over the other."""
    if args.github and args.json:
        files = "".join(f", or --{name}" for name in RESULT_WRITERS.family.summaries)
        args.parser.error(f"--github and --json both print: give one of them{files}")


def tell_of(args: argparse.Namespace, folder: Path, joint: JointSummary | None = None) -> None:
    """Tell build servers of the campaign in a folder, or of several, if the arguments ask so."""
    if not wants_checks(args):
        return
    from bugsieve.campaigns.several.campaign_checks import campaign_checks, joint_checks

    checks = campaign_checks(folder) if joint is None else joint_checks(folder, joint)
    tell(args, str(folder), checks, kept=folder)


def wants_checks(args: argparse.Namespace) -> bool:
    """Return true if any of the options was given; some commands that run campaigns have none."""
    return getattr(args, "github", False) or bool(_named_files(args))


def _named_files(args: argparse.Namespace) -> dict[str, Path]:
    """The files that the arguments name, by their writers."""
    files = {name: getattr(args, name, None) for name in RESULT_WRITERS.family.summaries}
    return {name: path for name, path in files.items() if path is not None}


def tell(
    args: argparse.Namespace, name: str, checks: Sequence[Check], *, kept: Path | None = None
) -> None:
    """Print annotations and write the files; an error says where results are `kept`."""
    if args.github:
        for line in github_lines(checks):
            show_command(line)
    for writer, path in _named_files(args).items():
        try:
            RESULT_WRITERS[writer](path, name, checks)
        except OSError as error:
            place = "" if kept is None else f"; the results are kept in {kept}"
            reason = error.strerror or str(error)
            raise InputError(f"{path}: {reason}{place}") from None
