"""Algorithm 1 of papers/003: one model trained epoch after epoch, as ASNets always were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bugsieve.base.arguments import whole_number
from bugsieve.base.seeds import Stream
from bugsieve.rooms.training.asnets.data import TrainingData
from bugsieve.rooms.training.asnets.model import Model
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.asnets.trainer import Epoch, Trainer
from bugsieve.rooms.training.selection import EARLY_EPOCHS
from bugsieve.tasks.grounded.task import Task

MAX_EPOCHS = 300
PATIENCE = EARLY_EPOCHS
"""Epochs in a row with all training tasks solved after which training ends."""


@dataclass(frozen=True, eq=False)
class EpochLine:
    """The epochs of one training, in order."""

    epochs: tuple[Epoch, ...]
    ended_early: bool
    """True if it ended because nothing was left to learn."""

    @property
    def model(self) -> Model:
        """The last one."""
        return self.epochs[-1].model


def train_line(
    tasks: Sequence[Task],
    options: AsnetOptions | None = None,
    *,
    seed: int = 0,
    max_epochs: int = MAX_EPOCHS,
    patience: int = PATIENCE,
    workers: int = 1,
    on_epoch: Callable[[Epoch], object] | None = None,
) -> EpochLine:
    """Train until all tasks were solved `patience` times in a row, or for `max_epochs`."""
    whole_number(max_epochs, "max_epochs", least=1)
    whole_number(patience, "patience", least=1)
    epochs: list[Epoch] = []
    solved_in_a_row = 0
    with Trainer(tasks, options or AsnetOptions(), workers=workers) as trainer:
        model, data = trainer.initial(seed), TrainingData()
        while len(epochs) < max_epochs and solved_in_a_row < patience:
            word = Stream(seed, "train-asnets", "epoch", len(epochs)).word()
            epochs.append(trainer.epoch(model, data, word))
            model = epochs[-1].model
            is_solved = epochs[-1].solved == len(trainer.tasks)
            solved_in_a_row = solved_in_a_row + 1 if is_solved else 0
            if on_epoch is not None:
                on_epoch(epochs[-1])
    return EpochLine(tuple(epochs), solved_in_a_row >= patience)
