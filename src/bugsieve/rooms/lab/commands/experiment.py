"""`bugsieve experiment`: run a grid of campaigns on all cores."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.commands import command_line
from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.commands.shared.numbers import seconds
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.signals import going_on
from bugsieve.commands.shared.streams import show
from bugsieve.rooms.lab.experiments.runners import RUNNERS

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.lab.experiments.experiment import Experiment, ExperimentSummary
    from bugsieve.rooms.lab.experiments.grid import Grid
    from bugsieve.rooms.lab.experiments.jobs import AnyCrew

DESCRIPTION = (
    "Run all campaigns of an experiment file: domains (or models, for tests of safety) x policies "
    "x fuzzers x oracles x seeds, or trainings x configurations x seeds. "
    "Campaigns that are done are skipped and half-done ones go on, so the same command continues "
    "an experiment that was stopped."
)

EPILOG = """\
'bugsieve experiment --example' prints a file to begin with, '--example oracles' one that compares
oracles on the same test states, '--example safety' one for tests of safety, '--example trainings'
one that compares ways of training policies, and tests these in the end.

The exit code is 0 if all campaigns are done, whatever they found; 4 if some failed (the others
are run nevertheless, and the failed ones are tried again next time); 3 if the reason was a fault
in Bugsieve.
"""

_FAILURES_SHOWN = 10
_EXAMPLES = {
    "cost": "example.toml",
    "oracles": "example-oracles.toml",
    "safety": "example-safety.toml",
    "trainings": "example-trainings.toml",
}


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    options = Options(parser)
    options.add("file", nargs="?", type=Path, metavar="FILE", help="the experiment file, in TOML")
    options.output("DIR", "folder for the results (named after the file)")
    workers = "campaigns to run at the same time (one on each core)"
    options.number("--workers", None, workers, most=1024)
    options.add(
        "--shard",
        metavar="I/N",
        help="run the I-th of N parts only, all of which may run at the same time, on machines "
        "that share the disk",
    )
    for runner in RUNNERS.values():
        runner.add_options(options)
    options.trust()
    _add_adjustments(Options(parser, "in place of what the file says"))
    options.add(
        "--example",
        nargs="?",
        const="cost",
        choices=tuple(_EXAMPLES),
        metavar="KIND",
        help="print an example file and stop: cost (default), oracles (compared on the same "
        "states), safety or trainings",
    )


def _add_adjustments(options: Options) -> None:
    options.add(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="where the files are that it names, if it names a 'data' folder",
    )
    options.add(
        "--limit",
        type=seconds(),
        metavar="S",
        help="seconds that a campaign may take (stop.max_time)",
    )
    options.add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of [campaign], as in fuzz.pool_size=20; may be repeated",
    )
    options.add(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="a domain, or an instance as in 'gripper/problem0?'; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Run the experiment and say what has become of it."""
    if args.example:
        show(example(args.example).rstrip("\n"))
        return 0
    if args.file is None:
        raise UsageError(_missing_file(args))
    from bugsieve.rooms.lab.commands.experiment_progress import ExperimentDisplay
    from bugsieve.rooms.lab.experiments.adjustments import Adjustments
    from bugsieve.rooms.lab.experiments.experiment import Experiment
    from bugsieve.rooms.lab.experiments.file import read_experiment
    from bugsieve.rooms.lab.experiments.shards import Shard

    changes = Adjustments(args.data, args.limit, tuple(args.set), tuple(args.only))
    grid = read_experiment(args.file, changes)
    shard = None if args.shard is None else Shard.of(args.shard)
    experiment = Experiment(grid, args.output or Path(args.file.stem), shard=shard)
    display = ExperimentDisplay(grid)
    try:
        with _crew(args, grid) as crew, display:
            summary = experiment.run(
                workers=args.workers,
                crew=crew,
                on_event=display.take,
                trust_policy=args.trust_policy,
            )
    except KeyboardInterrupt as interruption:
        show(f"{display.counts_line()}\nresults in {experiment.directory}")
        raise going_on(interruption, "the same command goes on") from interruption
    show(_report(experiment, summary))
    return summary.exit_code


def _missing_file(args: argparse.Namespace) -> str:
    """Return why there is no experiment file, in words."""
    taken = (runner.taken_file(args) for runner in RUNNERS.values())
    usual = "name an experiment file; 'bugsieve experiment --example' prints one"
    return next(filter(None, taken), usual)


def _crew(args: argparse.Namespace, grid: Grid) -> AbstractContextManager[AnyCrew | None]:
    """Return the crew that runs the campaigns, if it is not processes of this machine."""
    crews = (runner.crew(args, grid) for runner in RUNNERS.values())
    return next((crew for crew in crews if crew is not None), nullcontext())


def example(kind: str = "cost") -> str:
    """The example file of a kind of experiments."""
    from importlib.resources import files

    return (files("bugsieve.rooms.lab.experiments") / _EXAMPLES[kind]).read_text(encoding="utf-8")


def _report(experiment: Experiment, summary: ExperimentSummary) -> str:
    failures = summary.failures
    failed = f", {len(failures)} failed" if failures else ""
    part = "" if experiment.shard is None else f"shard {experiment.shard}: "
    lines = [
        f"{part}{counted(summary.campaigns, 'campaign')}: {summary.done} done{failed}",
        f"results in {experiment.directory}",
    ]
    for folder, failure in list(failures.items())[:_FAILURES_SHOWN]:
        lines.append(f"  {folder}: {failure.error}")
    if len(failures) > _FAILURES_SHOWN:
        lines.append(f"  … and {len(failures) - _FAILURES_SHOWN} more, see experiment.json there")
    if summary.rejected:
        lines.append(f"{summary.rejected} claims were rejected: a fault in Bugsieve")
    if summary.postponed:
        lines.append(summary.postponed)
    if experiment.shard is not None:
        lines.append(f"all shards: {command_line('status', experiment.directory)}")
    if summary.done:
        table = "safety" if experiment.grid.is_safety else "icaps22"
        table = "icaps23" if experiment.grid.shares_pools else table
        table = "icaps25" if experiment.grid.final is not None else table
        lines.append(f"table: {command_line('table', table, experiment.directory)}")
    return "\n".join(lines)
