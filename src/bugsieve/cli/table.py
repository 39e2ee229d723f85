"""`bugsieve table`: the tables of the papers over campaigns of your own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.cli.campaign_arguments import add_folders_arguments
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser

DESCRIPTION = "Print a table over campaigns, or over all campaigns of experiments."

EPILOG = """\
icaps22 is Table 1 of "Debugging a Policy: Automatic Action-Policy Testing in AI Planning" (ICAPS
2022) over campaigns of your own, by policy and domain:
  (A) instances (Σ), and those whose initial state the policy solves (Σπ)
  (B) pool states (|P|), and those that the policy solves (|Pπ|)
  (C) recall of each oracle: bugs among the unsolved states (qual), and among the solved (quant)
  (D) all oracles together, with the fuzzer's bias off and on: bugs among all states (qual), and
      among the solved (quant)
  (E) the same with the novelty filter off and on, bugs with a pair of facts that no other bug
      has, and connected regions of bugs
(B) to (E) are means over the instances that the policy solves; several campaigns on an instance
(with other seeds, say) enter with their mean. The setting of (B) and (C) is bias and novelty on.
A dash: the oracle does not apply. Nothing: nothing to divide by, or nothing measured.
"""

_FORMATS = ("csv", "json", "latex", "markdown")


def register(subparsers: argparse._SubParsersAction[Parser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "table",
        help="print a table over campaigns",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("kind", choices=("icaps22",), metavar="KIND", help="icaps22")
    add_folders_arguments(parser)
    forms = parser.add_mutually_exclusive_group()
    for name in _FORMATS:
        forms.add_argument(f"--{name}", action="store_true", help=f"print {_TITLES[name]}")
    add(
        "--bias",
        default="policy-quality",
        metavar="NAME",
        help="the bias that counts as on (policy-quality)",
    )
    parser.set_defaults(run=run)


_TITLES = {"csv": "CSV", "json": "one JSON object", "latex": "LaTeX", "markdown": "Markdown"}


def run(args: argparse.Namespace) -> int:
    """Read the campaigns and print the table."""
    from bugsieve.fuzzing.biases import check_bias
    from bugsieve.reports.collection import collect
    from bugsieve.reports.formats import FORMATS
    from bugsieve.reports.icaps22 import TableOptions, icaps22_table

    check_bias(args.bias)
    options = TableOptions(bias=args.bias, all_instances=args.all_instances)
    form = next((name for name in _FORMATS if getattr(args, name)), "text")
    show(FORMATS[form](icaps22_table(collect(args.folders), options)))
    return 0
