"""`bugsieve shield`: the policy of a safety campaign without its proven faults."""

from __future__ import annotations

import argparse
from pathlib import Path

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Write the policy of a safety campaign with its proven faults replaced: in "
        "the states of their proofs it does what the proofs do, which never leads to danger. "
        "The result is a policy again ('table:FILE'), which can be tested again.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    options = Options(parser)
    options.output("FILE", "where to write it (shield.json in the folder)")
    options.trust()


def run(args: argparse.Namespace) -> int:
    """Write the shield and say how to test it."""
    from bugsieve.rooms.safety.campaign.policy import MODEL_FILE
    from bugsieve.rooms.safety.campaign.shield import make_shield

    shield = make_shield(args.folder, args.output or args.folder / "shield.json")
    policy = ("--policy", shield.policy)
    show(
        f"wrote {shield.path}: {counted(shield.bugs, 'bug')} repaired by other actions in "
        f"{counted(shield.states, 'state')}\n"
        f"ask again:  {command_line('replay', args.folder, *policy)}\n"
        f"test again: {command_line('safety', args.folder / MODEL_FILE, *policy)}"
    )
    return 0
