"""Specs of oracles: what they make, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.pipeline.bench import Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.oracles.combined import AnyOracle, BestOfOracle, split_specs
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import ORACLES, check_oracle_spec, make_oracle
from tests.other_package import install
from tests.unit.oracles.benches import places, road_bench, road_map

TASK = road_map(((0, 1, 1), (1, 0, 1), (1, 2, 1)), places=3, goal=2)

GOOD = (
    "lookahead",
    "lookahead:3",
    "aras",
    "undo-qual",
    "inv-quant",
    "planner:astar-lmcut",
    "planner:ehc",
    "planner:gbfs-500",
    "planner:fd:astar(lmcut())",
    "perfect",
    "bounds",
    "bounds:hmax",
    "bounds:blind,gbfs-10",
    "bounds:lmcut,aras",
    "any:lookahead",
    "any:lookahead:3+planner:fd:eager(tiebreaking([sum([g(),h]), h]))+best-of:(aras+perfect)",
)
BAD = {
    "lookahed": "no oracle 'lookahed' (did you mean 'lookahead'?)",
    "tarjan": "oracle 'tarjan' is for models, not for planning tasks; for planning tasks there",
    "lookahead:0": "a whole number from 1 to 1000000",
    "lookahead:two": "a whole number from 1 to 1000000",
    "lookahead:1000000000": "a whole number from 1 to 1000000",
    "lookahead:" + "9" * 5000: "a whole number from 1 to 1000000",
    "perfect:3": "takes no argument",
    "planner": "name a planner",
    "planner:ehd": "no planner 'ehd' (did you mean 'ehc'?)",
    "planner:gbfs-0": "the N of gbfs-N must be from 1 to 999999999999",
    "planner:gbfs-12345678901234567890123": "the N of gbfs-N must be from 1 to 999999999999",
    "planner:fd:": "no planner",
    "bounds:hff": "no admissible heuristic 'hff'",
    "bounds:lmcut,": "name a planner after the comma",
    "bounds:lmcut,ehd": "did you mean 'ehc'?",
    "any": "joined by +",
    "any:": "joined by +",
    "any:lookahead+": "joined by +",
    "best-of:lookahead+arras": "no oracle 'arras' (did you mean 'aras'?)",
    "": "no oracle ''",
}


@pytest.mark.parametrize("spec", GOOD)
def test_a_good_spec_passes_the_check_without_a_bench(spec: str) -> None:
    check_oracle_spec(spec)


@pytest.mark.parametrize("spec", BAD)
def test_a_wrong_spec_is_refused_with_or_without_a_bench(spec: str) -> None:
    for attempt in (check_oracle_spec, lambda s: make_oracle(s, road_bench(TASK, {}))):
        with pytest.raises(UsageError) as caught:
            attempt(spec)
        assert BAD[spec] in str(caught.value)


def test_every_listed_oracle_can_be_named() -> None:
    for name in ORACLES:
        several = {"combined": ":bmo:0+aras", "split": ":perfect+aras"}
        arguments = {"planner": ":ehc", "any": ":perfect", "best-of": ":perfect", **several}
        argument = arguments.get(name, "")
        check_oracle_spec(name + argument)


def test_an_oracle_that_does_not_apply_says_why() -> None:
    one_way = road_map(((0, 1, 1), (1, 2, 1)), places=3, goal=2)
    with pytest.raises(UnsupportedError, match=r"'inv-quant' cannot be used on map: \(go-"):
        make_oracle("inv-quant", road_bench(one_way, {}))


def test_specs_are_split_outside_brackets_only() -> None:
    assert split_specs("a:1+b:f([x+y],z)+any:(c+d)+(best-of:e+f)") == [
        "a:1",
        "b:f([x+y],z)",
        "any:c+d",
        "best-of:e+f",
    ]


def test_combinations_leave_out_what_does_not_apply() -> None:
    one_way = road_bench(road_map(((0, 1, 1), (1, 2, 1)), places=3, goal=2), {})
    combined = make_oracle("any:inv-quant+perfect", one_way)
    assert isinstance(combined, AnyOracle)
    assert [member.spec for member in combined.members] == ["perfect"]
    assert list(combined.left_out) == ["inv-quant"]
    with pytest.raises(UnsupportedError, match="inverse"):
        make_oracle("best-of:inv-quant", one_way)


def test_best_of_is_made_with_all_that_apply() -> None:
    combined = make_oracle("best-of:lookahead+perfect", road_bench(TASK, {}))
    assert isinstance(combined, BestOfOracle)
    assert [member.spec for member in combined.members] == ["lookahead", "perfect"]


class PluginOracle(Oracle):
    """An oracle as another package would bring it."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """Never knows."""
        return [inconclusive("asked a plugin")] * len(suspects)


def test_other_packages_can_add_oracles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"own": f"{__name__}:PluginOracle", "broken": f"{__name__}:NoSuchOracle"}
    install(tmp_path, monkeypatch, {"bugsieve.oracles": entries})
    bench = road_bench(TASK, {})
    (verdict,) = make_oracle("own", bench).judge(bench.suspects(places(0)))
    assert verdict.reason == "asked a plugin"
    with pytest.raises(InputError, match=r"oracle 'broken' of .* cannot be loaded"):
        make_oracle("broken", bench)
    with pytest.raises(UsageError, match=r"did you mean 'own'\?"):
        check_oracle_spec("ownn")


@pytest.mark.parametrize(
    "spec",
    ["bmo:" + "9" * 5000, "bmo:1:transitions=" + "9" * 5000, "morph:" + "9" * 5000, "morph:0"],
    ids=lambda spec: spec[:20],
)
def test_numbers_beyond_measure_are_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="got '"):
        check_oracle_spec(spec)


@pytest.mark.parametrize("name", ["bmo:", "morph:", "bmo:1:transitions="])
def test_leading_zeros_are_no_trouble(name: str) -> None:
    check_oracle_spec(f"{name}{'0' * 5000}7")
