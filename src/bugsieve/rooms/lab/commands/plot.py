"""`bugsieve plot`: pictures of campaigns."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError
from bugsieve.commands.shared.campaign_arguments import add_folders_arguments
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from bugsieve.commands.shared.parser import Parser

DESCRIPTION = (
    "Draw the bugs that campaigns have found over their running time; for cost testing also the "
    "recall of oracles, for safety testing how fuzzers, oracles and fault analyses compare, and "
    "of a training the tree of its models. "
    "Needs matplotlib: pip install 'bugsieve[plot]'."
)

EPILOG = """\
With many campaigns, those that differ only in seed, instance or domain share a curve: the mean
number of bugs. --by says what tells curves apart instead, as in --by policy,bias.

--by oracles is Figure 1 of "Automatic Metamorphic Test Oracles for Action-Policy Testing" (ICAPS
2023): a panel for each domain, in it the bugs that each list of oracles has found over time, of
all instances together, without the time that pools took. A line turns dashed where the oracle has
ended on all of them. It is for experiments with 'shared_pools = true'.

The other kinds for safety campaigns are those of 'bugsieve table safety': fuzzing (unsafe runs
and time by fuzzer), oracles (states decided over time, and times state by state), faults (times of
fault analyses, run by run).

models is for the folder of one training: a point for each model, coloured by its score, with the
criteria of 'bugsieve select' at those they take.
"""

_SAFETY_KINDS = ("fuzzing", "oracles", "faults")
_MODELS = "models"
_KINDS = ("bugs", "recall", *_SAFETY_KINDS, _MODELS)


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    add_folders_arguments(parser)
    options = Options(parser)
    picture = "the picture: .svg, .png or .pdf; may be repeated"
    options.output("FILE", picture, action="append", required=True)
    options.add(
        "--kind",
        choices=_KINDS,
        default="bugs",
        help="what to draw (bugs): bugs, for campaigns of cost testing also recall, for those of "
        "safety testing fuzzing, oracles or faults, for a training models",
    )
    options.add("--log", action="store_true", help="a logarithmic time axis")
    options.add(
        "--by",
        metavar="KEYS",
        help="what tells curves apart: some of domain, instance, policy, bias, novelty, seed; "
        "for safety testing some of model, policy, oracle, fuzzer, seed; or oracles alone: a "
        "panel for each domain with a line for each list of oracles",
    )


def run(args: argparse.Namespace) -> int:
    """Draw the picture and name the files."""
    from bugsieve.reports.plots import check_picture_file, picture_style, save_picture

    if args.kind != "bugs" and (args.log or args.by):
        raise UsageError(f"--log and --by are for pictures of bugs, not of {args.kind}")
    for path in args.output:
        check_picture_file(path)
    with picture_style():
        draw = _drawing(args)
        for path in args.output:
            save_picture(draw(), path)  # drawn anew: saving adapts a figure to the format
            show(f"wrote {path}")
    return 0


def _drawing(args: argparse.Namespace) -> Callable[[], Figure]:
    if args.kind == _MODELS:
        return _training_drawing(args)
    return _safety_drawing(args) if _is_safety(args) else _cost_drawing(args)


def _training_drawing(args: argparse.Namespace) -> Callable[[], Figure]:
    """Reads a training; returns what draws its models."""
    from bugsieve.rooms.lab.reports.training.tree_picture import draw_model_tree
    from bugsieve.rooms.training.campaign.candidates import candidates_in
    from bugsieve.rooms.training.campaign.choices import choices, marks_of
    from bugsieve.rooms.training.store.records import TrainingRecords

    if args.all_instances or len(args.folders) != 1:
        raise UsageError("the picture of models takes the folder of one training, and no more")
    with TrainingRecords(args.folders[0]) as records:
        candidates, marks = candidates_in(records), marks_of(choices(records))
        title = f"Models for {records.header.subject.name}"
    return lambda: draw_model_tree(candidates, marks, title)


def _is_safety(args: argparse.Namespace) -> bool:
    """Whether the picture is about safety; that of bugs is what its campaigns are."""
    is_safety = args.kind in _SAFETY_KINDS
    if args.kind == "bugs":
        from bugsieve.campaigns.store.records import kind_of
        from bugsieve.campaigns.store.tables import SAFETY, TRAINING
        from bugsieve.rooms.lab.reports.collection import collect_cards

        kinds = set(collect_cards(args.folders, lambda folder, _: kind_of(folder)))
        if len(kinds) > 1:
            raise UsageError("there are campaigns of several kinds: draw them apart")
        if kinds == {TRAINING}:
            raise UsageError("a training has no bugs to draw: '--kind models' draws its models")
        is_safety = kinds == {SAFETY}
    if is_safety and args.all_instances:
        raise UsageError("--all-instances is for campaigns of cost testing")
    return is_safety


def _keys(args: argparse.Namespace) -> list[str]:
    return [key.strip() for key in args.by.split(",")] if args.by else []


def _safety_drawing(args: argparse.Namespace) -> Callable[[], Figure]:
    """Reads safety campaigns; returns what draws them."""
    from bugsieve.rooms.lab.reports.safety.cards import collect_safety

    cards = collect_safety(args.folders)
    if args.kind == "bugs":
        from bugsieve.rooms.lab.reports.bugs_over_time import draw_bugs_over_time
        from bugsieve.rooms.lab.reports.safety.bug_curves import safety_curves, safety_titles

        found = safety_curves(cards, _keys(args))
        titles = safety_titles(found)
        return lambda: draw_bugs_over_time(found, logarithmic=args.log, titles=titles)
    from bugsieve.rooms.lab.reports.safety.fuzzing_bars import draw_fuzzing
    from bugsieve.rooms.lab.reports.safety.oracle_curves import draw_verdicts
    from bugsieve.rooms.lab.reports.safety.run_scatter import draw_faults

    draw = {"fuzzing": draw_fuzzing, "oracles": draw_verdicts, "faults": draw_faults}[args.kind]
    return lambda: draw(cards)


def _cost_drawing(args: argparse.Namespace) -> Callable[[], Figure]:
    """Reads campaigns of cost testing; returns what draws them."""
    from bugsieve.rooms.lab.reports.collection import collect

    cards = collect(args.folders)
    if args.kind == "recall":
        from bugsieve.rooms.lab.reports.icaps22 import TableOptions, icaps22_table
        from bugsieve.rooms.lab.reports.recall_bars import draw_recall

        table = icaps22_table(cards, TableOptions(all_instances=args.all_instances))
        return lambda: draw_recall(table)
    from bugsieve.rooms.lab.reports.bugs_over_time import draw_bugs_over_time
    from bugsieve.rooms.lab.reports.curves import curves
    from bugsieve.rooms.lab.reports.oracles_over_time import (
        BY_ORACLES,
        draw_oracles_over_time,
        oracle_panels,
    )

    if BY_ORACLES in _keys(args):
        if len(_keys(args)) > 1:
            raise UsageError(f"--by {BY_ORACLES} has panels of its own: name nothing beside it")
        panels = oracle_panels(cards, all_instances=args.all_instances)
        return lambda: draw_oracles_over_time(panels, logarithmic=args.log)
    found = curves(cards, _keys(args))
    return lambda: draw_bugs_over_time(found, logarithmic=args.log)
