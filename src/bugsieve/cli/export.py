"""`bugsieve export`: the records of a campaign for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser


def register(subparsers: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "export",
        description="Write the pool or the walks, the policy's runs, the verdicts and the bugs of "
        "a campaign for other programs.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", type=Path, metavar="OUT", help="a folder with one file per table")
    form.add_argument("--json", type=Path, metavar="OUT", help="one file")
    form.add_argument(
        "--parquet", type=Path, metavar="OUT", help="a folder with one file per table"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files and name them."""
    from bugsieve.campaigns.export import export

    form = next(name for name in ("csv", "json", "parquet") if getattr(args, name) is not None)
    for path in export(args.folder, form, getattr(args, form)):
        show(f"wrote {path}")
    return 0
