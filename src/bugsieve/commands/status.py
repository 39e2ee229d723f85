"""`bugsieve status`: how far a campaign is, and its bugs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.commands import quoted_command
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from bugsieve.campaigns.kind import Kind


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Show how far a campaign is and what is wrong with the policy: the causes of the bugs "
        "it has found, those of most bugs first, and the worst bugs. "
        "This works while the campaign runs. For a folder of campaigns or of an "
        "experiment, one summary of them all, with those that failed or have not begun.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    options = Options(parser)
    options.number("--causes", 20, "causes of bugs to list", least=0, most=10**9)
    options.number("--bugs", 0, "bugs to list", least=0, most=10**9)
    options.json()


def run(args: argparse.Namespace) -> int:
    """Read the records and print them."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.campaigns.several.several import is_joint
    from bugsieve.campaigns.status import status_lines
    from bugsieve.campaigns.store.schema import STORE_FILE
    from bugsieve.commands.shared.campaign_report import summary_json

    if not (args.folder / STORE_FILE).exists() and is_joint(args.folder):
        return _show_several(args)
    kind = kind_in(args.folder)
    with kind.records(args.folder) as records:
        header, summary = records.header, kind.summarise(records)
        if args.json:
            show(summary_json(kind, summary, records))
            return 0
        listed = _found_lines(kind, records, args)
    lines = status_lines(kind, header, summary)
    lines += _unfinished(args.folder, summary.reason)
    show("\n".join([*lines, *listed]))
    return 0


def _found_lines(kind: Kind[Any], records: Any, args: argparse.Namespace) -> list[str]:
    """Causes, then bugs; the bugs alone where they have no causes."""
    from bugsieve.campaigns.causes import cause_lines, listed_examples, unknown_rules
    from bugsieve.campaigns.several.found_lines import next_lines, report_line

    found, causes, lines = kind.wording.found(records), records.causes(), []
    most = args.bugs if causes else max(args.bugs, args.causes)
    if causes[: args.causes]:
        lines += ["", *cause_lines(causes, found, args.causes)]
        lines += _more(len(causes), args.causes, "--causes")
        lines += [f"  {note}" for note in unknown_rules(causes, records)]
    if found.ids[:most]:
        lines += ["", *found.lines(most), *_more(len(found.ids), most, "--bugs")]
    if listed := listed_examples(causes, args.causes):
        lines += ["", *next_lines(args.folder, *listed), report_line(args.folder)]
    return lines


def _show_several(args: argparse.Namespace) -> int:
    """One summary of the campaigns in the folder, and a line on each."""
    from bugsieve.campaigns.several.found_lines import joint_found_lines
    from bugsieve.campaigns.several.several_wording import (
        joint_figure_lines,
        joint_first_lines,
        joint_rest,
    )
    from bugsieve.commands.shared.several_report import joint_json
    from bugsieve.reports.joint import joint_of, missing_in

    summary = joint_of(args.folder)
    if args.json:
        show(joint_json(args.folder, summary))
        return 0
    causes = joint_found_lines(args.folder, summary, args.causes)
    rest = joint_rest(summary, missing_in(args.folder, summary))
    lines = [*joint_first_lines(summary), *rest, *joint_figure_lines(summary)[1], *causes]
    show("\n".join(lines))
    return 0


def _unfinished(folder: Path, reason: str | None) -> list[str]:
    if reason is not None:
        return []
    return [f"not finished; {quoted_command('resume', folder)} goes on unless it runs now"]


def _more(count: int, shown: int, option: str) -> list[str]:
    rest = count - shown
    return [f"… and {rest} more: {option} {count} lists all"] if rest > 0 else []
