"""Results of a suite as JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.basis import junit
from bugsieve.domain_testing.suite_runs import CaseResult

_OUTCOMES: dict[str, junit.Outcome] = {"fail": "failure", "undecided": "error"}


def junit_text(name: str, results: Sequence[CaseResult]) -> str:
    """One test suite; what is undecided is an error, since it is no pass."""
    cases = [
        junit.JUnitCase(
            result.case.label,
            name,
            _OUTCOMES.get(result.outcome, "passed"),
            result.reason,
            tuple(result.details),
        )
        for result in results
    ]
    return junit.junit_text(name, cases)
