"""Options of commands whose results build servers read: `--junit` and `--github`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import InputError
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show_command

if TYPE_CHECKING:
    from bugsieve.campaigns.several.several import JointSummary
    from bugsieve.rooms.regression.build_servers import Check


def add_build_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Where results go beside the terminal."""
    options = Options(parser, "build servers")
    junit = "write the results as JUnit XML, too; what is undecided is an error there"
    options.add("--junit", type=Path, metavar="FILE", help=junit)
    github = "print annotations for GitHub workflows, too; what is undecided is a warning"
    options.add("--github", action="store_true", help=github)


def check_build_server_arguments(args: argparse.Namespace) -> None:
    """Annotations and JSON are both printed: whoever reads one trips over the other."""
    if args.github and args.json:
        args.parser.error("--github and --json both print: give one of them, or --junit")


def tell_of(args: argparse.Namespace, folder: Path, joint: JointSummary | None = None) -> None:
    """Tell build servers of the campaign in a folder, or of several, if the arguments ask so."""
    if not wants_checks(args):
        return
    from bugsieve.rooms.regression.checks import campaign_checks, joint_checks

    checks = campaign_checks(folder) if joint is None else joint_checks(folder, joint)
    tell(args, str(folder), checks, kept=folder)


def wants_checks(args: argparse.Namespace) -> bool:
    """Whether any of the options was given; some commands that run campaigns have none."""
    return getattr(args, "junit", None) is not None or getattr(args, "github", False)


def tell(
    args: argparse.Namespace, name: str, checks: Sequence[Check], *, kept: Path | None = None
) -> None:
    """Print annotations and write the file; an error says where results are `kept`."""
    from bugsieve.base.files_and_processes.files import write_text
    from bugsieve.rooms.regression.build_servers import github_lines, junit_text

    if args.github:
        for line in github_lines(checks):
            show_command(line)
    if args.junit is None:
        return
    try:
        write_text(args.junit, junit_text(name, checks))
    except OSError as error:
        place = "" if kept is None else f"; the results are kept in {kept}"
        reason = error.strerror or str(error)
        raise InputError(f"{args.junit}: {reason}{place}") from None
