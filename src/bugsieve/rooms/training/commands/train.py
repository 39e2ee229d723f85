"""`bugsieve train`: train policies of a domain, tested while they are trained."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import MOST
from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.numbers import real_number, seconds, seed, whole_number
from bugsieve.commands.shared.option_fields import options_from
from bugsieve.commands.shared.options import Options

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.training.campaign.options import TrainingOptions
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

_SHARE = real_number(0, 1)
_COUNT = whole_number(1, 10**9)
_FROM_ZERO = whole_number(0, 10**6)


class _Option(NamedTuple):
    """An option of the command: its type, what its value is called, what it is."""

    type: Callable[[str], Any]
    metavar: str
    text: str


_GROUPS: dict[str, dict[str, dict[str, _Option]]] = {
    "models": {
        "schedule": {
            "inits": _Option(whole_number(1, 10**6), "N", "random initialisations"),
            "start_epochs": _Option(_FROM_ZERO, "N", "epochs after each, in a line"),
            "main_epochs": _Option(_FROM_ZERO, "N", "epochs after that, each from any model"),
            "model_expansions": _Option(
                whole_number(1, 10**6), "N", "how often one model may be trained; 1: lines"
            ),
            "online": _Option(
                str, "HOW", "which model is trained next: pi-test (the best score) or random"
            ),
        }
    },
    "learning": {
        "asnets": {
            "hidden": _Option(whole_number(1, 512), "N", "numbers per fact and action"),
            "layers": _Option(whole_number(1, 16), "N", "layers of facts"),
            "steps": _Option(_COUNT, "N", "steps of the optimiser per epoch"),
            "batch": _Option(whole_number(1, 1 << 16), "N", "states of one step"),
            "learning_rate": _Option(_SHARE, "A", "of the optimiser Adam"),
            "weight_decay": _Option(_SHARE, "W", "what it takes off the weights"),
            "dropout": _Option(_SHARE, "P", "share of numbers left out in a step"),
            "loss": _Option(str, "NAME", "bce (binary cross-entropy) or ce"),
            "rollout_limit": _Option(_COUNT, "N", "longest run on a training task"),
        }
    },
    "teacher": {
        "asnets": {
            "teacher": _Option(str, "NAME", "astar (with LM-cut), greedy or fast-downward"),
            "teacher_expansions": _Option(
                whole_number(1, MOST), "N", "states it may expand for one state"
            ),
        }
    },
    "testing of models": {
        "fuzz": {
            "pool_size": _Option(_COUNT, "N", "test states of each validation task"),
            "walk_length": _Option(_COUNT, "L", "longest walk to a new one"),
            "novelty": _Option(
                whole_number(0, 3), "D", "a new one has a new combination of D facts; 0: any"
            ),
        },
        "": {
            "step_limit": _Option(_COUNT, "N", "decisions in a run of a model"),
            "test_work": _Option(
                whole_number(1, MOST), "N", "decisions and expansions of a test on one task"
            ),
        },
    },
}
"""By title and by the part of the options that holds them."""


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
    _add_groups(parser)
    task_arguments.add_translation_arguments(parser)
    time = "after so many seconds; 'bugsieve resume' goes on"
    Options(parser, "stopping").add("--max-time", type=seconds(), metavar="S", help=time)


def _add_groups(parser: Parser) -> None:
    for title, parts in _GROUPS.items():
        options = Options(parser, title)
        for part, group in parts.items():
            for name, (kind, metavar, text) in group.items():
                default = _default(part, name)
                shown = f"{text} ({default})"
                options.add(_flag(name), type=kind, default=default, metavar=metavar, help=shown)
        if title == "testing of models":
            options.add(
                "--oracle",
                action="append",
                metavar="SPEC",
                help="who finds bugs of models; may be repeated (bmo:100)",
            )
            options.add(
                "--replay-bugs",
                action="store_true",
                help="also test models on the training tasks, and learn from the plans that "
                "prove their bugs",
            )


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
    from bugsieve.campaigns.stop_rules import StopRules
    from bugsieve.rooms.training.campaign.options import TrainingOptions

    usual = _usual()
    try:
        return TrainingOptions(
            domain=os.fspath(args.domain),
            training=tuple(map(os.fspath, args.training)),
            validation=tuple(map(os.fspath, args.validate)),
            unit_cost=args.unit_cost,
            schedule=options_from(args, type(usual.schedule)),
            asnets=options_from(args, type(usual.asnets)),
            oracles=tuple(args.oracle or usual.oracles),
            step_limit=args.step_limit,
            fuzz=options_from(args, type(usual.fuzz), bias=usual.fuzz.bias),
            test_work=args.test_work,
            replay_bugs=args.replay_bugs,
            workers=args.workers,
            stop=StopRules(max_time=args.max_time),
        )
    except UsageError as error:
        names = "|".join(name for _, name in _names())
        words = re.compile(rf"\b({names})\b(?= must)")
        raise UsageError(words.sub(lambda name: _flag(name[0]), str(error))) from None


def command_of(options: TrainingOptions) -> str:
    """The command that trains with these options; what is as usual is left out."""
    words = ["bugsieve", "train", "asnets", options.domain, *options.training]
    words += ["--validate", *options.validation] if options.validation else []
    words += ["--unit-cost"] if options.unit_cost else []
    words += ["--seed", str(options.fuzz.seed)]
    for part, name in _names():
        value = getattr(getattr(options, part) if part else options, name)
        words += [] if value == _default(part, name) else [_flag(name), str(value)]
    if options.oracles != _usual().oracles:
        words += [word for spec in options.oracles for word in ("--oracle", spec)]
    words += ["--replay-bugs"] if options.replay_bugs else []
    return shlex.join(words)


def _names() -> Iterator[tuple[str, str]]:
    """All options in groups: the part of the options, and the name in it."""
    for parts in _GROUPS.values():
        for part, group in parts.items():
            yield from ((part, name) for name in group)


def _usual() -> TrainingOptions:
    from bugsieve.rooms.training.campaign.options import TrainingOptions

    return TrainingOptions(domain="", training=("-",), validation=("-",))


def _default(part: str, name: str) -> Any:
    usual = _usual()
    holder = getattr(usual, part) if part else usual
    assert name in {field.name for field in fields(holder)}
    return getattr(holder, name)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
