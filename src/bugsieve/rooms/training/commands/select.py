"""`bugsieve select`: choose a model of a training and write it as a policy."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.commands.shared import campaign_arguments, task_arguments
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import complain, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.training.campaign.choices import Choice
    from bugsieve.rooms.training.store.records import TrainingRecords
    from bugsieve.tasks.grounded.task import Task

DESCRIPTION = (
    "Show which model of a training each criterion takes, and write one of them as a policy. "
    "This works while the training runs."
)

EPILOG = """\
early    the first model that ends 20 epochs of one line with all training tasks solved, else the
         last: where training without tests would have stopped
loss     the least training loss
solved   the most validation tasks solved
pi-test  the greatest score: validation tasks solved, share of their pool states solved, and share
         without a bug, each relative to the best model, in equal parts
test     the most test tasks solved, which nobody should look at: the best that could be chosen;
         needs --test
Ties go to the older model; those of pi-test first to more tasks, more states and fewer bugs.
"""


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the training")
    options = Options(parser)
    options.add("--by", default="pi-test", metavar="CRITERION", help="which one (pi-test)")
    options.output("FILE", "write the weights of the model there, as FILE.safetensors")
    options.add("--tree", action="store_true", help="show all models, below those they came from")
    options.add(
        "--test",
        nargs="+",
        type=Path,
        default=[],
        metavar="PROBLEM",
        help="run all models on these tasks, too, and say how many they solve",
    )
    campaign_arguments.add_workers_argument(parser, default=1)
    task_arguments.add_translation_arguments(parser)
    options.json()


def run(args: argparse.Namespace) -> int:
    """Choose, show and write."""
    from bugsieve.rooms.training.campaign.choices import choices
    from bugsieve.rooms.training.store.records import TrainingRecords

    _check(args)
    with TrainingRecords(args.folder) as records:
        solved = _solved_tests(args, records)
        found = choices(records, solved_tests=solved)
        chosen = next((choice for choice in found if choice.criterion == args.by), None)
        if chosen is None:
            known = ", ".join(choice.criterion for choice in found)
            raise UsageError(
                f"{args.folder}: has no validation tasks, so that {args.by!r} cannot choose: name "
                f"another criterion with --by ({known})"
            )
        if args.output is not None:
            _write(args, records, chosen)
        _note(chosen)
        show((_as_json if args.json else _as_text)(args, records, found, chosen))
    return 0


def _check(args: argparse.Namespace) -> None:
    """What is wrong whatever the training is."""
    from bugsieve.base.names import no_such
    from bugsieve.rooms.training.selection import CRITERIA, TEST

    if args.by not in CRITERIA:
        raise UsageError(no_such("criterion", args.by, CRITERIA))
    if args.by == TEST and not args.test:
        raise UsageError("--by test needs test tasks: name some with --test")
    if args.output is not None and args.output.suffix.lower() != ".safetensors":
        raise UsageError(f"{args.output}: the name must end in .safetensors")


def _note(chosen: Choice) -> None:
    """Say where the criterion has nothing to go by, so that the oldest model is taken."""
    from bugsieve.rooms.training.campaign.wording import NO_SCORES
    from bugsieve.rooms.training.selection import BY_VALIDATION

    if chosen.criterion in BY_VALIDATION and not chosen.model.solved_validation:
        complain(f"note: {NO_SCORES}")


def _solved_tests(args: argparse.Namespace, records: TrainingRecords) -> list[int] | None:
    if not args.test:
        return None
    from bugsieve.commands.shared.status_line import StatusLine
    from bugsieve.rooms.training.campaign.coverage import solved_by_models

    with StatusLine("running all models on the test tasks"):
        return solved_by_models(records, _test_tasks(args, records), workers=args.workers)


def _test_tasks(args: argparse.Namespace, records: TrainingRecords) -> list[Task]:
    """The test tasks; those that cannot be grounded are told and left out."""
    from bugsieve.rooms.training.campaign.coverage import load_test_tasks
    from bugsieve.tasks.grounded.translator import TranslationLimits

    limits = TranslationLimits(args.translation_time, args.translation_memory << 20)
    tasks, dropped = load_test_tasks(records, args.test, limits=limits)
    for file, reason in dropped:
        complain(f"dropped {file}: {reason}")
    if not tasks:
        raise UsageError("none of the test tasks can be used")
    return tasks


def _write(args: argparse.Namespace, records: TrainingRecords, chosen: Choice) -> None:
    from bugsieve.rooms.training.campaign.choices import write_policy
    from bugsieve.rooms.training.campaign.summary import options_in
    from bugsieve.rooms.training.commands.train import command_of

    about = {"command": command_of(options_in(records)), "criterion": chosen.criterion}
    try:
        write_policy(records, chosen.model.number, args.output, about)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{args.output}: cannot be written ({reason})") from None


def _as_text(
    args: argparse.Namespace, records: TrainingRecords, found: Sequence[Choice], chosen: Choice
) -> str:
    from bugsieve.reports.plain_text import plain_text
    from bugsieve.rooms.training.campaign.candidates import candidates_in
    from bugsieve.rooms.training.campaign.choices import marks_of
    from bugsieve.rooms.training.campaign.choices_table import choices_table
    from bugsieve.rooms.training.model_tree import tree_lines

    lines = [plain_text(choices_table(found)), ""]
    if args.tree:
        lines += [*tree_lines(candidates_in(records), marks_of(found)), ""]
    lines.append(f"{chosen.criterion} takes model {chosen.model.number}{_solved(records, chosen)}")
    if args.output is not None:
        lines.append(f"written to {args.output}; use it as asnets:{args.output}")
    return "\n".join(lines)


def _solved(records: TrainingRecords, chosen: Choice) -> str:
    """How many validation tasks it solves; a score alone would look like a share."""
    from bugsieve.base.wording import counted

    validation = len(records.validation_numbers())
    if not validation:
        return ""
    solves = f"{chosen.model.solved_validation} of {counted(validation, 'validation task')}"
    return f", which solves {solves}; scores are relative to the best models"


def _as_json(
    args: argparse.Namespace, records: TrainingRecords, found: Sequence[Choice], chosen: Choice
) -> str:
    from bugsieve.rooms.training.campaign.choices_table import choices_table
    from bugsieve.rooms.training.campaign.tables import training_tables

    table = choices_table(found)
    rows: list[Mapping[str, Any]] = [
        {
            "criterion": row.label,
            **{
                column.key: value if isinstance(value, (int, float)) else None
                for column, value in zip(table.columns, row.cells, strict=True)
            },
        }
        for row in table.rows
    ]
    report: dict[str, Any] = {"chosen": chosen.model.number, "by": args.by, "criteria": rows}
    if args.output is not None:
        report["file"] = str(args.output)
    if args.tree:
        report["models"] = training_tables(records)["models"]
    return json.dumps(report, indent=2, allow_nan=False)
