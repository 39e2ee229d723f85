"""`bugsieve measure`: how large the share of tests with a bug is, and how much is left to find."""

from __future__ import annotations

import argparse
from pathlib import Path

from bugsieve.campaigns.options import JUDGING, CostOptions
from bugsieve.campaigns.samplers import SAMPLERS
from bugsieve.campaigns.stop_rules import LOOKS, StopRules
from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.numbers import seconds
from bugsieve.commands.shared.option_fields import add_options
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.pipeline.pool.options import DEFAULT_WALK_LENGTH

DESCRIPTION = (
    "Measure a policy: the share of tests with a bug, and the risk that one more test shows a "
    "cause that was not seen before, both with limits that hold. Tests are drawn one by one, "
    "independently of each other; a pool of 'bugsieve test' is no such sample. Everything is kept "
    "in a folder, and every bug is proven as in 'bugsieve test' and 'bugsieve safety'."
)

EPILOG = f"""\
{task_arguments.POLICIES}

A test of a task is the end of a walk from the initial state: its length is drawn from 1 to L, at
each step one of the applicable actions, all equally likely; it ends early where there is none.
With several problems, named as for 'bugsieve test', each test draws one of them. A test of a model
(.jani, or PDDL with --unsafe or --rules) is one run of the policy from a drawn start.
The policy is judged by oracles that learn nothing from other tests: bmo and combinations of it are
refused. Failing runs that they leave open get one search of --escalate-to expansions.

Limits are computed after 100, 200, 400, … tests. Each of the two figures holds at all of these
looks together with a probability of 95 %, whatever the policy is; so one may read them at any
time, stop at any look, and go on with 'bugsieve resume DIR --tests N'. Undecided tests count
against the policy in both. Costly runs that no oracle could improve are in neither.

The exit code is 1 if bugs were found, 6 if there are none but tests that nobody could decide, 5 if
no run of the policy said anything, 0 otherwise. Ctrl-C loses nothing: 'bugsieve resume DIR' goes
on.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    task_arguments.add_task_arguments(parser, required=False, several=True)
    campaign_arguments.add_output_arguments(parser, usual="bugsieve-TASK")
    campaign_arguments.add_workers_argument(parser, default=1)
    task_arguments.add_policy_arguments(parser)
    Options(parser, "policies that others have made").trust()
    add_options(parser, StopRules, LOOKS)
    walks = "longest walk to a test of a task"
    Options(parser, "tests").number("--walk-length", DEFAULT_WALK_LENGTH, walks, metavar="L")
    add_options(parser, CostOptions, JUDGING)
    for sampler in SAMPLERS.values():
        sampler.add_arguments(parser)
    time = "stop after so many seconds"
    Options(parser).add("--max-time", type=seconds(), metavar="S", help=time)


def run(args: argparse.Namespace) -> int:
    """Make the campaign, run it and print what it found."""
    from bugsieve.commands.shared.campaign_report import run_new
    from bugsieve.commands.shared.problems import given_problems, test_problems

    for sampler in SAMPLERS.values():
        if sampler.is_named(args):
            return sampler.run(args)
    task_arguments.require_task(args)
    problems = given_problems(args)
    if len(problems) > 1:
        return test_problems(args, campaign_arguments.sample_options_of(args, task=()), problems)
    if problems:
        args.task = [Path(file) for file in problems[0].files]
    return run_new(args, campaign_arguments.sample_options_of(args), task_arguments.load)
