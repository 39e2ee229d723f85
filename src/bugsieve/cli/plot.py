"""`bugsieve plot`: pictures of campaigns."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.basis.errors import UsageError
from bugsieve.cli.campaign_arguments import add_folders_arguments
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from bugsieve.cli.parser import Parser
    from bugsieve.reports.collection import Card

DESCRIPTION = (
    "Draw the bugs that campaigns have found over their running time, or the recall of their "
    "oracles. Needs matplotlib: pip install 'bugsieve[plot]'."
)

EPILOG = """\
With many campaigns, those that differ only in seed, instance or domain share a curve: the mean
number of bugs. --by says what tells curves apart instead, as in --by policy,bias.
"""


def register(subparsers: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "plot",
        help="draw bugs over time, or the recall of oracles",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add_folders_arguments(parser)
    add(
        "-o",
        "--output",
        action="append",
        required=True,
        type=Path,
        metavar="FILE",
        help="the picture: .svg, .png or .pdf; may be repeated",
    )
    add("--kind", choices=("bugs", "recall"), default="bugs", help="what to draw (bugs)")
    add("--log", action="store_true", help="a logarithmic time axis")
    add(
        "--by",
        metavar="KEYS",
        help="what tells curves apart: some of domain, instance, policy, bias, novelty, seed",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw the picture and name the files."""
    from bugsieve.reports.collection import collect
    from bugsieve.reports.pictures import check_picture_file, picture_style, save_picture

    if args.kind == "recall" and (args.log or args.by):
        raise UsageError("--log and --by are for pictures of bugs, not of recall")
    for path in args.output:
        check_picture_file(path)
    with picture_style():
        draw = _drawing(collect(args.folders), args)
        for path in args.output:
            save_picture(draw(), path)  # drawn anew: saving adapts a figure to the format
            show(f"wrote {path}")
    return 0


def _drawing(cards: list[Card], args: argparse.Namespace) -> Callable[[], Figure]:
    """Reads the campaigns; returns what draws them."""
    if args.kind == "recall":
        from bugsieve.reports.icaps22 import TableOptions, icaps22_table
        from bugsieve.reports.recall_bars import draw_recall

        table = icaps22_table(cards, TableOptions(all_instances=args.all_instances))
        return lambda: draw_recall(table)
    from bugsieve.reports.bugs_over_time import draw_bugs_over_time
    from bugsieve.reports.curves import curves

    found = curves(cards, [key.strip() for key in args.by.split(",")] if args.by else [])
    return lambda: draw_bugs_over_time(found, logarithmic=args.log)
