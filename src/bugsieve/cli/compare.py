"""`bugsieve compare`: what two campaigns on the same task have found."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.wording import counted
from bugsieve.cli.options import Options
from bugsieve.cli.status_line import StatusLine
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser
    from bugsieve.judging.findings import CostBugRow
    from bugsieve.results.cost.compare import Comparison, Crossed, Recall

_SHOWN = 10

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
    from bugsieve.results.cost.compare import compare

    if not args.cross:
        found = compare(args.first, args.second)
    else:
        from bugsieve.campaigns.cost.crossing import cross_judge

        with StatusLine("judging states of the other campaign"):
            found = compare(args.first, args.second, cross=cross_judge)
    show(_as_json(found) if args.json else _as_text(found, args.first, args.second))
    return 0


def _as_text(found: Comparison, first: Path, second: Path) -> str:
    rows = [("test states", found.pool), ("judged", found.judged)]
    rows += [("bugs where both judged", found.bugs)]
    rows += [(f"  {kind}", shares) for kind, shares in found.kinds.items()]
    width = max(len(name) for name, _ in rows)
    columns = ("both", f"only {first}", f"only {second}")
    lines = [f"{'':{width}}  " + "  ".join(columns)]
    for name, shares in rows:
        counts = zip(astuple(shares), columns, strict=True)
        cells = (f"{count:>{len(column)}}" for count, column in counts)
        lines.append(f"{name:{width}}  " + "  ".join(cells))
    lines += _elsewhere(found, first, second)
    if not found.same_policy:
        lines.append("the campaigns test different policies")
    if not found.same_objective:
        lines.append("the campaigns have different objectives")
    lines += _cause_lines(found, first, second)
    lines.append("")
    for folder, recall in zip((first, second), found.recall, strict=True):
        lines += [f"{folder}: {oracle} finds {_rate(r)}" for oracle, r in recall.items()]
    made = found.crossed or (None, None)
    for folder, bugs, more in zip(
        (first, second), (found.only_first, found.only_second), made, strict=True
    ):
        if bugs:
            lines.append(f"only {folder}: {_ids(bugs, more)}")
    return "\n".join(lines)


def _cause_lines(found: Comparison, first: Path, second: Path) -> list[str]:
    """The causes of most bugs, with one bug to look at."""
    lines = ["", "causes"] if found.causes else []
    for cause in found.causes[:_SHOWN]:
        folder, bug = next(
            (folder, bug)
            for folder, bug in zip((first, second), cause.examples, strict=True)
            if bug is not None
        )
        lines.append(f"  {cause.first} and {cause.second} × {cause.words}")
        lines.append(f"    look closer: bugsieve explain {folder} {bug}")
    more = len(found.causes) - _SHOWN
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def _ids(bugs: Sequence[CostBugRow], more: Crossed | None) -> str:
    """Names of bugs that are stored, and how many others there are."""
    new = set() if more is None else {row.id for row in more.bugs.values()}
    stored = [row.id for row in bugs if row.id not in new]
    parts = [", ".join(stored[:_SHOWN])] if stored else []
    if len(stored) > _SHOWN:
        parts.append(f"{len(stored) - _SHOWN} more")
    if len(stored) < len(bugs):
        parts.append(f"{len(bugs) - len(stored)} found for this comparison and not stored")
    return " and ".join(parts)


def _elsewhere(found: Comparison, first: Path, second: Path) -> list[str]:
    """What is not in the table: bugs where only one has judged, and what --cross has added."""
    folders = (first, second)
    if found.crossed is not None:
        return [
            f"{folder}: judged {counted(more.states, 'state')} of the other for this comparison, "
            f"{counted(len(more.bugs), 'bug')}, {len(more.undecided)} undecided"
            for folder, more in zip(folders, found.crossed, strict=True)
        ]
    pairs = zip(folders, reversed(folders), found.untested, strict=True)
    return [
        f"not counted: {counted(len(rows), 'bug')} of {folder} in states that {other} has not "
        "judged (--cross judges them)"
        for folder, other, rows in pairs
        if rows
    ]


def _rate(recall: Recall) -> str:
    share = "" if recall.rate is None else f" ({100 * recall.rate:.1f} %)"
    return f"{recall.found} of {recall.known} bugs{share}"


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
