"""What `bugsieve rules` does on models of timelines (NDDL) alone: traps as NDDL, and charts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.commands.shared.option_fields import add_to_group
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show
from bugsieve.rooms.rules.campaign.options import TIMELINES, RulesOptions

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser

SUFFIX = ".nddl"


def register(parser: Parser) -> None:
    """Add the options that only models on timelines have."""
    options = Options(parser, TIMELINES)
    add_to_group(options, RulesOptions, TIMELINES)
    options.add(
        "--emit-nddl",
        type=Path,
        metavar="DIR",
        help="write each trap as NDDL beside the model, instead of testing",
    )
    options.add("--charts", type=Path, metavar="DIR", help="draw the plans that are found as SVG")


def is_model(files: Sequence[str]) -> bool:
    """Return true if some of the files are a model of timelines."""
    return any(name.endswith(SUFFIX) for name in files)


def check_arguments(args: argparse.Namespace) -> None:
    """Say what does not go with such files, or goes with nothing else."""
    if is_model(args.files):
        models = [name for name in args.files if name.endswith(SUFFIX)]
        rules = [name for name in args.files if name.endswith(".toml")]
        if len(rules) != 1 or len(models) + len(rules) != len(args.files):
            args.parser.error("name the files of an NDDL model and one rules file")
        if args.write_tasks is not None:
            args.parser.error("--write-tasks writes planning tasks; for NDDL there is --emit-nddl")
        return
    for option in ("emit_nddl", "charts"):
        if getattr(args, option) is not None:
            name = option.replace("_", "-")
            args.parser.error(f"--{name} is for models on timelines (*{SUFFIX})")


def write_instead(args: argparse.Namespace, options: RulesOptions) -> int | None:
    """Write traps as NDDL if that is asked for, and return the exit code."""
    return None if args.emit_nddl is None else _emit(options, args.emit_nddl)


def write_beside(args: argparse.Namespace, folder: Path) -> None:
    """Draw the plans of the campaign if that is asked for; the campaign is stored already."""
    from bugsieve.base.errors import InputError

    if args.charts is None:
        return
    try:
        _draw(folder, args.charts)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{args.charts}: {reason}; the results are kept in {folder}") from None


def _draw(campaign: Path, folder: Path) -> None:
    """Draw the plans of a campaign as charts, each by the number of its test."""
    from bugsieve.base.files_and_processes.files import write_atomically
    from bugsieve.base.files_and_processes.unlinked_folders import make_folders
    from bugsieve.rooms.rules.store.records import RulesRecords
    from bugsieve.rooms.timelines.plans.charts import chart_svg
    from bugsieve.rooms.timelines.plans.plan import Plan

    make_folders(folder)
    with RulesRecords(campaign) as records:
        tests = {row.number: row.obligation for row in records.obligations()}
        for row in records.answers():
            trace, item = row.answer.trace, tests[row.number]
            if trace is not None:
                title = f"{item.rule}: {item.title}" if item.rule else item.title
                chart = chart_svg(Plan.from_json(trace["plan"]), title=title)
                write_atomically(folder / f"test{row.number}.svg", chart.encode())


def _emit(options: RulesOptions, folder: Path) -> int:
    """Write one NDDL file for each trap that has the form of the paper; others are named."""
    from bugsieve.base.errors import UnsupportedError
    from bugsieve.base.files_and_processes.files import write_atomically
    from bugsieve.base.files_and_processes.unlinked_folders import make_folders
    from bugsieve.rooms.rules.campaign.equipment import make_judge
    from bugsieve.rooms.rules.campaign.subject import load_rules
    from bugsieve.rooms.rules.obligations.obligation import rule_obligations
    from bugsieve.rooms.timelines.bound import BoundModel
    from bugsieve.rooms.timelines.emission import emit_nddl

    (bound,) = load_rules(options).tasks
    assert isinstance(bound, BoundModel)
    judge = make_judge(bound, options.judging)
    make_folders(folder)
    written = 0
    for rule in bound.rules.rules:
        for number, item in enumerate(rule_obligations(rule)):
            *_, (view, formula, _) = judge.formulas(item)
            path = folder / _safe(f"{rule.id}-{number}{SUFFIX}")
            try:
                text = emit_nddl(bound.model, formula, bound.rules.atoms)
            except UnsupportedError as error:
                show(f"{path.name}: not written: {error}")
                continue
            write_atomically(path, text.encode())
            show(f"{path}: {item.literal or 'a violation'} ({view})")
            written += 1
    return 0 if written else 5


def _safe(name: str) -> str:
    """The name of a file: ids of rules may hold anything but white space."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
