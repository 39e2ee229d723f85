"""`bugsieve report`: what campaigns have found, as one page to look at and to send."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.files_and_processes.interruptions import interruption_seen
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser

EPILOG = """\
The page is one HTML file that needs no network. It shows the verdict, the causes of the bugs, for
each of the first 50 causes a bug as pictures of both runs, step by step, with the decision to
blame, then all bugs, the counts over time, options and provenance. It asks no policy. The decision
to blame is the one that 'bugsieve explain' has kept, else the one that it would find; steps have
the same numbers in both: step 1 is the first action of the run. No path or name of this machine
gets into the page; commands in it name the folders as you typed them, absolute ones by their way
from here or else by their last name.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Write what campaigns have found as one HTML page: the verdict, the causes with pictures "
        "of a bug of each, all bugs, and the figures. For campaigns of every kind, "
        "problem sets and experiments.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folders of campaigns, of several campaigns, or of experiments",
    )
    options = Options(parser)
    options.output("FILE", "the page (report.html)", default=Path("report.html"))
    options.add("--full", action="store_true", help="leave nothing out of pages beyond 10 MB")
    options.add(
        "--follow",
        action="store_true",
        help="write the page again every 10 s until the campaigns have ended",
    )
    options.add("--with-output", action="store_true", help="show what policies have printed, too")
    options.add(
        "--picture",
        metavar="SPEC",
        help="how states are drawn (what fits): 'bugsieve list pictures' names all, "
        "python:FILE:FUNCTION is your own",
    )


def run(args: argparse.Namespace) -> int:
    """Write the page and name it."""
    from bugsieve.reports.writing import ReportOptions, follow, write_report

    options = ReportOptions(
        tuple(args.folders), args.output, args.full, args.with_output, args.picture
    )
    if not args.follow:
        write_report(options)
        show(f"wrote {options.output}")
        return 0
    try:
        follow(options, tell=lambda: show(f"wrote {options.output}, and goes on until the end"))
    except KeyboardInterrupt:  # the usual end where a campaign has stopped without an end
        interruption_seen()
        write_report(options)  # a page that nobody writes any more does not wait for the next one
    show(f"wrote {options.output}")
    return 0
