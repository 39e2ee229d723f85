"""Configurations of training: how many models they have, and what they share."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.lab.experiments.configurations import CONFIGURATIONS, Budgets, configurations
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import Schedule


def _base(*, inits: int, start_epochs: int) -> TrainingOptions:
    schedule = Schedule(inits=inits, start_epochs=start_epochs)
    return TrainingOptions(domain="", training=("-",), validation=("-",), schedule=schedule)


def test_budgets_of_the_paper_are_its_schedules() -> None:
    """N_start and N_main as papers/003 lists them, for N_init = 4."""
    made = configurations(Budgets((40, 60, 80, 240)), _base(inits=4, start_epochs=5))
    schedules = {c.label: c.options.schedule for c in made}
    starts = {b: schedules[f"line {b}"].start_epochs for b in (40, 60, 80, 240)}
    assert starts == {40: 10, 60: 15, 80: 20, 240: 60}
    for label, expansions, online in (
        ("line pi-test", 1, "pi-test"),
        ("tree", 4, "random"),
        ("tree pi-test", 4, "pi-test"),
    ):
        schedule = schedules[label]
        assert (schedule.start_epochs, schedule.main_epochs) == (5, 220)
        assert (schedule.model_expansions, schedule.online) == (expansions, online)
        (own,) = (c for c in made if c.label == label)
        assert own.takes_start
        # Of N_main = 20, 40, 60 and 220 epochs after 4 x (1 + 5) models.
        assert [column.models for column in own.columns] == [44, 64, 84, 244]
    assert schedules["start"].models == 24
    assert [c.label for c in made if c.is_compared] == ["line 240"]


def test_every_training_spends_its_budget() -> None:
    wanted = Budgets((8, 12), CONFIGURATIONS, more_epochs=20)
    for made in configurations(wanted, _base(inits=4, start_epochs=1)):
        epochs = made.options.schedule.models - made.options.schedule.inits
        assert epochs == max(column.budget for column in made.columns)
        assert made.options.schedule.models == max(column.models for column in made.columns)
        for column in made.columns:
            assert column.models == column.budget + 4
    by_label = {c.label: c for c in configurations(wanted, _base(inits=4, start_epochs=1))}
    assert by_label["replay-bugs"].options.replay_bugs
    assert not by_label["more epochs"].options.validation
    assert by_label["more epochs"].columns[0].criterion == "loss"


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (((10,), ("line",)), "10 epochs cannot be divided among 4 lines"),
        (((20,), ("tree",)), "a budget of 20 epochs is spent by the start-up phase, which has 20"),
        (((40,), ("trie",)), "no such configuration as 'trie'|'trie'.*tree"),
        (((40,), ("more epochs",)), "needs their number, 'more_epochs'"),
        (((40,), ("tree",), 60), "'more_epochs' is for the configuration"),
    ],
)
def test_budgets_that_cannot_be_spent(wanted: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        configurations(Budgets(*wanted), _base(inits=4, start_epochs=5))  # type: ignore[arg-type]
