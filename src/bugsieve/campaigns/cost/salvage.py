"""Which pool goes with a prefix of the visits of cost testing."""

from __future__ import annotations

from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.salvage import Salvage
from bugsieve.campaigns.store.schema import damaged
from bugsieve.campaigns.store.tables import COST_CASES, COST_CONDITIONS, COST_TABLES, COST_WHOLE


class CostSalvage(Salvage):
    """Keeps the pool as it was when the last of the kept visits was stored."""

    tables = COST_TABLES
    conditions = COST_CONDITIONS
    cases = COST_CASES
    whole = COST_WHOLE

    def cut_cases(self, visits: int) -> int:
        """Whole rounds of the pool, of which visits may be pending."""
        self._require_roots()
        last = self._last(visits)
        walks = 0 if last is None else last[1].walks
        self.connection.execute(f"DELETE FROM pool WHERE walk >= {walks}")
        beyond = "SELECT number FROM visits WHERE case_number NOT IN (SELECT number FROM pool)"
        kept = min(visits, self.value(f"SELECT IFNULL(MIN(number), {visits}) FROM ({beyond})"))
        kept = min(kept, self.value("SELECT COUNT(*) FROM visits"))
        self.connection.execute(
            "DELETE FROM runs WHERE number NOT IN"
            f" (SELECT case_number FROM visits WHERE number < {kept})"
        )
        return self.keep_progress(kept, last)

    def _last(self, visits: int) -> tuple[int, Progress] | None:
        """The first progress that has all these visits, or else the last one of which the whole
        pool is there."""
        usable = None
        whole_walks = None if self._has_whole_pool() else self._walks()
        for number, progress in self.progresses():
            if whole_walks is not None and progress.walks > whole_walks:
                break
            usable = number, progress
            if progress.visits >= visits:
                break
        return usable

    def _require_roots(self) -> None:
        """InputError unless the states are there that the pool began with; tests need none."""
        rows = self.connection.execute("SELECT value FROM meta WHERE name = 'options'")
        if any("sample" in parse_toml(text, str(self.source)) for (text,) in rows):
            return
        roots = self.value(
            "SELECT COUNT(*) FROM pool WHERE walk IS NULL AND number < ?", self.loss.case
        )
        first = self.connection.execute("SELECT cases FROM timeline ORDER BY rowid LIMIT 1")
        ((told,),) = first.fetchall() or [(1,)]
        has_more = self._walks() > 0 or self._has_whole_pool()
        if roots == 0 or not (has_more or roots >= told):
            raise damaged(self.source, "the states are lost that the pool began with")

    def _has_whole_pool(self) -> bool:
        count = self.value("SELECT COUNT(*) FROM pool")
        told = self.value("SELECT IFNULL(MAX(cases), 0) FROM timeline")
        return self.has_all_cases and self.loss.case >= count >= told

    def _walks(self) -> int:
        """Walks below this number have all their entries: the last one may have had more."""
        query = "SELECT IFNULL(MAX(walk), 0) FROM pool WHERE number < ?"
        return int(self.value(query, self.loss.case))
