"""`bugsieve replay`: ask the policy again whether a bug is still there."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.commands.shared.bug_arguments import add_bug_arguments, offered
from bugsieve.commands.shared.build_servers import (
    add_build_server_arguments,
    check_build_server_arguments,
    tell,
)
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Check a bug's certificate and run the policy from its state anew: STILL FAILS, "
        "IMPROVED (the run failed and reaches the goal now, but there is a better one still), "
        "FIXED, FLAKY (two runs differ) or CANNOT REPLAY. The exit code is 1 if a bug is still "
        "there, improved or not, or the policy is flaky, 0 if all are fixed, 5 if that cannot be "
        "said. Of a campaign that was proven to have no bugs, the proof is checked and the policy "
        "asked again in every state: PROOF HOLDS, or PROOF LOST with exit code 1. Tests of rules "
        "are made again, all or those of the rule of a bug, on another domain if one is named: 1 "
        "if a rule is not as it should be or a trace is lost, 6 if a "
        "proof is, or something is undecided. Nothing that the folder says is believed, so this "
        "is the way to check a stranger's.",
    )
    add_bug_arguments(parser, many=True)
    parser.add_argument("--policy", metavar="SPEC", help="another policy than the campaign's")
    options = Options(parser)
    options.add("--domain", type=Path, metavar="FILE", help="for rules: the domain as it is now")
    options.trust()
    options.json("print one JSON object per line")
    add_build_server_arguments(parser)
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Replay the bugs and say how each went."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.campaigns.replays import ReplayWish

    check_build_server_arguments(args)
    kind = kind_in(args.folder)
    begin = offered(kind.replay, args.folder, kind.name)
    replay = begin(ReplayWish(args.folder, tuple(args.bug), args.policy, args.domain))
    checks = []
    for one in replay.replayed():
        checks.append(one.check)
        show(json.dumps(one.report) if args.json else one.line)
    for line in [] if args.json else replay.count_lines():
        show(line)
    tell(args, f"replay of {args.folder}", checks)
    return replay.exit_code
