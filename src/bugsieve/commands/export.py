"""`bugsieve export`: the records of a campaign for other programs, and its bugs as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from bugsieve.commands.shared.exports import EXPORTS
from bugsieve.commands.shared.parser import Parser

EPILOG = """\
--regression is for cost and safety testing: each ID.bug.json holds a bug with its proof, and is
one test for pytest with Bugsieve's plug-in. It passes when the bug is FIXED. A bug that is known
and may stay has "expect": "open" in its file.

--examples is for cost testing: from the culprit of each bug on, the states that a better plan
passes, each once, with what to do there. A line has bug (the id), step (of the plan, 0 at the
culprit), facts (all that are true), goal, action (the better one) and instead_of (what the policy
did at the culprit, else null).
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Write the pool or the walks, the policy's runs, the verdicts and the bugs of "
        "a campaign for other programs, or a file for each bug, with its proof, or examples to "
        "learn from.",
        epilog=EPILOG,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    forms = parser.add_mutually_exclusive_group(required=True)
    for member in EXPORTS.values():
        member.add_options(parser, forms)
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Write the files and name them."""
    (asked,) = [member for member in EXPORTS.values() if member.is_asked(args)]
    return asked.write(args)
