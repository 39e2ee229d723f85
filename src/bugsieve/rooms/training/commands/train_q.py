"""`bugsieve train-q`: train a network for a model by deep Q-learning."""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.errors import InputError, UsageError
from bugsieve.commands.shared.live_display import LiveDisplay
from bugsieve.commands.shared.numbers import whole_number
from bugsieve.commands.shared.option_fields import add_options, options_from
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show
from bugsieve.rooms.jani import model_arguments
from bugsieve.rooms.training.options import EVALUATION, LEARNING, MACHINE, REWARDS, QOptions

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.training.environments import Evaluation
    from bugsieve.rooms.training.q_learning import Evaluated, Event, TrainedNetwork

DESCRIPTION = (
    "Train a ReLU network that chooses actions in a model, by double deep Q-learning with a "
    "replay buffer and a target network, and write it as safetensors. The best network seen in "
    "evaluations is kept; it takes the raw values of all variables."
)

EPILOG = """\
Runs end at the goal, in danger, or where no action is applicable. Outcomes are as likely as the
model says; of several edges with one label each is equally likely. Needs PyTorch:
pip install 'bugsieve[train]'.

Ctrl-C ends the training early and writes the best network so far; the exit code is then 2.
The same seed gives the same network on the same machine.
"""

INTERRUPTED = 2


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    model_arguments.add_model_arguments(parser)
    options = Options(parser)
    path = Path("net.safetensors")
    options.output("FILE", f"where to write the network ({path})", default=path)
    options.json("print the result as JSON")
    _add_network_arguments(parser)
    for group in (REWARDS, LEARNING, EVALUATION, MACHINE):
        add_options(parser, QOptions, group)


def _add_network_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("network").add_argument
    add(
        "--hidden",
        type=_sizes,
        default=QOptions().hidden,
        metavar="N,N,…",
        help="neurons of each hidden layer (64,64)",
    )
    add(
        "--normalise",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="scale the inputs while training; the written network takes raw values (yes)",
    )


def _sizes(text: str) -> tuple[int, ...]:
    read = whole_number(1, 4096)
    return tuple(read(part) for part in text.split(","))


def run(args: argparse.Namespace) -> int:
    """Train, write the network and say how good it is."""
    from bugsieve.rooms.training.torch_loading import require_torch

    options = _options(args)
    _check_output(args.output)
    model = model_arguments.model_from(args)
    require_torch()
    from bugsieve.rooms.training.q_learning import train_q

    with TrainingDisplay(options.steps) as display:
        trained = train_q(model, options, display.take)
    _write(args.output, trained, options)
    report = _as_json if args.json else _as_text
    show(report(args.output, model, options, trained))
    return INTERRUPTED if trained.is_interrupted else 0


def _options(args: argparse.Namespace) -> QOptions:
    """The options that the arguments ask for; errors name them as the command line does."""
    try:
        return options_from(args, QOptions)
    except UsageError as error:
        names = "|".join(field.name for field in fields(QOptions))
        words = re.compile(rf"\b({names})\b")
        raise UsageError(words.sub(lambda name: _option(name[0]), str(error))) from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check_output(path: Path) -> None:
    """Say before the training, not after it, that its result has no place."""
    if path.is_dir():
        raise InputError(f"{path} is a folder, but -o takes the file to write")
    if path.suffix.lower() != ".safetensors":
        raise InputError(f"{path}: the name must end in .safetensors, or no policy can read it")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.absolute().parent}, create it first")


def _write(path: Path, trained: TrainedNetwork, options: QOptions) -> None:
    from bugsieve.rooms.formats.networks import write_safetensors

    metadata = {"options": json.dumps(options.to_json()), "results": json.dumps(_results(trained))}
    try:
        write_safetensors(path, trained.network, metadata)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _results(trained: TrainedNetwork) -> dict[str, object]:
    """What does not depend on the clock, so that equal trainings give equal files."""
    return {
        "random": asdict(trained.random),
        "best": asdict(trained.best),
        "best_steps": trained.best_steps,
        "steps": trained.steps,
        "interrupted": trained.is_interrupted,
    }


class TrainingDisplay(LiveDisplay):
    """Shows the events of a training."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self._steps = steps
        self._begin = time.monotonic()
        self._last: Evaluated | None = None
        self._best = ""

    def take(self, event: Event) -> None:
        """Listen to the training."""
        from bugsieve.rooms.training.q_learning import Evaluated

        if isinstance(event, Evaluated):
            self._last = event
            if event.is_best:
                self._best = f"; best {rates(event.evaluation)} after {event.steps} steps"
        elif event.remark:
            self.say(f"without a reward for progress: {event.remark}")

    def lines(self) -> list[str]:
        """How far it is, and how good."""
        passed = f"{time.monotonic() - self._begin:.0f} s"
        event = self._last
        if event is None:
            return [f"starting, {passed}"]
        return [
            f"step {event.steps} of {self._steps}, {rates(event.evaluation)}, "
            f"loss {event.loss:.4f}, random actions {event.epsilon:.2f}, {passed}{self._best}"
        ]


def rates(evaluation: Evaluation) -> str:
    """`goal 97.5 %, unsafe 1.0 %`."""
    return f"goal {evaluation.goal_rate:.1%}, unsafe {evaluation.unsafe_rate:.1%}".replace(
        "%", " %"
    )


def _as_text(path: Path, model: JaniModel, options: QOptions, trained: TrainedNetwork) -> str:
    begin = "interrupted after" if trained.is_interrupted else "trained for"
    return "\n".join(
        [
            f"model {model.name}, seed {options.seed}",
            f"{begin} {trained.steps} steps in {trained.seconds:.1f} s; "
            f"in {options.evaluation_runs} runs of at most {options.episode_limit} steps:",
            f"  random actions   {rates(trained.random)}",
            f"  best network     {rates(trained.best)} (after {trained.best_steps} steps)",
            f"written to {path}; use it as mlp:{path}",
        ]
    )


def _as_json(path: Path, model: JaniModel, options: QOptions, trained: TrainedNetwork) -> str:
    report = {
        "network": str(path),
        "model": model.name,
        "seconds": trained.seconds,
        **_results(trained),
        "options": options.to_json(),
    }
    return json.dumps(report, indent=2, allow_nan=False)
