"""`bugsieve safety`: find runs of a policy into danger, and the faults among its decisions."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from bugsieve.campaigns.stop_rules import STOPPING
from bugsieve.commands.shared import build_servers, campaign_arguments
from bugsieve.commands.shared.option_fields import add_options
from bugsieve.commands.shared.parser import Parser
from bugsieve.rooms.jani import model_arguments
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.commands import safety_arguments

DESCRIPTION = (
    "Find runs of a policy that end in danger, decide whether the danger could have been avoided, "
    "and prove which decisions are faults. Everything is kept in a folder; every bug has a "
    "certificate, which a checker of its own has accepted."
)

EPILOG = """\
policies: see 'bugsieve list model-policies'.

Walks end unsafe (in danger), exhausted (at the goal, or no danger can be reached from there), loop
(back in a state, to go on like that for ever), dead end (no action is applicable), no action (the
policy gave none), illegal action (it chose one that is not applicable) or step limit (not known);
exports use the same words. Runs into danger have a fault (a decision that left
safety), could not be avoided by anybody, or are inconclusive (a limit came first).

Where no walk has met danger, all that the policy can come to from all start states is explored, if
it is little enough (--whole): then it is proven to be safe, with a certificate that 'bugsieve
export DIR --green FILE' writes.

The exit code is 1 if bugs were found, 6 if there are none but runs that nobody could decide, 5 if
the walks said nothing or there was nothing to test (danger cannot be reached), 4 if the model
itself goes wrong, 0 otherwise. Faults that are not proven in full are not kept as bugs, but count
as bugs here: the oracle is certain of them.
Ctrl-C prints what was found so far, with exit code 2, and loses nothing: 'bugsieve resume DIR'
goes on.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    model_arguments.add_model_arguments(parser, required=False, dangers=True)
    campaign_arguments.add_from_argument(parser)
    campaign_arguments.add_output_arguments(parser, usual="bugsieve-MODEL")
    build_servers.add_build_server_arguments(parser)
    model_arguments.add_model_policy_arguments(parser, required=False)
    safety_arguments.add_safety_arguments(parser)
    add_options(parser, SafetyOptions, STOPPING, without=["max-calls", "stale-rounds"])
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Make the campaign, run it and print what it found."""
    from bugsieve.commands.shared.campaign_report import run_new
    from bugsieve.commands.shared.repeating import Repeater, repeated

    build_servers.check_build_server_arguments(args)
    if args.model is None and args.from_folder is not None:
        again = repeated(args, Repeater("safety", _usual, _options_again), args.from_folder)
        model = again.header.subject.load(source=str(args.from_folder))
        return run_new(again.args, again.options, lambda _: model)
    if args.model is None:
        args.parser.error("the following arguments are required: MODEL")
    if args.from_folder is not None:
        args.parser.error("--from repeats a campaign: give no model beside it")
    if args.policy is None:
        args.parser.error("the following arguments are required: --policy")
    return run_new(args, safety_arguments.safety_options_of(args), model_arguments.model_from)


def _usual(stored: SafetyOptions) -> dict[str, Any]:
    steps = stored.fuzz.lookahead
    return {"lookahead": safety_arguments.ALL if steps is None else steps}


def _options_again(args: argparse.Namespace, stored: SafetyOptions) -> SafetyOptions:
    options = safety_arguments.safety_options_of(args)
    subject = {name: getattr(stored, name) for name in ("model", "constants", "property_name")}
    return replace(options, **subject)
