"""The table of criteria: which model each takes, and how good that is."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.training.campaign.choices import Choice

_COLUMNS = (
    Column("model", ("", "model"), decimals=0),
    Column("epoch", ("", "epoch"), decimals=0),
    Column("loss", ("training", "loss"), decimals=4),
    Column("training", ("training", "solved"), decimals=0),
    Column("validation", ("validation", "solved"), decimals=0),
    Column("states", ("validation", "states %")),
    Column("bugs", ("validation", "bugs %")),
    Column("score", ("validation", "score"), decimals=3),
)
_TESTS = Column("test", ("test", "solved"), decimals=0)


def choices_table(choices: Sequence[Choice]) -> Table:
    """One row per criterion; the column of test tasks only where they are known."""
    has_tests = any(choice.solved_tests is not None for choice in choices)
    columns = (*_COLUMNS, _TESTS) if has_tests else _COLUMNS
    rows = tuple(Row("", choice.criterion, _cells(choice)[: len(columns)]) for choice in choices)
    return Table("criterion", "", columns, rows)


def _cells(choice: Choice) -> tuple[Value, ...]:
    model = choice.model
    return (
        model.number,
        choice.epoch,
        _known(model.loss),
        _known(model.solved_training),
        model.solved_validation,
        _percent(model.solved_states, model.states),
        _percent(model.bug_states, model.states),
        choice.score,
        _known(choice.solved_tests),
    )


def _known(value: float | None) -> Value:
    return UNDEFINED if value is None else value


def _percent(part: int, whole: int) -> Value:
    return 100 * part / whole if whole else UNDEFINED
