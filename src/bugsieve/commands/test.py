"""`bugsieve test`: fuzz a policy, prove its bugs, keep the results in a folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from bugsieve.campaigns.options import JUDGING, CostOptions
from bugsieve.campaigns.stop_rules import STOPPING
from bugsieve.commands.shared import build_servers, campaign_arguments, task_arguments
from bugsieve.commands.shared.option_fields import add_options
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show
from bugsieve.pipeline.pool.options import TEST_STATES

DESCRIPTION = (
    "Find states where a policy does worse than it could, prove each find, and keep everything in "
    "a folder. Walks from the initial state make test states; oracles judge them; every bug has a "
    "certificate, which a checker of its own has accepted."
)

EPILOG = f"""\
{task_arguments.POLICIES}

Test states are no sample: how many of them are bugs depends on the size of the pool and on where
walks go. 'bugsieve measure' draws a sample: how many tests have a bug, and how much is left.

The exit code is 1 if bugs were found, 6 if there are none but runs that failed and that nobody
could decide, 5 if no run of the policy said anything, 0 otherwise. Runs that reach the step limit,
hang, run out of memory or belong to a policy that never starts say nothing.
States that must be bugs, but of which no better run is known yet, count as bugs here.
Ctrl-C prints what was found so far, with exit code 2, and loses nothing: 'bugsieve resume DIR'
goes on.

When all is judged, the smallest example of each cause that is listed is made as 'minimise' makes
it, with few problems tried (--examples), unless the time is up; 'resume' makes what is missing.

Several problems: name the domain and then problems, folders of problems or quoted patterns as in
'p*.pddl', or a folder that holds domain.pddl and problems, or folders like that, or .sas files.
Each problem has a campaign of its own in DIR/NAME, in the order of their names; one summary is
about all of them. --max-time and --max-bugs are then about all problems together: of the time
that is left, each problem that is left gets an equal share. The other limits are for each problem.
A problem that cannot be loaded or tested is named, and the others are tested. The exit code is
then 1 if any problem has bugs, else 4 if one could not be tested, 5 if no run on any problem said
anything, 6 if something was left open on one, 0 otherwise. 'status' and 'resume' take DIR.

Without FILE, '--from DIR' makes a new campaign of the task, the policy and the options of the
campaign in DIR; options that are given count instead.
"""

_FIGURES_MATTER = {0: "\n", 1: "", 6: "\n"}
"""The exit codes of policies that were tested, and what parts the last line from the others."""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    task_arguments.add_task_arguments(parser, required=False, several=True)
    campaign_arguments.add_output_arguments(parser, usual="bugsieve-TASK")
    build_servers.add_build_server_arguments(parser)
    campaign_arguments.add_workers_argument(parser, default=1)
    task_arguments.add_policy_arguments(parser, required=False)
    Options(parser, "policies that others have made").trust()
    for group in (JUDGING, TEST_STATES, STOPPING, "examples"):
        add_options(parser, CostOptions, group)


def run(args: argparse.Namespace) -> int:
    """Make the campaign, run it and print what it found."""
    from bugsieve.commands.shared.campaign_report import run_new
    from bugsieve.commands.shared.problems import given_problems, test_problems
    from bugsieve.commands.shared.repeating import COST, repeated

    build_servers.check_build_server_arguments(args)
    if not args.task and args.from_states is not None:
        again = repeated(args, COST, args.from_states)
        return run_new(again.args, again.options, lambda _: again.header.subject.load())
    task_arguments.require_task(args)
    if args.policy is None:
        args.parser.error("the following arguments are required: --policy")
    measuring = _measuring(args)
    problems = given_problems(args)
    if len(problems) > 1:
        code = test_problems(args, campaign_arguments.options_of(args, task=()), problems)
    else:
        if problems:
            args.task = [Path(file) for file in problems[0].files]
        code = run_new(args, campaign_arguments.options_of(args), task_arguments.load)
    if code in _FIGURES_MATTER and not args.json:
        show(f"{_FIGURES_MATTER[code]}still left:  {measuring}")
    return code


def _measuring(args: argparse.Namespace) -> str:
    """The command that says how much there is to find: a pool is no sample."""
    judging = campaign_arguments.judging_words(
        args.policy, args.objective, unit_cost=args.unit_cost
    )
    return shlex.join(["bugsieve", "measure", *map(str, args.task), *judging])
