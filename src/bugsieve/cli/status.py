"""`bugsieve status`: how far a campaign is, and its bugs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.cli.campaign_arguments import is_safety
from bugsieve.cli.campaign_report import bug_lines, count_lines, summary_json
from bugsieve.cli.numbers import whole_number
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser


def register(subparsers: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "status",
        description="Show how far a campaign is and which bugs it has found, the worst first. "
        "This works while the campaign runs.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    parser.add_argument(
        "--bugs",
        type=whole_number(0, 10**9),
        default=20,
        metavar="N",
        help="bugs to list (20)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the records and print them."""
    return _show_safety(args) if is_safety(args.folder) else _show_cost(args)


def _show_safety(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.safety.summary import summarise_safety
    from bugsieve.cli.safety_report import FoundBugs, safety_count_lines, safety_json
    from bugsieve.results.safety.records import SafetyRecords

    with SafetyRecords(args.folder) as records:
        header, summary = records.header, summarise_safety(records)
    found = FoundBugs.read(args.folder)
    if args.json:
        show(safety_json(header, summary, found))
        return 0
    lines = [f"model {header.name}, policy {header.policy}", *safety_count_lines(summary)]
    lines += _unfinished(args.folder, summary.reason)
    if found.rows[: args.bugs]:
        lines += ["", *found.lines(args.bugs), *_more(len(found.rows), args)]
    show("\n".join(lines))
    return 0


def _show_cost(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.summary import summarise
    from bugsieve.results.records import Records
    from bugsieve.results.rows import worst_first

    with Records(args.folder) as records:
        header, summary = records.header, summarise(records)
        bugs = worst_first(records.bugs())
    if args.json:
        show(summary_json(header, summary, bugs))
        return 0
    lines = [f"task {header.task.name}, policy {header.policy}, objective {header.objective}"]
    lines += count_lines(summary)
    lines += [f"without {oracle}: {why}" for oracle, why in summary.skipped.items()]
    lines += _unfinished(args.folder, summary.reason)
    if bugs[: args.bugs]:
        lines += ["", *bug_lines(bugs[: args.bugs]), *_more(len(bugs), args)]
    show("\n".join(lines))
    return 0


def _unfinished(folder: Path, reason: str | None) -> list[str]:
    if reason is not None:
        return []
    return [f"not finished; 'bugsieve resume {folder}' goes on unless it runs now"]


def _more(bugs: int, args: argparse.Namespace) -> list[str]:
    rest = bugs - args.bugs
    return [f"… and {rest} more: --bugs {bugs} lists all"] if rest > 0 else []
