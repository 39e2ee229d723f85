"""`bugsieve train`: train policies of a domain, tested while they are trained."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import FieldPlace
from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.numbers import seconds, seed
from bugsieve.commands.shared.option_fields import add_options, options_from, shown_options
from bugsieve.commands.shared.options import Options
from bugsieve.rooms.training.asnets.options import TEACHER
from bugsieve.rooms.training.campaign.options import QUICK_ORACLE, TESTING, TrainingOptions
from bugsieve.rooms.training.options import LEARNING
from bugsieve.rooms.training.selection import MODELS

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.training.campaign.tasks import TrainingTasks

DESCRIPTION = (
    "Train action schema networks on small tasks of a domain, as a teacher acts there, and test "
    "every model on validation tasks, which may be larger. The tests say which model is trained "
    "next, and which one is best in the end. Needs PyTorch: pip install 'bugsieve[train]'."
)

EPILOG = """\
Algorithm 2 of "On Picking Good Policies: Leveraging Action-Policy Testing in Policy Training"
(ICAPS 2025). Its configurations, with 4 initialisations and a budget of 60 epochs:
  line          --start-epochs 15 --main-epochs 0
  line pi-test  --start-epochs 5 --main-epochs 40 --model-expansions 1
  tree          --start-epochs 5 --main-epochs 40 --model-expansions 4 --online random
  tree pi-test  --start-epochs 5 --main-epochs 40 --model-expansions 4

Ctrl-C loses nothing but the epoch under way: 'bugsieve resume DIR' goes on, and ends with the same
models to the bit. 'bugsieve select DIR' chooses a model and writes it as a policy.
"""

_GROUPS = (MODELS, LEARNING, TEACHER, TESTING)


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("what", choices=("asnets",), metavar="asnets", help="what is trained")
    add("domain", type=Path, metavar="DOMAIN", help="the domain, in PDDL")
    add("training", nargs="+", type=Path, metavar="PROBLEM", help="tasks to train on")
    add(
        "--validate",
        nargs="+",
        type=Path,
        default=[],
        metavar="PROBLEM",
        help="tasks on which every model is tested; those that cannot be grounded are dropped",
    )
    add("--unit-cost", action="store_true", help="every action costs 1, whatever the files say")
    campaign_arguments.add_output_arguments(parser, usual="bugsieve-DOMAIN")
    campaign_arguments.add_workers_argument(parser, default=1, work="teach and test")
    add("--seed", type=seed, default=0, metavar="N", help="seed of every random choice (0)")
    for group in _GROUPS:
        add_options(parser, TrainingOptions, group)
    task_arguments.add_translation_arguments(parser)
    time = "after so many seconds; 'bugsieve resume' goes on"
    Options(parser, "stopping").add("--max-time", type=seconds(), metavar="S", help=time)


def run(args: argparse.Namespace) -> int:
    """Train, and say how good the models are."""
    from bugsieve.commands.shared.campaign_report import run_new

    return run_new(args, _options(args), _load)


def _load(args: argparse.Namespace) -> TrainingTasks:
    from bugsieve.commands.shared.status_line import StatusLine
    from bugsieve.rooms.training.campaign.tasks import load_tasks
    from bugsieve.tasks.grounded.translator import TranslationLimits

    limits = TranslationLimits(args.translation_time, args.translation_memory << 20)
    with StatusLine(f"grounding {len(args.training) + len(args.validate)} tasks"):
        return load_tasks(_options(args), limits=limits)


def _options(args: argparse.Namespace) -> TrainingOptions:
    """The options that the arguments ask for; errors name them as the command line does."""
    try:
        return options_from(
            args,
            TrainingOptions,
            domain=os.fspath(args.domain),
            training=tuple(map(os.fspath, args.training)),
            validation=tuple(map(os.fspath, args.validate)),
            oracles=tuple(args.oracle or (QUICK_ORACLE,)),
            policy_seed=0,
        )
    except UsageError as error:
        flags = {place.path[-1]: f"--{place.flag}" for place in _numbers()}
        words = re.compile(rf"\b({'|'.join(flags)})\b(?= must)")
        raise UsageError(words.sub(lambda name: flags[name[0]], str(error))) from None


def command_of(options: TrainingOptions) -> str:
    """The command that trains with these options; what is as usual is left out."""
    usual = TrainingOptions(domain="", training=("-",), validation=("-",))
    words = ["bugsieve", "train", "asnets", options.domain, *options.training]
    words += ["--validate", *options.validation] if options.validation else []
    words += ["--unit-cost"] if options.unit_cost else []
    words += ["--seed", str(options.fuzz.seed)]
    for place in _numbers():
        value = place.value_in(options)
        words += [] if value == place.value_in(usual) else [f"--{place.flag}", str(value)]
    if options.oracles != usual.oracles:
        words += [word for spec in options.oracles for word in ("--oracle", spec)]
    words += ["--replay-bugs"] if options.replay_bugs else []
    return shlex.join(words)


def _numbers() -> list[FieldPlace]:
    """The options in groups that take one number or word."""
    found = (place for group in _GROUPS for _, place in shown_options(TrainingOptions, group))
    return [place for place in found if place.path[-1] not in ("oracles", "replay_bugs")]
