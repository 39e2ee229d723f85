"""The arguments of a campaign: what is looked for, how test states are made, when to stop."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.numbers import whole_number
from bugsieve.commands.shared.option_fields import options_from
from bugsieve.commands.shared.options import Options

if TYPE_CHECKING:
    from bugsieve.campaigns.options import CostOptions

_WALK_OPTIONS = {
    *("--pool-size", "--walk-length", "--novelty", "--bias", "--insert", "--round-walks"),
    "--patience",
}
_LONGEST_NAME = 60  # letters of up to 4 bytes, where file names may have 255


def judging_words(policy: str, objective: str, *, unit_cost: bool) -> list[str]:
    """The arguments that have the same policy judged in the same way."""
    from bugsieve.campaigns.options import USUAL_OBJECTIVE

    words = ["--policy", policy, *(["--unit-cost"] if unit_cost else [])]
    return [*words, *([] if objective == USUAL_OBJECTIVE else ["--objective", objective])]


def add_from_argument(parser: argparse.ArgumentParser) -> None:
    """A campaign to repeat."""
    parser.add_argument(
        "--from",
        dest="from_folder",
        type=Path,
        metavar="DIR",
        help="a new campaign with the model, policy and options of the one in this folder; "
        "options that are given count instead",
    )


def add_output_arguments(parser: argparse.ArgumentParser, *, usual: str) -> None:
    """Where the results go; `usual` is the folder if none is named."""
    options = Options(parser)
    options.output("DIR", f"new folder for the results ({usual})")
    options.json("print the summary as JSON")


def add_workers_argument(
    parser: argparse.ArgumentParser, *, default: int | None, work: str = "judge"
) -> None:
    """How many processes judge, or do other `work`."""
    shown = "as before" if default is None else str(default)
    parser.add_argument(
        "--workers",
        type=whole_number(1, 1024),
        default=default,
        metavar="N",
        help=f"processes that {work}, at most ({shown}); results do not depend on it",
    )


def add_folders_arguments(parser: argparse.ArgumentParser) -> None:
    """The campaigns that a report is about, and which of their instances count."""
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folders of campaigns or experiments, or folders of such",
    )
    parser.add_argument(
        "--all-instances",
        action="store_true",
        help="also count instances that the policy does not solve",
    )


def options_of(args: argparse.Namespace, *, task: tuple[str, ...] | None = None) -> CostOptions:
    """The options of the campaign that the arguments ask for; `task` if files do not matter."""
    from bugsieve.campaigns.options import with_typed_walks

    options = _cost_options(args, task)
    typed = {word.partition("=")[0] for word in args.parser.words}
    return with_typed_walks(options) if typed & _WALK_OPTIONS else options


def sample_options_of(
    args: argparse.Namespace, *, task: tuple[str, ...] | None = None
) -> CostOptions:
    """The same of a measurement."""
    from bugsieve.pipeline.pool.sample import ALL_TESTS, sampling

    fuzz = sampling(walk_length=args.walk_length, seed=args.seed)
    return _cost_options(args, task, sample=str(ALL_TESTS), fuzz=fuzz)


def _cost_options(
    args: argparse.Namespace, task: tuple[str, ...] | None, **others: Any
) -> CostOptions:
    from bugsieve.campaigns.options import CostOptions

    files = tuple(map(os.fspath, task_arguments.files(args.task))) if task is None else task
    return options_from(args, CostOptions, task=files, **others)


def free_folder(wanted: Path | None, name: str) -> Path:
    """The folder for a new campaign: the one asked for, or one that does not exist yet."""
    if wanted is not None:
        return wanted
    letters = (c if c.isalnum() or c in "-_." else "-" for c in name[:_LONGEST_NAME])
    base = f"bugsieve-{''.join(letters)}"
    number = 1
    while (folder := Path(base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return folder
