"""Notes for readers of a table on the trainings behind it: sizes, drops, time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bugsieve.base.wording import counted
from bugsieve.reports.table import UNDEFINED, Missing, Value
from bugsieve.rooms.lab.reports.measures import mean
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.summary import options_in
from bugsieve.rooms.training.store.records import TrainingRecords


def training_notes(trainings: Sequence[tuple[str, Path]]) -> Iterator[str]:
    """Notes about trainings of one configuration, which are given by domain and folder."""
    sizes: dict[str, list[str]] = {}
    dropped: dict[str, None] = {}
    epochs: dict[str, list[Value]] = {}
    for domain, folder in trainings:
        with TrainingRecords(folder) as records:
            names = sizes.setdefault(sizes_text(options_in(records)), [])
            names += [] if domain in names else [domain]
            for file, reason in records.header.subject.dropped:
                dropped[f"dropped {domain}, validation task {Path(file).name}: {reason}"] = None
            epochs.setdefault(domain, []).append(_epochs_of_tests(records))
    for size, names in sizes.items():
        yield f"{', '.join(names)}: {size}"
    means = {domain: mean(values) for domain, values in sorted(epochs.items())}
    shown = [f"{d} {v:.0f}" for d, v in means.items() if not isinstance(v, Missing)]
    if shown:
        yield f"tests on validation tasks took the time of so many epochs: {', '.join(shown)}"
    yield from dropped


def sizes_text(options: TrainingOptions) -> str:
    """`2 initialisations, 6 epochs of 10 steps, 1 training task, …`."""
    schedule = options.schedule
    return (
        f"{counted(schedule.inits, 'initialisation')}, "
        f"{counted(schedule.models - schedule.inits, 'epoch')} of "
        f"{counted(options.asnets.steps, 'step')}, "
        f"{counted(len(options.training), 'training task')}, "
        f"{counted(len(options.validation), 'validation task')} "
        f"with pools of {options.fuzz.pool_size}"
    )


def _epochs_of_tests(records: TrainingRecords) -> Value:
    """The number of further epochs that could have been trained in the time of the tests."""
    rows = records.models()
    training = sum(r.rollout_seconds + r.teacher_seconds + r.learning_seconds for r in rows)
    tests = sum(row.test_seconds for row in rows)
    epochs = sum(row.parent is not None for row in rows)
    return epochs * tests / training if training else UNDEFINED
