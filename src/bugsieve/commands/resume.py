"""`bugsieve resume`: go on with a campaign that was stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.unlinked_folders import INDEX_FILE
from bugsieve.campaigns.stop_rules import LOOKS, STOPPING, StopRules
from bugsieve.commands.shared import campaign_arguments
from bugsieve.commands.shared.option_fields import add_options, options_from
from bugsieve.commands.shared.options import Options

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Go on with a campaign where it stopped. The result is the same as if it had "
        "never been interrupted. Stop rules that are given replace those it had. "
        "A folder of several problems goes on with all of them: those that are not finished, or "
        "with new stop rules all; there --max-time and --max-bugs are about all together.",
    )
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="the folder of the campaign, or of several problems",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    Options(parser).trust()
    campaign_arguments.add_workers_argument(parser, default=None)
    for group in (STOPPING, LOOKS):
        add_options(parser, StopRules, group)


def run(args: argparse.Namespace) -> int:
    """Open the campaign and run it."""
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.python_calls.problems import is_problem_set
    from bugsieve.commands.shared.campaign_report import run_and_report
    from bugsieve.commands.shared.problems import resume_problems

    if is_problem_set(args.folder):
        return resume_problems(args, _stop(args))
    if (args.folder / INDEX_FILE).is_file():
        raise UsageError(
            f"{args.folder}: is an experiment: "
            f"{quoted_command('experiment', 'FILE', '-o', args.folder)} goes on"
        )
    with Campaign.open(args.folder, workers=args.workers, stop=_stop(args)) as campaign:
        return run_and_report(campaign, args)


def _stop(args: argparse.Namespace) -> StopRules | None:
    """New stop rules, if any was given."""
    rules = options_from(args, StopRules)
    return None if rules == StopRules() else rules
