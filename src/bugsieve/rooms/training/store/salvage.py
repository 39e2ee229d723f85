"""The models that go with a prefix of the visits of a training."""

from __future__ import annotations

from dataclasses import replace

from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.salvage import Salvage
from bugsieve.campaigns.store.schema import damaged
from bugsieve.rooms.training.store.tables import (
    TRAINING_CASES,
    TRAINING_CONDITIONS,
    TRAINING_TABLES,
    TRAINING_WHOLE,
)


class TrainingSalvage(Salvage):
    """Keeps the models before the first that is not whole; parents come before their children."""

    tables = TRAINING_TABLES
    conditions = TRAINING_CONDITIONS
    cases = TRAINING_CASES
    whole = TRAINING_WHOLE
    given = ("tasks",)

    def cut_cases(self, visits: int) -> int:
        """Keep as many models as visits, with their tests and what they learnt from."""
        self._require_tasks()
        counts = [self.value(f"SELECT COUNT(*) FROM {table}") for table in ("visits", "models")]
        models = min(visits, self.loss.case, *counts)
        for table, column in self.cases.items():
            self.keep_before(table, column, models)
        last = [row for row in self.progresses() if row[1].visits <= models][-1:]
        number, progress = last[0] if last else (0, Progress())
        if progress.visits < models:
            number += 1  # the commit of the last model is lost
        calls = int(self.value("SELECT TOTAL(decisions) FROM tests"))
        progress = replace(progress, rounds=models, policy_calls=calls)
        return self.keep_progress(models, (number, progress))

    def judged(self) -> int:
        """Each visit is stored with its model, so that no progress needs to tell of it."""
        return max(super().judged(), int(self.value("SELECT COUNT(*) FROM visits")))

    def _require_tasks(self) -> None:
        """InputError if all models were tested on a task that is not there."""
        lost = self.value(
            "SELECT COUNT(*) FROM (SELECT task FROM tests"
            " WHERE task NOT IN (SELECT number FROM tasks) GROUP BY task"
            " HAVING COUNT(DISTINCT model) = (SELECT COUNT(DISTINCT model) FROM tests))"
        )
        if lost:
            raise damaged(self.source, "table tasks: rows at its end are lost")
