"""The answers that go with a prefix of the obligations."""

from __future__ import annotations

from dataclasses import replace

from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.salvage import Salvage
from bugsieve.rooms.rules.store.tables import (
    RULES_CASES,
    RULES_CONDITIONS,
    RULES_TABLES,
    RULES_WHOLE,
)


class RulesSalvage(Salvage):
    """Keeps the answers before the first that is not whole; those after it are judged anew."""

    tables = RULES_TABLES
    conditions = RULES_CONDITIONS
    cases = RULES_CASES
    whole = RULES_WHOLE
    given = ("tasks", "obligations")

    def cut_cases(self, visits: int) -> int:
        """Keep as many answers as visits."""
        counts = [self.value(f"SELECT COUNT(*) FROM {table}") for table in ("visits", "answers")]
        kept = min(visits, self.loss.case, *counts)
        self.keep_before("answers", "number", kept)
        last = [row for row in self.progresses() if row[1].visits <= kept][-1:]
        number, progress = last[0] if last else (0, Progress())
        if progress.visits < kept:
            number += 1  # the commit of the last answer is lost
        return self.keep_progress(kept, (number, replace(progress, rounds=kept)))

    def judged(self) -> int:
        """Each visit is stored with its answer, so that no progress needs to tell of it."""
        return max(super().judged(), int(self.value("SELECT COUNT(*) FROM visits")))
