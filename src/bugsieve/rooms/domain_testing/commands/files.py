"""What the actions of `bugsieve domain` share: how files are read, and the options of suites."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.options import Options

if TYPE_CHECKING:
    from bugsieve.rooms.domain_testing.suite_runs import RunOptions
    from bugsieve.rooms.domain_testing.suites import Suite
    from bugsieve.rooms.domain_testing.worlds import Files

DEFAULT_EXPANSIONS = 1_000_000


def files_of(args: argparse.Namespace) -> Files:
    """A reader of files with the limits that were given."""
    from bugsieve.rooms.domain_testing.worlds import Files
    from bugsieve.tasks.grounded.translator import TranslationLimits

    return Files(TranslationLimits(args.translation_time, args.translation_memory << 20))


def add_suite_arguments(parser: argparse.ArgumentParser) -> Options:
    """A suite, which of its cases count, and what they may spend."""
    parser.add_argument("suite", type=Path, metavar="SUITE", help="a *.ptest.json file")
    options = Options(parser)
    options.add(
        "--tags",
        type=lambda text: [tag for tag in text.split(",") if tag],
        default=[],
        metavar="TAG,…",
        help="only cases that have one of these tags",
    )
    add_expansions(options)
    task_arguments.add_translation_arguments(parser)
    return options


def add_expansions(options: Options) -> None:
    """What one search may spend."""
    options.number(
        "--expansions", DEFAULT_EXPANSIONS, "states that one search, or one rule, may expand"
    )


def suite_of(args: argparse.Namespace) -> Suite:
    """The chosen cases of the suite."""
    from bugsieve.rooms.domain_testing.suites import read_suite

    return read_suite(args.suite).tagged(args.tags)


def run_options(args: argparse.Namespace) -> RunOptions:
    """What running cases may spend."""
    from bugsieve.rooms.domain_testing.suite_runs import RunOptions

    return RunOptions(expansions=args.expansions)
