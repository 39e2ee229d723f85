"""`bugsieve export`: the records of a campaign for other programs, and its bugs as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from bugsieve.basis.wording import counted
from bugsieve.cli.parser import Parser
from bugsieve.cli.streams import show


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Write the pool or the walks, the policy's runs, the verdicts and the bugs of "
        "a campaign for other programs, or a file for each bug, with its proof.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", type=Path, metavar="OUT", help="a folder with one file per table")
    form.add_argument("--json", type=Path, metavar="OUT", help="one file")
    form.add_argument(
        "--parquet", type=Path, metavar="OUT", help="a folder with one file per table"
    )
    form.add_argument("--bugs", type=Path, metavar="OUT", help="a folder with one file per bug")


def run(args: argparse.Namespace) -> int:
    """Write the files and name them."""
    from bugsieve.campaigns.export import export, export_bugs

    if args.bugs is not None:
        show(f"wrote {counted(len(export_bugs(args.folder, args.bugs)), 'bug')} to {args.bugs}")
        return 0
    form = next(name for name in ("csv", "json", "parquet") if getattr(args, name) is not None)
    for path in export(args.folder, form, getattr(args, form)):
        show(f"wrote {path}")
    return 0
