"""What a measurement of cost testing has found out, test by test."""

from __future__ import annotations

from bugsieve.campaigns.store.records import CampaignRecords, stored_cause
from bugsieve.campaigns.store.schema import understood
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.pipeline.measuring.figures import SampledTest
from bugsieve.policies.decisions import Ending

SIGHTED = "SELECT visits.case_number FROM sightings JOIN visits ON sightings.visit = visits.number"
"""The cases at whose visits a known bug was seen."""


class SampleRecords(CampaignRecords[CostBugRow]):
    """The part of the records that is about tests."""

    def tests(self) -> list[tuple[int, SampledTest]]:
        """What each judged test has shown, with its number in the measurement, in order."""
        causes, passed = self._causes(), self._cases("verdicts WHERE outcome = 'pass'")
        # A claim without a proof, and a policy that changes its answers, leave a test open.
        claims = self._cases("verdicts WHERE outcome = 'implied'") | self._cases("rejected")
        claims |= self._cases("unstable WHERE cause = ''")
        query = (
            "SELECT number, walk, ending FROM pool JOIN runs USING (number)"
            " WHERE number IN (SELECT case_number FROM visits"
            " WHERE number < (SELECT visits FROM progress)) ORDER BY number"
        )
        tests = []
        for case, number, ending in self._rows(query):
            fails = ending != Ending.SOLVED and case not in passed
            found = frozenset(causes.get(case, ()))
            tests.append((number, SampledTest(found, not found and (fails or case in claims))))
        return tests

    def _cases(self, rows: str) -> set[int]:
        """The cases at whose visits there are such rows."""
        visits = f"SELECT visit FROM {rows}"
        query = f"SELECT DISTINCT case_number FROM visits WHERE number IN ({visits})"
        return {case for (case,) in self._rows(query)}

    def _causes(self) -> dict[int, set[str]]:
        """The ids of the causes that cases show."""
        query = (
            "SELECT bugs.case_number, cause FROM bugs UNION SELECT visits.case_number, bugs.cause"
            " FROM sightings JOIN visits ON sightings.visit = visits.number"
            " JOIN bugs ON sightings.bug = bugs.id"
        )
        found: dict[int, set[str]] = {}
        names: dict[str, str] = {}
        with understood(self.directory):
            for case, key in self._rows(query):
                if key not in names:
                    names[key] = stored_cause(key, "[]").id
                found.setdefault(case, set()).add(names[key])
        return found
