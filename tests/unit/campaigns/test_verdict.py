"""The table of verdicts: one outcome, one first line and one exit code for each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from bugsieve.campaigns.coverage import Coverage, joint_coverage
from bugsieve.campaigns.policy_failures import Trouble
from bugsieve.campaigns.several.several import JointSummary
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.pipeline.judging.findings import RejectedRow, UnstableRow

REJECTED = RejectedRow(1, "exact", "no")
CHANGED = UnstableRow(1, 0, "s", "a", "b")


@dataclass(frozen=True, kw_only=True)
class Made(Summary):
    """A summary of which everything that the table reads can be chosen."""

    states: int = 200
    left: int = 0
    sure: int = 0
    tells: bool = True
    no_answer: str | None = None
    no_test: str = ""
    mistaken: Trouble | None = None

    @property
    def tested(self) -> Mapping[str, int]:
        return {"test state": self.states}

    @property
    def undecided(self) -> int:
        return self.left

    @property
    def certain(self) -> int:
        return self.sure

    @property
    def is_telling(self) -> bool:
        return self.tells

    @property
    def unanswered(self) -> str | None:
        return self.no_answer

    @property
    def untested(self) -> str:
        return self.no_test

    @property
    def mistake(self) -> Trouble | None:
        return self.mistaken

    @property
    def green(self) -> str:
        coverage = self.coverage
        return coverage.green() if coverage is not None and coverage.is_proven else ""


def made(**changes: Any) -> Made:
    usual = {"reason": "done", "seconds": 0.0, "walks": 0, "steps": 0, "bugs": 0}
    usual |= {"bugs_by_kind": {}, "rejected": (), "troubles": {}}
    return Made(**{**usual, **changes})


def joint(*parts: Made, **changes: Any) -> JointSummary:
    usual: dict[str, Any] = dict(made().__dict__)
    for name in ("states", "left", "sure", "tells", "no_answer", "no_test", "mistaken"):
        del usual[name]
    usual |= {
        "parts": {f"p{number}": part for number, part in enumerate(parts, 1)},
        "bugs": sum(part.bugs for part in parts),
        "cause_count": max((part.cause_count for part in parts), default=0),
        "rejected": tuple(row for part in parts for row in part.rejected),
        "coverage": joint_coverage([part.coverage for part in parts]),
        "noun": "problem",
    }
    return JointSummary(**{**usual, **changes})


def proven(states: int, plans: int, finding: str = "the policy is optimal") -> Coverage:
    counts = {"reachable": states, "with_plan": plans, "finding": finding}
    return Coverage(is_counted=True, is_whole=True, is_proven=True, **counts)  # type: ignore[arg-type]


LARGE = Coverage(reachable=200_000)
BUGS = made(bugs=41, cause_count=5)


@pytest.mark.parametrize(
    ("found", "outcome", "code", "sentence"),
    [
        (BUGS, "bugs", 1, "41 bugs with 5 causes in 200 test states"),
        (made(bugs=1, states=1), "bugs", 1, "1 bug in 1 test state"),
        (made(bugs=2, left=9, cause_count=1), "bugs", 1, "2 bugs with 1 cause in 200 test states"),
        (made(sure=10), "bugs", 1, "10 bugs without a proof in 200 test states"),
        (
            made(states=1856, coverage=proven(1856, 1856)),
            *("proven", 0),
            "no bugs: the policy is optimal from all 1856 reachable states (proven)",
        ),
        (
            made(states=58_482, coverage=proven(58_482, 324, "the policy solves the task")),
            *("proven", 0),
            "no bugs: the policy solves the task from the 324 of 58 482 reachable states that "
            "have a plan (proven)",
        ),
        (
            made(states=115, coverage=LARGE),
            *("none found", 0),
            "no bugs found in 115 test states, of more than 200 000 reachable ones",
        ),
        (
            made(states=115, coverage=Coverage(reachable=1856, is_counted=True)),
            *("none found", 0),
            "no bugs found in 115 test states, of 1856 reachable ones",
        ),
        (made(states=115), "none found", 0, "no bugs found in 115 test states"),
        (made(left=14), "undecided", 6, "undecided: 14 of 200 test states"),
        (made(left=14, unstable=(CHANGED,)), "undecided", 6, "undecided: 14 of 200 test states"),
        (
            made(unstable=(CHANGED,), coverage=proven(200, 200)),
            *("unstable", 6),
            "undecided: the policy changes its answers",
        ),
        (
            made(no_test="no plan exists: nothing was tested"),
            *("nothing tested", 5),
            "no plan exists: nothing was tested",
        ),
        (
            made(tells=False, no_answer="policy crash (5 runs): oops"),
            *("nothing tested", 5),
            "nothing could be tested: policy crash (5 runs): oops",
        ),
        (
            made(bugs=3, no_answer="all 3 runs ended", mistaken=Trouble(3, "oops")),
            *("nothing tested", 5),
            "nothing could be tested: all 3 runs ended",
        ),
        (
            made(tells=False),
            *("nothing tested", 5),
            "nothing could be tested: it would take more cases",
        ),
        (
            made(tells=False, reason=None, states=0),
            *("nothing tested", 5),
            "nothing is tested yet",
        ),
        (
            made(bugs=3, rejected=(REJECTED,)),
            *("fault", 3),
            "1 claim rejected by the checker: a fault in Bugsieve",
        ),
    ],
)
def test_one_campaign(found: Made, outcome: str, code: int, sentence: str) -> None:
    verdict = found.verdict
    assert (verdict.outcome.word, str(verdict)) == (outcome, sentence)
    assert (verdict.exit_code, found.exit_code) == (code, code)


GREEN = made(states=256, coverage=proven(256, 256))
LOST = made(states=1000, coverage=proven(1000, 400))
PART = made(states=100, coverage=LARGE)
OPEN = made(states=50, left=2)
SILENT = made(states=5, tells=False, no_answer="policy crash (5 runs): oops")


@pytest.mark.parametrize(
    ("found", "outcome", "code", "sentence"),
    [
        (joint(BUGS, OPEN), "bugs", 1, "41 bugs with 5 causes in 250 test states of 2 problems"),
        (
            joint(GREEN, GREEN),
            *("proven", 0),
            "no bugs: the policy is optimal from all 512 reachable states of 2 problems (proven)",
        ),
        (
            joint(GREEN, LOST),
            *("proven", 0),
            "no bugs: the policy is optimal from the 656 of 1256 reachable states of 2 problems "
            "that have a plan (proven)",
        ),
        (
            joint(GREEN, PART),
            *("none found", 0),
            "no bugs found in 356 test states of 2 problems, of more than 200 256 reachable ones",
        ),
        (
            joint(GREEN, made(states=7)),
            *("none found", 0),
            "no bugs found in 263 test states of 2 problems",
        ),
        (
            joint(GREEN, GREEN, not_begun=("p3",)),
            *("undecided", 6),
            "undecided: 1 of 3 problems not begun",
        ),
        (joint(GREEN, OPEN), "undecided", 6, "undecided: 2 of 306 test states of 2 problems"),
        (
            joint(GREEN, SILENT),
            *("undecided", 6),
            "undecided: nothing was tested in 1 of 2 problems",
        ),
        (
            joint(GREEN, made(unstable=(CHANGED,))),
            *("unstable", 6),
            "undecided: the policy changes its answers, in p2",
        ),
        (joint(SILENT, SILENT), "nothing tested", 5, str(SILENT.verdict)),
        (
            joint(SILENT, made(no_test="no plan exists: nothing was tested")),
            *("nothing tested", 5),
            "nothing could be tested in 2 problems",
        ),
        (
            joint(GREEN, failed={"p2": "no file"}),
            *("failed", 4),
            "1 of 2 problems could not be tested",
        ),
        (
            joint(BUGS, failed={"p2": "no file"}),
            *("bugs", 1),
            "41 bugs with 5 causes in 200 test states of 2 problems",
        ),
        (
            joint(BUGS, made(rejected=(REJECTED,))),
            *("fault", 3),
            "1 claim rejected by the checker: a fault in Bugsieve",
        ),
        (
            joint(made(), told={"p1": "best score 1"}),
            *("none found", 0),
            "1 problem, bugs were not looked for",
        ),
    ],
)
def test_several_problems(found: JointSummary, outcome: str, code: int, sentence: str) -> None:
    verdict = found.verdict
    assert (verdict.outcome.word, str(verdict)) == (outcome, sentence)
    assert (verdict.exit_code, found.exit_code) == (code, code)


def test_a_part_is_never_called_proven_or_free_of_bugs() -> None:
    """Only a certificate that was accepted lets the first line say so."""
    whole = Coverage(reachable=256, is_counted=True, is_whole=True, with_plan=256)
    for coverage in (None, LARGE, whole):
        verdict = made(coverage=coverage).verdict
        assert verdict.outcome is CampaignResult.NONE_FOUND
        assert "proven" not in str(verdict) and str(verdict).startswith("no bugs found in ")


def test_outcomes_have_tones_and_codes() -> None:
    tones = {outcome: outcome.tone for outcome in CampaignResult}
    assert [o for o in tones if tones[o] == "bug"] == [CampaignResult.BUGS]
    assert {o for o in tones if tones[o] == "fine"} == {
        CampaignResult.PROVEN,
        CampaignResult.NONE_FOUND,
    }
    assert all(o.is_fine == (o.exit_code == 0) for o in CampaignResult)
