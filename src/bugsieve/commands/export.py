"""`bugsieve export`: the records of a campaign for other programs, and its bugs as files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bugsieve.base.commands import typed_words
from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.commands.shared.bug_arguments import for_kind
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.shared.streams import show

EPILOG = """\
--regression is for cost and safety testing: each ID.bug.json holds a bug with its proof, and is
one test for pytest with Bugsieve's plug-in. It passes when the bug is FIXED. A bug that is known
and may stay has "expect": "open" in its file.

--examples is for cost testing: from the culprit of each bug on, the states that a better plan
passes, each once, with what to do there. A line has bug (the id), step (of the plan, 0 at the
culprit), facts (all that are true), goal, action (the better one) and instead_of (what the policy
did at the culprit, else null).
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(
        run,
        "Write the pool or the walks, the policy's runs, the verdicts and the bugs of "
        "a campaign for other programs, or a file for each bug, with its proof, or examples to "
        "learn from.",
        epilog=EPILOG,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", type=Path, metavar="OUT", help="a folder with one file per table")
    form.add_argument("--json", type=Path, metavar="OUT", help="one file")
    form.add_argument(
        "--parquet", type=Path, metavar="OUT", help="a folder with one file per table"
    )
    form.add_argument(
        "--bugs",
        type=Path,
        metavar="OUT",
        help="a folder with one file per bug; of tasks tested whole, those whose certificates are "
        "stored: the first 200 and three of each cause",
    )
    form.add_argument(
        "--every-bug", type=Path, metavar="OUT", help="the same with a file for every bug"
    )
    form.add_argument(
        "--examples",
        type=Path,
        metavar="FILE",
        help="states with better actions (.jsonl, .parquet)",
    )
    form.add_argument(
        "--green",
        type=Path,
        metavar="FILE",
        help="the certificate that there is no bug in all reachable states, or that the policy is "
        "safe from all start states",
    )
    form.add_argument(
        "--regression",
        action="store_true",
        help="tests for pytest: a .bug.json file for each cause, and their tasks, in the folder "
        "that -o names",
    )
    options = Options(parser, "regression tests")
    options.output("OUT", "where they go, as in tests/bugs; files that are there stay")
    options.add("--all", action="store_true", help="a test for every bug, not one for each cause")
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Write the files and name them."""
    from bugsieve.campaigns.export import export, export_bugs

    if args.regression != (args.output is not None) or (args.all and not args.regression):
        args.parser.error("it is 'bugsieve export --regression DIR -o OUT [--all]'")
    if args.regression:
        return _export_regression(args)
    target = args.every_bug or args.bugs
    if target is not None:
        written = export_bugs(args.folder, target, every=args.every_bug is not None)
        show(f"wrote {counted(len(written), 'bug')} to {target}")
        return 0
    if args.green is not None:
        return for_kind(args.folder, {"cost": _export_green, "safety": _export_safe_green})(args)
    if args.examples is not None:
        return for_kind(args.folder, {"cost": _export_examples})(args)
    form = next(name for name in ("csv", "json", "parquet") if getattr(args, name) is not None)
    for path in export(args.folder, form, getattr(args, form)):
        show(f"wrote {path}")
    return 0


def _export_regression(args: argparse.Namespace) -> int:
    from bugsieve.rooms.regression.export import export_regression

    found = export_regression(args.folder, args.output, every=args.all)
    stays = "stays as it was" if len(found.kept) == 1 else "stay as they were"
    kept = f"; {counted(len(found.kept), 'test')} {stays}" if found.kept else ""
    show(f"wrote {counted(len(found.written), 'test')} to {args.output}{kept}")
    show(f"run them: pytest {args.output} --bugsieve-policy SPEC")
    return 0


def _export_green(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.cost.green import stored_green

    return _write_green(args, stored_green(args.folder), "checkers.green", "task.sas")


def _export_safe_green(args: argparse.Namespace) -> int:
    from bugsieve.rooms.safety.campaign.green import stored_green

    checker = "rooms.safety.checker.safety_green"
    return _write_green(args, stored_green(args.folder), checker, "model.jani")


def _write_green(args: argparse.Namespace, green: Any, checker: str, subject: str) -> int:
    from bugsieve.campaigns.greens import write_green

    if green is None:
        raise UsageError(f"{args.folder}: has no certificate that there is no bug")
    write_green(green, args.green)
    show(f"wrote {args.green}")
    words = typed_words(args.folder / subject, args.green)
    show(f"check it: python -I -m bugsieve.{checker} {words}")
    return 0


def _export_examples(args: argparse.Namespace) -> int:
    from bugsieve.rooms.training.bug_examples import export_examples

    found = export_examples(args.folder, args.examples)
    show(f"wrote {counted(found, 'example')} to {args.examples}")
    return 0
