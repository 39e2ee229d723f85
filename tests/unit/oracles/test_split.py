"""One oracle for runs that fail, another for runs that solve."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.registry import families
from bugsieve.pipeline.oracles.registry import check_oracle_spec, make_oracle
from bugsieve.pipeline.oracles.split import SplitOracle
from tests.unit.judging.suffixes import NAME, PLACE
from tests.unit.oracles.benches import places, road_bench, road_map
from tests.unit.oracles.test_combined import Fixed, bug

ROADS = ((0, 1, 1), (1, 0, 1), (1, 4, 1), (2, 3, 5), (2, 4, 2), (3, 4, 5))
TASK = road_map(ROADS, places=5, goal=4)
CHOICES = {0: 0, 1: 1, 2: 3, 3: 5}
"""From 0 and 1 the policy goes in a circle, from 2 it takes a detour; 3 is as it must be."""


def test_each_oracle_gets_its_runs_in_one_batch() -> None:
    bench = road_bench(TASK, CHOICES)
    oracle = SplitOracle(bench, "split:planner:ehc+aras")
    failed, solved = Fixed(bench, "failed", bug(1.0)), Fixed(bench, "solved", bug(2.0))
    oracle._members = (failed, solved)
    verdicts = oracle.judge(bench.suspects(places(2, 0, 3, 1)))
    assert [verdict.reason for verdict in verdicts] == [
        *("solved: found", "failed: found", "solved: found", "failed: found"),
    ]
    assert (failed.asked, solved.asked) == (2, 2)
    oracle.close()
    assert failed.closed and solved.closed


def test_aras_or_ehc_is_the_split_of_both() -> None:
    bench = road_bench(TASK, CHOICES)
    suspects = bench.suspects(places(0, 1, 2, 3, 4))
    named = make_oracle("aras-or-ehc", bench).judge(suspects)
    assert named == make_oracle("split:planner:ehc+aras", bench).judge(suspects)
    assert [verdict.is_bug for verdict in named] == [True, True, True, False, False]
    parts = [make_oracle(spec, bench).judge(suspects) for spec in ("planner:ehc", "aras")]
    assert [v.plan for v in named] == [v.plan for v in (*parts[0][:2], *parts[1][2:])]


def test_who_does_not_apply_leaves_its_runs_open() -> None:
    bench = road_bench(TASK, CHOICES, "qualitative")
    oracle = make_oracle("split:planner:ehc+aras", bench)
    failed, solved = oracle.judge(bench.suspects(places(0, 2)))
    assert failed.is_bug and not solved.is_bug
    assert "oracle 'aras' cannot be used on map" in solved.reason
    with pytest.raises(UnsupportedError, match="aras"):
        make_oracle("split:aras+aras", bench)


def test_members_may_be_combinations() -> None:
    bench = road_bench(TASK, CHOICES)
    spec = "any:split:(planner:ehc+aras)+lookahead:1"
    (verdict,) = make_oracle(spec, bench).judge(bench.suspects(places(2)))
    assert verdict.reason.startswith("split:planner:ehc+aras: aras: ")
    check_oracle_spec("split:any:(planner:ehc+lookahead)+best-of:(aras+lookahead)")


def test_oracles_that_learn_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families.ORACLES.builtin, NAME, PLACE)
    with pytest.raises(UsageError, match="'suffixes' learns from every case, so it cannot be"):
        make_oracle("split:planner:ehc+suffixes", road_bench(TASK, CHOICES))


@pytest.mark.parametrize("spec", ["split:aras", "split:aras+planner:ehc+perfect"])
def test_it_takes_two_oracles(spec: str) -> None:
    with pytest.raises(UsageError, match="takes two oracles, one for runs that fail and one"):
        check_oracle_spec(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("split:", "name oracles after the colon"),
        ("split:aras+", "name oracles after the colon"),
        ("split:aras+planer:ehc", "did you mean 'planner'"),
        ("aras-or-ehc:2", "it takes no argument"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_oracle_spec(spec)
    assert sentence in str(caught.value)
