"""What `bugsieve explain --svg` draws: the policy's run, and below it a better one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import complain

if TYPE_CHECKING:
    from bugsieve.pictures.strips import SvgFile


def add_picture_options(options: Options) -> None:
    """The file to draw to, and how."""
    options.add(
        "--svg",
        type=Path,
        metavar="FILE",
        help="also draw the states around the decision to a file, the policy's run above and a "
        "better one below",
    )
    options.add(
        "--picture",
        metavar="SPEC",
        help="how states are drawn (the first that fits; see 'bugsieve list pictures'); "
        "python:FILE.py:FUNCTION runs that code",
    )


def check_picture_options(args: argparse.Namespace) -> None:
    """UsageError for what could not be drawn, before anything is searched for."""
    if args.picture is not None:
        from bugsieve.pictures.picture import PICTURES

        if args.svg is None:
            raise UsageError("--picture says how to draw: say where, too, with --svg FILE")
        PICTURES.check(args.picture)
    if args.svg is not None:
        if args.svg.suffix.lower() != ".svg":
            raise UsageError(f"--svg {args.svg}: the name of the file must end in .svg")
        if not args.svg.parent.is_dir():
            raise UsageError(f"--svg {args.svg}: there is no folder {args.svg.parent}")


def write_svg(path: Path, file: SvgFile) -> None:
    """Write the picture; say so on standard error, since what is printed may be for a program."""
    from bugsieve.campaigns.store.schema import explained

    with explained(path.parent):
        write_atomically(path, file.text.encode())
    for note in file.notes:
        complain(f"note: {note}")
    complain(f"wrote {path}")
