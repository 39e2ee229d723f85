"""`bugsieve list`: the names that other commands take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry.families import FAMILIES, LISTS
from bugsieve.base.registry.family import Listing
from bugsieve.base.registry.members import MemberTable, load
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, "List the names that other commands take, with a line on each.")
    *kinds, last = LISTS
    which = f"which names: {', '.join(kinds)} or {last} (without it: what these are)"
    parser.add_argument("kind", metavar="KIND", nargs="?", help=which)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the names of one kind, or the kinds."""
    if args.kind not in (None, *LISTS):
        raise UsageError(no_such("list of", args.kind, LISTS))
    overview = {name: listing.heading for name, listing in LISTS.items()}
    names = overview if args.kind is None else _names(LISTS[args.kind])
    if args.json:
        show(json.dumps(dict(names), indent=2))
        return 0
    width = max(map(len, names))
    show("\n".join(f"{name:{width}}  {summary}".rstrip() for name, summary in names.items()))
    if args.kind is None:
        show("\nsee the names of one kind: bugsieve list KIND")
    return 0


def _names(listing: Listing) -> Mapping[str, str]:
    """How specs are written and what they mean, in the order of the registry."""
    if listing.place:
        names: Mapping[str, str] = load(listing.place)()
        return names
    tables = [MemberTable[object](FAMILIES[name]) for name in listing.families]
    infos = [info for table in tables for info in table.infos()]
    if len(tables) > 1:
        infos.sort(key=lambda info: info.name)
    return {info.usage: info.text for info in infos}
