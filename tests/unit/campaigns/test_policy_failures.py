"""Why runs ended without a usable action, and when nothing could be tested at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.errors import PolicyError
from bugsieve.campaigns.policy_failures import Trouble, is_one_reason, silence, troubles_of
from bugsieve.pipeline.judging.findings import RunRow
from bugsieve.policies.decisions import Ending
from tests.unit.policies.line import line_task


def run(ending: Ending, detail: str = "") -> RunRow:
    return RunRow(int(ending), 0, 0, 0.0, detail)


CRASHES = [run(Ending.POLICY_CRASH, detail) for detail in ("late", "often", "often")]


def test_the_most_frequent_reason_stands_for_all() -> None:
    troubles = troubles_of([*CRASHES, run(Ending.LOOP), run(Ending.ILLEGAL_ACTION, "(fly)")])
    assert [trouble.sentence(ending) for ending, trouble in troubles.items()] == [
        "policy crash (3 runs, 2 of them so): often",
        "illegal action (1 run): (fly)",
    ]
    assert Trouble.of({"one": 2, "other": 2}).reason == "one"


def test_silence_is_when_no_run_has_an_answer() -> None:
    hangs = [run(Ending.POLICY_HANG, "no answer within 1 s")]
    assert silence(4, troubles_of([*CRASHES, *hangs])) == (
        "policy crash (3 runs, 2 of them so): often; policy hang (1 run): no answer within 1 s"
    )
    assert silence(5, troubles_of([*CRASHES, *hangs])) is None
    assert silence(1, troubles_of([run(Ending.ILLEGAL_ACTION, "(fly)")])) is None
    assert silence(0, {}) is None


def test_a_policy_that_never_starts_raises_instead_of_having_no_bugs(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"cmd:true could not be tested: .*at its start: ended"):
        bugsieve.find_bugs(line_task(5), "cmd:true", folder=tmp_path / "kept", pool_size=3)
    assert (tmp_path / "kept" / "campaign.sqlite").exists()


def test_a_function_that_always_raises_could_not_be_tested() -> None:
    @bugsieve.policy
    def broken(facts: frozenset[str], applicable: list[str]) -> str:
        raise KeyError("x")

    with pytest.raises(PolicyError, match=r"at their first decision, policy crash \(3 runs\)"):
        bugsieve.find_bugs(line_task(5), broken, pool_size=3)


def test_reasons_are_one_apart_from_names_and_numbers() -> None:
    assert is_one_reason(["KeyError: 'x'", "KeyError: 'y'"])
    assert is_one_reason(['"(fly b1)" is no action', '"(fly b12)" is no action'])
    assert is_one_reason(["returned ('fly', 'b1'), no name", "returned ('land',), no name"])
    assert is_one_reason([f"ValueError: no, in the state after (fly {b})" for b in ("b", "c d")])
    assert is_one_reason(["returned [('fly', …, no name", "returned [1], no name"])
    assert not is_one_reason(["KeyError: 'x'", "IndexError: 3"])
