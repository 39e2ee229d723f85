"""`bugsieve table`: the tables of the papers over campaigns of your own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry.families import FAMILIES
from bugsieve.commands.shared.campaign_arguments import add_folders_arguments
from bugsieve.commands.shared.numbers import whole_number
from bugsieve.commands.shared.streams import complain, show, show_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from bugsieve.commands.shared.parser import Parser
    from bugsieve.reports.table import Table

DESCRIPTION = "Print a table over campaigns, or over all campaigns of experiments."

EPILOG = """\
bugs has a row for each campaign of whatever kind: states that it has judged (or unsafe runs) and
left undecided, and its bugs, all and by kind. A star: the policy fails from the initial state.

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
Each oracle that judged has its column, and no other; campaigns that were judged by different
oracles have rows of their own. A star and a note name instances that the policy does not solve.
A dash: the oracle does not apply. Nothing: nothing to divide by, or nothing measured.

icaps23 is Table 1 of "Automatic Metamorphic Test Oracles for Action-Policy Testing" (ICAPS 2023):
which share of the states that all oracles have judged each of them flags as bugs. Its campaigns
judge the same pools by different oracles, as experiments with 'shared_pools = true' make them:
  #Π   instances, by policy and domain
  |J|  the joint pool: states judged by every oracle that is compared, over all instances and seeds
  BestOf: bugs that any of these oracles finds
An oracle that judged fewer than 25 states per task on average (--least) has an empty cell, and |J|
does not depend on it. Bugs of states that were judged earlier count for oracles that learn.
With --truth "A*" only the states count that A* found to be bugs: recall against the truth where
A* decides. --intervals adds two rows, the lowest and the highest recall with one of the seeds.

icaps25 is Table 1 of "On Picking Good Policies: Leveraging Action-Policy Testing in Policy
Training" (ICAPS 2025) over experiments with [[trainings]]; --part prints one half only:
  criteria        which policy each criterion takes of the lines with the largest budget: test
                  tasks whose initial state it solves; test tasks that the policies of solved,
                  pi-test and test all solve, tested to the end (Π_rel), the states of their pools
                  (P), and which share of these is solved, and which are bugs
  configurations  test tasks solved by the policies of each way of training, by budget
Cells are means over seeds. --intervals adds two rows, the lowest and the highest with one seed.

safety has Figures 2 to 4 of "Policy Safety Testing in Non-Deterministic Planning: Fuzzing, Test
Oracles, Fault Analysis" over safety campaigns of your own, by model; --part prints one table only:
  (A) fuzzing: unsafe runs that walks found and the time they took, by lookahead and choice
  (B) oracles: the share of bugs (safe states in unsafe runs) and of other states that each oracle
      decides within some time, without any memory; needs campaigns with --alone N
  (C) faults: how long the analysis of an unsafe run takes, and how many runs have faults
(B) and (C) are over the test cases of unlimited greedy walks where there are such campaigns. A
state counts as decided by an oracle with a radius if that proves a bug, or fails to, as it should.
"""

_BIAS = "policy-quality"
_PARTS = ("fuzzing", "oracles", "faults")
_TRAINING_PARTS = ("criteria", "configurations")

_FORMATS = tuple(name for name in FAMILIES["formats"].builtin if name != "text")


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("kind", choices=(*_TABLES,), metavar="KIND", help=_listed([*_TABLES]))
    add_folders_arguments(parser)
    forms = parser.add_mutually_exclusive_group()
    for name in _FORMATS:
        forms.add_argument(f"--{name}", action="store_true", help=f"print {_TITLES[name]}")
    add(
        "--bias",
        metavar="NAME",
        help=f"for icaps22: the bias that counts as on ({_BIAS})",
    )
    least = "for icaps23: states per task that an oracle must have judged on average (25)"
    add("--least", type=whole_number(0, 10**9), metavar="N", help=least)
    truth = "for icaps23: count the bugs of this oracle only, one that knows the best plans"
    add("--truth", metavar="LABEL", help=truth)
    intervals = "for icaps23 and icaps25: also the lowest and the highest with a single seed"
    add("--intervals", action="store_true", help=intervals)
    parts = (*_PARTS, *_TRAINING_PARTS)
    add("--part", choices=parts, help="for safety and icaps25: one of its tables only")


_TITLES = {"csv": "CSV", "json": "one JSON object", "latex": "LaTeX", "markdown": "Markdown"}


def run(args: argparse.Namespace) -> int:
    """Read the campaigns and print the table."""
    form = next((name for name in _FORMATS if getattr(args, name)), "text")
    for_oracles = {"--least": args.least is not None, "--truth": args.truth is not None}
    for name, is_given in for_oracles.items():
        if is_given and args.kind != "icaps23":
            raise UsageError(f"{name} is for the table icaps23")
    if args.intervals and args.kind not in ("icaps23", "icaps25"):
        raise UsageError("--intervals is for the tables icaps23 and icaps25")
    text = _TABLES[args.kind](args, form)
    (show if form == "text" else show_data)(text)
    for line in _missing(args.folders):
        complain(line)
    return 0


def _missing(folders: Sequence[Path]) -> Iterator[str]:
    """What of experiments is not in the table, or only in part: it has not come to its end."""
    from bugsieve.campaigns.several.index import missing_lines, read_index
    from bugsieve.rooms.lab.experiments.campaigns import undone

    for folder in folders:
        index = read_index(folder)
        if index is not None:
            for line in missing_lines(index, undone(folder, index)):
                yield f"{folder}: {line}"


def _bugs(args: argparse.Namespace, form: str) -> str:
    from bugsieve.rooms.lab.reports.bugs_table import bugs_table
    from bugsieve.rooms.lab.reports.formats import FORMATS

    if args.part or args.bias or args.all_instances:
        raise UsageError("--part, --bias and --all-instances are not for the table of bugs")
    return FORMATS[form](bugs_table(args.folders))


def _icaps22(args: argparse.Namespace, form: str) -> str:
    from bugsieve.pipeline.biases import check_bias
    from bugsieve.rooms.lab.reports.collection import collect
    from bugsieve.rooms.lab.reports.formats import FORMATS
    from bugsieve.rooms.lab.reports.icaps22 import TableOptions, icaps22_table

    if args.part:
        raise UsageError("--part is for the tables safety and icaps25")
    bias = args.bias or _BIAS
    check_bias(bias)
    options = TableOptions(bias=bias, all_instances=args.all_instances)
    return FORMATS[form](icaps22_table(collect(args.folders), options))


def _icaps23(args: argparse.Namespace, form: str) -> str:
    from bugsieve.rooms.lab.reports.collection import collect
    from bugsieve.rooms.lab.reports.formats import FORMATS
    from bugsieve.rooms.lab.reports.icaps23 import LEAST, OracleTableOptions, icaps23_table

    if args.part or args.bias:
        raise UsageError("--part is for the tables safety and icaps25, --bias for icaps22")
    least = LEAST if args.least is None else args.least
    options = OracleTableOptions(least, args.all_instances, args.truth, args.intervals)
    return FORMATS[form](icaps23_table(collect(args.folders), options))


def _safety(args: argparse.Namespace, form: str) -> str:
    from bugsieve.rooms.lab.reports.formats import FORMATS
    from bugsieve.rooms.lab.reports.safety.cards import collect_safety
    from bugsieve.rooms.lab.reports.safety.tables import PARTS

    _check_parts(args, form, _PARTS)
    cards = collect_safety(args.folders)
    if args.part:
        return FORMATS[form](PARTS[args.part](cards))
    tables: dict[str, Table] = {}
    for part in _PARTS:
        try:
            tables[part] = PARTS[part](cards)
        except InputError as error:  # (A) can always be made, the others need more
            complain(f"without the table of {part}: {error}")
    return _together(tables, form)


def _icaps25(args: argparse.Namespace, form: str) -> str:
    from bugsieve.rooms.lab.reports.formats import FORMATS
    from bugsieve.rooms.lab.reports.training.icaps25 import (
        collect_runs,
        configurations_table,
        criteria_table,
    )

    _check_parts(args, form, _TRAINING_PARTS)
    make = dict(zip(_TRAINING_PARTS, (criteria_table, configurations_table), strict=True))
    runs = collect_runs(args.folders)
    if args.part:
        return FORMATS[form](make[args.part](runs, intervals=args.intervals))
    tables = {part: make[part](runs, intervals=args.intervals) for part in _TRAINING_PARTS}
    return _together(tables, form)


def _check_parts(args: argparse.Namespace, form: str, parts: Sequence[str]) -> None:
    """UsageError for options that the tables of these parts do not have."""
    if args.bias or args.all_instances:
        raise UsageError(
            f"--bias and --all-instances are for the table icaps22, not for {args.kind}"
        )
    if args.part and args.part not in parts:
        raise UsageError(f"{args.kind} has no part {args.part!r}, but {' and '.join(parts)}")
    if form == "csv" and not args.part:
        raise UsageError(f"--csv takes one table: add --part {_listed(parts)}")


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} or {parts[-1]}"


def _together(tables: Mapping[str, Table], form: str) -> str:
    from bugsieve.rooms.lab.reports.formats import FORMATS

    if form == "json":
        from bugsieve.rooms.lab.reports.formats.data import json_texts

        return json_texts(tables)
    return "\n\n".join(FORMATS[form](table) for table in tables.values())


_TABLES = {
    "bugs": _bugs,
    "icaps22": _icaps22,
    "icaps23": _icaps23,
    "icaps25": _icaps25,
    "safety": _safety,
}
