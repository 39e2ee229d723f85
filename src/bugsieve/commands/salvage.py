"""`bugsieve salvage`: take what is whole out of a damaged campaign."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted, printable
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.campaigns.salvage import Salvaged


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Put the visits of a damaged campaign that are whole, up to the first one that is not, "
        "into a new folder, which 'bugsieve resume' goes on with. Bugs are kept if the checker "
        "accepts their certificates. The policy is not asked, and the damaged folder stays as "
        "it is.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="NEW", required=True, help="the new folder"
    )


def run(args: argparse.Namespace) -> int:
    """Salvage the campaign and say what was kept."""
    from bugsieve.campaigns.salvage import salvage_campaign

    kept = salvage_campaign(args.folder, args.output)
    show(f"kept {_parts(kept)} in {args.output}")
    show(f"first damage: {printable(kept.damage or 'none')}")
    show(f"go on: {command_line('resume', args.output)}")
    return 0


def _parts(kept: Salvaged) -> str:
    """What is in the new folder; models in training have no bugs of their own."""
    visits = counted(kept.visits, kept.visit)
    return visits if kept.visit == "model" else f"{visits} and {counted(kept.bugs, 'bug')}"
