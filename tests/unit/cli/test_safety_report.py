"""What safety campaigns show while they run, and the exit codes they end with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bugsieve.campaigns.events import ClaimRejected, RoundDone
from bugsieve.campaigns.policy_failures import Trouble
from bugsieve.commands.shared.campaign_display import CampaignDisplay
from bugsieve.pipeline.judging.findings import RejectedRow, UnprovenRow
from bugsieve.rooms.jani.model.state_wording import changes_text, telling_text, values_text
from bugsieve.rooms.safety.campaign.summary import RunCounts, SafetySummary
from bugsieve.rooms.safety.campaign.wording import SafetyWording

ROUND = RoundDone(
    kind="safety",
    walks=40,
    rounds=40,
    cases=7,
    limit=1000,
    judged=3,
    bugs={"fault": 2, "avoidable": 1},
    seconds=10.0,
    per_second=4.0,
    policy_calls=0,
    last_bug_seconds=8.0,
)
REJECTED = RejectedRow(3, "vi", "nonsense", position=1)
UNPROVEN = UnprovenRow(3, "vi", "fault", "the proof is too large", 1)


def summary(**changes: Any) -> SafetySummary:
    usual = {
        "reason": None,
        "seconds": 1.0,
        "fuzz_seconds": 0.5,
        "proof_seconds": 0.25,
        "walks": 10,
        "steps": 20,
        "outcomes": {"unsafe": 4, "exhausted": 6},
        "runs": 4,
        "different_runs": 2,
        "oracles": {"vi:2": RunCounts(with_fault=1, unavoidable=2, inconclusive=1)},
        "bugs": 0,
        "bugs_by_kind": {},
        "unproven": (),
        "rejected": (),
        "troubles": {},
    }
    return SafetySummary(**{**usual, **changes})


def test_progress_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with CampaignDisplay(max_time=60.0) as display:
        assert display.lines() == ["starting"]
        display.take(ROUND)
        display.take(ClaimRejected(REJECTED))
        assert display.lines() == [
            "walk 40 of 1000, 7 unsafe runs (3 different), 2 faults, 1 avoidable, 4 walks/s, "
            "last find 2 s ago, 10 s, 50 s left"
        ]
        display.take(replace(ROUND, bugs={}, last_bug_seconds=None))
        assert "no bugs, 4 walks/s, 10 s" in display.lines()[0]
    assert capsys.readouterr().err == "the checker rejects a claim of vi: nonsense\n"


def test_counts_in_words() -> None:
    trouble = {"policy crash": Trouble(2, "KeyError")}
    lines = SafetyWording().count_lines(
        summary(bugs=1, bugs_by_kind={"fault": 1}, unproven=(UNPROVEN, UNPROVEN), troubles=trouble)
    )
    assert lines == [
        "10 walks in 1.0 s: 4 unsafe, 6 exhausted",
        "4 unsafe runs, 2 different",
        "1 bug: 1 fault",
        "1 fault not proven in full: the proof is too large",
        "  vi:2  1 of 4 unsafe runs with a fault (25 %), "
        "2 could not be avoided within 2 divergences, 1 inconclusive",
        "the policy: policy crash in 2 answers, first: KeyError",
    ]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"bugs": 1}, 1),
        ({"unproven": (UNPROVEN,)}, 1),
        ({"bugs": 1, "rejected": (REJECTED,)}, 3),
        ({}, 6),
        ({"oracles": {"vi": RunCounts(unavoidable=4)}}, 0),
        ({"oracles": {"vi": RunCounts(inconclusive=4)}}, 5),
        ({"runs": 0, "outcomes": {"loop": 1, "step limit": 9}}, 0),
        ({"runs": 0, "outcomes": {"step limit": 10}}, 5),
        ({"runs": 0, "outcomes": {}}, 5),
        ({"runs": 0, "outcomes": {"no action": 10}}, 6),
        ({"runs": 0, "outcomes": {"dead end": 10}}, 0),
        (
            {
                "runs": 0,
                "outcomes": {"no action": 10},
                "troubles": {"policy crash": Trouble(10, "KeyError")},
            },
            5,
        ),
        (
            {
                "runs": 0,
                "outcomes": {"illegal action": 5, "no action": 5},
                "troubles": {"illegal action": Trouble(10, '"up" is not applicable')},
            },
            5,
        ),
        (
            {
                "runs": 0,
                "outcomes": {"dead end": 1, "no action": 9},
                "troubles": {"policy crash": Trouble(9, "KeyError")},
            },
            6,
        ),
    ],
)
def test_exit_codes(changes: dict[str, Any], code: int) -> None:
    assert summary(**changes).exit_code == code


def test_states_in_words() -> None:
    names = ["x", "open", "h"]
    assert values_text(names, [3, True, 0.123456789]) == "x = 3, open = true, h = 0.123457"
    assert changes_text(names, [3, True, 0.5], [3, False, 1.5]) == "open true → false, h 0.5 → 1.5"
    assert changes_text(names, [3, True, 0.5], [3, True, 0.5]) == "no change"
    many = [f"v{k}" for k in range(12)]
    assert changes_text(many, [0] * 12, [1] * 12).endswith("v7 0 → 1 and 4 more")
    assert telling_text(names, [3, True, 0.5], [[3, False, 0.5], [3, True, 0.5]]) == (
        "open = true and 2 other values"
    )
    assert telling_text(names, [3, True, 0.5], []) == "x = 3, open = true, h = 0.5"
    assert telling_text(many, [0] * 12, []).endswith("v7 = 0 and 4 other values")
