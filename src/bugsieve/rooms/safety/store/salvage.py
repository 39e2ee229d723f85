"""The walks that go with a prefix of the visits of safety testing."""

from __future__ import annotations

from dataclasses import replace

from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.salvage import Salvage
from bugsieve.rooms.safety.store.tables import (
    SAFETY_CASES,
    SAFETY_CONDITIONS,
    SAFETY_TABLES,
    SAFETY_WHOLE,
)


class SafetySalvage(Salvage):
    """Keeps the walks before the first unsafe run that is not whole."""

    tables = SAFETY_TABLES
    conditions = SAFETY_CONDITIONS
    cases = SAFETY_CASES
    whole = SAFETY_WHOLE

    def cut_cases(self, visits: int) -> int:
        """All walks before the one whose run would be visited next."""
        walks = min(self.value("SELECT COUNT(*) FROM walks"), self.loss.case, self._without_run())
        first_lost = self.value(
            "SELECT MIN(case_number) FROM visits"
            " WHERE number >= ? AND typeof(case_number) = 'integer' AND case_number >= 0",
            visits,
        )
        if first_lost is not None:
            walks = min(walks, first_lost)
        for table, column in self.cases.items():
            self.keep_before(table, column, walks)
        last = [row for row in self.progresses() if row[1].walks <= walks][-1:]
        number, progress = last[0] if last else (0, Progress())
        kept = min(visits, self._visits(walks))
        if progress.walks < walks:
            steps = self.value("SELECT TOTAL(steps) FROM walks")
            progress = replace(progress, walks=walks, rounds=walks, steps=int(steps))
            number += 1
        return self.keep_progress(kept, (number, progress))

    def _visits(self, walks: int) -> int:
        return int(self.value("SELECT COUNT(*) FROM visits WHERE case_number < ?", walks))

    def _without_run(self) -> int:
        """The first unsafe walk without its run."""
        query = (
            "SELECT MIN(number) FROM walks WHERE outcome = 'unsafe'"
            " AND number NOT IN (SELECT walk FROM runs)"
        )
        first = self.value(query)
        return 2**62 if first is None else int(first)
