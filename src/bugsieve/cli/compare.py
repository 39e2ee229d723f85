"""`bugsieve compare`: what two campaigns on the same task have found."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser
    from bugsieve.results.cost.compare import Comparison, Recall

_SHOWN = 10


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Compare two campaigns on the same task: which test states and bugs they "
        "share, and what each oracle finds of the bugs that are known.",
    )
    parser.add_argument("first", type=Path, metavar="DIR1", help="a campaign folder")
    parser.add_argument("second", type=Path, metavar="DIR2", help="another one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Compare and print."""
    from bugsieve.results.cost.compare import compare

    found = compare(args.first, args.second)
    show(_as_json(found) if args.json else _as_text(found, args.first, args.second))
    return 0


def _as_text(found: Comparison, first: Path, second: Path) -> str:
    rows = [("test states", found.pool), ("bugs", found.bugs)]
    rows += [(f"  {kind}", shares) for kind, shares in found.kinds.items()]
    width = max(len(name) for name, _ in rows)
    columns = ("both", f"only {first}", f"only {second}")
    lines = [f"{'':{width}}  " + "  ".join(columns)]
    for name, shares in rows:
        counts = zip(astuple(shares), columns, strict=True)
        cells = (f"{count:>{len(column)}}" for count, column in counts)
        lines.append(f"{name:{width}}  " + "  ".join(cells))
    if not found.same_policy:
        lines.append("the campaigns test different policies")
    if not found.same_objective:
        lines.append("the campaigns have different objectives")
    lines += _cause_lines(found, first, second)
    lines.append("")
    for folder, recall in zip((first, second), found.recall, strict=True):
        lines += [f"{folder}: {oracle} finds {_rate(r)}" for oracle, r in recall.items()]
    for folder, bugs in ((first, found.only_first), (second, found.only_second)):
        if bugs:
            ids = ", ".join(row.id for row in bugs[:_SHOWN])
            rest = f" and {len(bugs) - _SHOWN} more" if len(bugs) > _SHOWN else ""
            lines.append(f"only {folder}: {ids}{rest}")
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


def _rate(recall: Recall) -> str:
    share = "" if recall.rate is None else f" ({100 * recall.rate:.1f} %)"
    return f"{recall.found} of {recall.known} bugs{share}"


def _as_json(found: Comparison) -> str:
    report: dict[str, Any] = {
        "same_policy": found.same_policy,
        "same_objective": found.same_objective,
        "pool": asdict(found.pool),
        "bugs": asdict(found.bugs),
        "kinds": {kind: asdict(shares) for kind, shares in found.kinds.items()},
        "causes": [asdict(cause) for cause in found.causes],
        "only_first": [row.id for row in found.only_first],
        "only_second": [row.id for row in found.only_second],
        "both": [[one.id, two.id] for one, two in found.both],
        "recall": [{oracle: asdict(r) for oracle, r in part.items()} for part in found.recall],
    }
    return json.dumps(report, indent=2)
