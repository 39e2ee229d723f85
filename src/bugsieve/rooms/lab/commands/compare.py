"""`bugsieve compare`: what two campaigns on the same task have found."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.lab.comparing import Comparison, Crossed

EPILOG = """\
With --cross the policy and the oracles of each campaign judge, with its limits, the states that
only the other campaign has judged; nothing is stored. The policies are those of the folders: what
starts programs must have been typed before, or agreed to (--trust-policy), and a policy whose file
has changed since is refused.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Compare two campaigns on the same task: which test states and bugs they "
        "share, and what each oracle finds of the bugs that are known. Bugs are compared in the "
        "states that both have judged; how many are elsewhere is told.",
        epilog=EPILOG,
    )
    parser.add_argument("first", type=Path, metavar="DIR1", help="a campaign folder")
    parser.add_argument("second", type=Path, metavar="DIR2", help="another one")
    options = Options(parser)
    options.add(
        "--cross",
        action="store_true",
        help="let each campaign's policy and oracles judge the states that only the other one "
        "has judged",
    )
    options.trust()
    options.json()


def run(args: argparse.Namespace) -> int:
    """Compare and print."""
    from bugsieve.rooms.lab.comparing import compare

    if not args.cross:
        found = compare(args.first, args.second)
    else:
        from bugsieve.rooms.lab.judge_other_pool import cross_judge

        with StatusLine("judging states of the other campaign"):
            found = compare(args.first, args.second, cross=cross_judge)
    show(_as_json(found) if args.json else str(found))
    return 0


def _as_json(found: Comparison) -> str:
    report: dict[str, Any] = {
        "same_policy": found.same_policy,
        "same_objective": found.same_objective,
        "pool": asdict(found.pool),
        "judged": asdict(found.judged),
        "bugs": asdict(found.bugs),
        "kinds": {kind: asdict(shares) for kind, shares in found.kinds.items()},
        "causes": [asdict(cause) for cause in found.causes],
        "only_first": [row.id for row in found.only_first],
        "only_second": [row.id for row in found.only_second],
        "untested_first": [row.id for row in found.untested[0]],
        "untested_second": [row.id for row in found.untested[1]],
        "crossed": None if found.crossed is None else [_crossed_json(c) for c in found.crossed],
        "both": [[one.id, two.id] for one, two in found.both],
        "recall": [{oracle: asdict(r) for oracle, r in part.items()} for part in found.recall],
    }
    return json.dumps(report, indent=2)


def _crossed_json(crossed: Crossed) -> dict[str, Any]:
    return {
        "states": crossed.states,
        "bugs": [row.id for row in crossed.bugs.values()],
        "undecided": len(crossed.undecided),
    }
