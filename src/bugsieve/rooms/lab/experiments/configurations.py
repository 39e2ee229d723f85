"""The configurations of training that papers/003 compares, and what is shared between them.

With one seed, all that go on from the same start-up phase begin with the same models, which are
trained once; and there a training with a smaller budget is the beginning of one with a larger
budget, so that only the largest is trained. Neither holds for lines, which have no main phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import LOSS, PI_TEST, RANDOM

START, LINE, LINE_PI_TEST, TREE, TREE_PI_TEST = (
    *("start", "line", "line pi-test", "tree", "tree pi-test"),
)
REPLAY_BUGS, MORE_EPOCHS = "replay-bugs", "more epochs"
USUAL = (LINE, LINE_PI_TEST, TREE, TREE_PI_TEST)
CONFIGURATIONS = (*USUAL, REPLAY_BUGS, MORE_EPOCHS)


@dataclass(frozen=True)
class ComparedModel:
    """The model that tables compare: what a criterion takes of the first ones of a training."""

    configuration: str
    budget: int
    """Epochs of all models together."""
    models: int
    """Those with random weights included."""
    criterion: str = PI_TEST


@dataclass(frozen=True)
class Configuration:
    """A training, and the columns of tables that are made of it."""

    label: str
    options: TrainingOptions
    """All but tasks and seed."""
    columns: tuple[ComparedModel, ...]
    takes_start: bool = False
    """True if it goes on from the start-up phase that others have, too."""
    is_compared: bool = False
    """True if all criteria are compared on its models."""


@dataclass(frozen=True)
class Budgets:
    """The numbers of epochs of trainings, and the trainings there are."""

    budgets: tuple[int, ...]
    names: tuple[str, ...] = USUAL
    more_epochs: int | None = None
    """Of the lines that have no tests of models: what the time for those would give."""

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in CONFIGURATIONS:
                raise UsageError(no_such("configuration", name, CONFIGURATIONS))
        if (MORE_EPOCHS in self.names) != (self.more_epochs is not None):
            raise UsageError(
                f"the configuration {MORE_EPOCHS!r} needs their number, 'more_epochs'"
                if self.more_epochs is None
                else f"'more_epochs' is for the configuration {MORE_EPOCHS!r}, which is not there"
            )


def configurations(wanted: Budgets, base: TrainingOptions) -> list[Configuration]:
    """All trainings; the start-up phase that others share is one of them."""
    found = []
    if any(name in wanted.names for name in (LINE_PI_TEST, TREE, TREE_PI_TEST)):
        found.append(_start(base))
    for name in wanted.names:
        if name == LINE:
            found += _lines(wanted.budgets, base)
        elif name == REPLAY_BUGS:
            changed = replace(base, replay_bugs=True)
            found.append(_line(REPLAY_BUGS, max(wanted.budgets), changed))
        elif name == MORE_EPOCHS:
            assert wanted.more_epochs is not None
            made = _line(MORE_EPOCHS, wanted.more_epochs, base, LOSS)
            found.append(replace(made, options=replace(made.options, validation=())))
        else:
            found.append(_with_main_phase(name, wanted.budgets, base))
    return found


def _start(base: TrainingOptions) -> Configuration:
    schedule = replace(base.schedule, main_epochs=0)
    epochs = schedule.inits * schedule.start_epochs
    column = ComparedModel(START, epochs, schedule.start_models)
    return Configuration(START, replace(base, schedule=schedule), (column,))


def _lines(budgets: Sequence[int], base: TrainingOptions) -> Iterator[Configuration]:
    """One for each budget: the data that lines share grow otherwise when they are longer."""
    for budget in budgets:
        made = _line(LINE, budget, base)
        yield replace(made, label=f"{LINE} {budget}", is_compared=budget == max(budgets))


def _line(
    name: str, budget: int, base: TrainingOptions, criterion: str = PI_TEST
) -> Configuration:
    inits = base.schedule.inits
    if budget % inits or not budget:
        raise UsageError(
            f"{budget} epochs cannot be divided among {inits} lines: take a multiple of {inits}"
        )
    schedule = replace(base.schedule, start_epochs=budget // inits, main_epochs=0)
    column = ComparedModel(name, budget, schedule.models, criterion)
    return Configuration(name, replace(base, schedule=schedule), (column,))


def _with_main_phase(name: str, budgets: Sequence[int], base: TrainingOptions) -> Configuration:
    before = base.schedule.inits * base.schedule.start_epochs
    for budget in budgets:
        if budget <= before:
            raise UsageError(
                f"a budget of {budget} epochs is spent by the start-up phase, which has {before}"
            )
    schedule = replace(
        base.schedule,
        main_epochs=max(budgets) - before,
        model_expansions=1 if name == LINE_PI_TEST else base.schedule.model_expansions,
        online=RANDOM if name == TREE else PI_TEST,
    )
    columns = (ComparedModel(name, b, schedule.start_models + b - before) for b in budgets)
    return Configuration(name, replace(base, schedule=schedule), tuple(columns), takes_start=True)
