"""The wording of trainings."""

from __future__ import annotations

from typing import Any

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted, duration
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.training.campaign.summary import BestModel, TrainingSummary
from bugsieve.rooms.training.store.records import TrainingRecords

NO_SCORES = "no model solves a validation task, so scores say nothing: choose with --by loss"


class NoBugs:
    """A training has none: what its tests found is counted, nothing more."""

    ids: list[str] = []  # noqa: RUF012 - never changed

    def lines(self, most: int) -> list[str]:
        """Nothing."""
        return []

    def about(self, name: str) -> str:
        """Nothing."""
        return ""

    def json(self) -> list[dict[str, Any]]:
        """Nothing."""
        return []


class TrainingWording:
    """The texts that commands print about trainings."""

    def heading(self, header: CampaignHeader) -> str:
        """The domain."""
        return f"training of ASNets for the domain {header.subject.name}"

    def first_lines(self, summary: TrainingSummary) -> list[str]:
        """The best model so far."""
        if summary.best is None:
            return [f"{counted(summary.models, 'model')} trained, none of them tested"]
        return [best_line(summary.best) if summary.solved_validation else NO_SCORES]

    def count_lines(self, summary: TrainingSummary) -> list[str]:
        """The progress of the training, the quality of its models, and limits that were met."""
        why = f" ({summary.reason})" if summary.reason else ""
        return [
            f"{summary.models} of {counted(summary.planned, 'model')} in "
            f"{summary.seconds:.1f} s{why}",
            f"training tasks: {summary.training_tasks}, at most {summary.solved_training} solved",
            *_validation_lines(summary),
            f"teacher: {counted(summary.teacher_calls, 'call')}, "
            f"{counted(summary.teacher_failures, 'failure')}",
            f"tests: {summary.tests}, of which the limit on work cut {summary.cut_tests}",
            _seconds_line(summary),
        ]

    def found(self, records: TrainingRecords) -> NoBugs:
        """Nothing."""
        return NoBugs()

    def hints(self, records: TrainingRecords, summary: TrainingSummary) -> list[str]:
        """The commands that get a policy out of it."""
        if not summary.models:
            return []
        by = () if summary.solved_validation else ("--by", "loss")
        select = command_line("select", records.directory, *by, "-o", "policy.safetensors")
        return ["", f"choose one: {select}"]

    def progress(self, state: RoundDone) -> list[str]:
        """The progress of a running training."""
        place = f"model {state.cases} of {state.limit}"
        if not 0 < state.cases < state.limit:
            return [place]
        left = state.seconds / state.cases * (state.limit - state.cases)
        return [place, f"about {duration(left)} left to train"]


def _validation_lines(summary: TrainingSummary) -> list[str]:
    lines = [
        f"validation tasks: {summary.validation_tasks}, at most {summary.solved_validation} solved"
    ]
    if summary.dropped:
        lines.append(f"dropped: {counted(len(summary.dropped), 'validation task')}")
        lines += (f"  {file}: {reason}" for file, reason in summary.dropped)
    return lines


def best_line(model: BestModel) -> str:
    """`best score 0.983 (relative to the best models): model 7 solves 5 of 9 tasks, …`.

    A score compares a model with the best of all models in each of its parts, so that 1 does not
    say that it solves everything.
    """
    tasks = counted(model.validation_tasks, "validation task")
    line = (
        f"best score {model.score:.3f} (relative to the best models): model {model.number} after "
        f"{counted(model.epoch, 'epoch')} solves {model.solved} of {tasks}"
    )
    if not model.states:
        return line
    solved, bugs = (100 * part / model.states for part in (model.solved_states, model.bug_states))
    return f"{line} and {solved:.1f} % of {model.states} pool states, {bugs:.1f} % are bugs"


def _seconds_line(summary: TrainingSummary) -> str:
    parts = {
        "rollouts": summary.rollout_seconds,
        "teacher": summary.teacher_seconds,
        "learning": summary.learning_seconds,
        "tests": summary.test_seconds,
    }
    shown = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts.items())
    return f"time: {shown} ({summary.test_cpu_seconds:.1f} s of CPU)"
