"""Table 1 of papers/002 over campaigns written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.base.registry import families
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.reports.table import UNDEFINED, Table, Value
from bugsieve.rooms.lab.reports.collection import collect
from bugsieve.rooms.lab.reports.icaps23 import OracleTableOptions, icaps23_table, judged_in
from tests.unit.judging.suffixes import NAME, PLACE
from tests.unit.policies.generated import generated_task
from tests.unit.reports.samples import Sample


def write(folder: Path, verdicts: Mapping[str, str], runs: str = "s" * 20, **more: Any) -> None:
    """A campaign for each oracle, on the same pool; who says less has judged less."""
    for oracle, letters in verdicts.items():
        judged = runs[: len(letters)]
        sample = Sample(judged, {oracle: letters}, unjudged=len(runs) - len(letters), **more)
        sample.write(folder / oracle)


def table(folder: Path, *, least: int = 2, **options: Any) -> Table:
    return icaps23_table(collect([folder]), OracleTableOptions(least, **options))


def cells(made: Table, row: int = 0) -> dict[str, Value]:
    return {c.key: v for c, v in zip(made.columns, made.rows[row].cells, strict=True)}


def test_recall_is_on_the_states_that_all_have_judged(tmp_path: Path) -> None:
    write(tmp_path / "a", {"aras": "b?b?", "perfect": "?bbbbb", "bounds": "????b"}, length=10)
    write(tmp_path / "b", {"aras": "bb", "perfect": "?b", "bounds": "??????"}, length=20)
    made = table(tmp_path)
    assert [row.label for row in made.rows] == ["line"]
    assert cells(made) == {
        "tasks": 2.0,
        "joint_pool": 6.0,
        "aras": pytest.approx(400 / 6),
        "perfect": pytest.approx(400 / 6),
        "bounds": 0.0,
        "BestOf": pytest.approx(600 / 6),
    }


def test_who_has_judged_too_little_is_left_out_and_does_not_shrink_the_pool(
    tmp_path: Path,
) -> None:
    write(tmp_path / "a", {"aras": "b?b?", "perfect": "?b"}, length=10)
    write(tmp_path / "b", {"aras": "bb??", "perfect": "bbb"}, length=20)
    assert cells(table(tmp_path, least=2))["joint_pool"] == 5.0
    made = table(tmp_path, least=3)
    assert cells(made) == {
        "tasks": 2.0,
        "joint_pool": 8.0,
        "aras": 50.0,
        "perfect": UNDEFINED,
        "BestOf": 50.0,
    }
    assert "line: without perfect, which judged fewer than 3 states per task on average" in (
        made.notes
    )


def test_a_campaign_that_is_missing_has_judged_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a", {"aras": "b?b?", "perfect": "?b??"}, length=10)
    write(tmp_path / "b", {"aras": "bb??"}, length=20)
    assert cells(table(tmp_path, least=3))["joint_pool"] == 8.0
    assert cells(table(tmp_path, least=2))["joint_pool"] == 4.0


def test_who_has_judged_nothing_in_one_task_leaves_its_pool_empty(tmp_path: Path) -> None:
    write(tmp_path / "a", {"aras": "b?b?", "perfect": ""}, length=10)
    write(tmp_path / "b", {"aras": "bb??", "perfect": "bbbb"}, length=20)
    assert judged_in(tmp_path / "a" / "perfect").states.shape == (0, 1)
    made = table(tmp_path)
    assert cells(made) == {
        "tasks": 2.0,
        "joint_pool": 4.0,
        "aras": 50.0,
        "perfect": 100.0,
        "BestOf": 100.0,
    }
    assert cells(table(tmp_path, truth="perfect"))["joint_pool"] == 4.0


def test_only_instances_that_the_policy_solves_unless_all_are_wanted(tmp_path: Path) -> None:
    write(tmp_path / "a", {"aras": "b?b?"}, length=10)
    write(tmp_path / "b", {"aras": "bbbb"}, runs="llll", length=20)
    made = table(tmp_path)
    assert cells(made)["aras"] == 50.0
    assert made.rows[0].unsolved == ("line-20",)
    assert any("left out" in note and note.endswith("line-20") for note in made.notes)
    everything = cells(table(tmp_path, all_instances=True))
    assert (everything["tasks"], everything["aras"]) == (2.0, 75.0)


def test_seeds_are_pools_of_one_instance(tmp_path: Path) -> None:
    for seed in (0, 1):
        write(tmp_path / str(seed), {"aras": "b?", "perfect": "bb"}, seed=seed)
    made = cells(table(tmp_path))
    assert (made["tasks"], made["joint_pool"], made["BestOf"]) == (1.0, 4.0, 100.0)


def test_recall_against_the_bugs_of_one_that_knows(tmp_path: Path) -> None:
    write(tmp_path, {"aras": "b?b?b", "perfect": "bbb?", "bounds": "?????"})
    made = table(tmp_path, truth="perfect")
    assert cells(made) == {
        "tasks": 1.0,
        "joint_pool": 3.0,
        "aras": pytest.approx(200 / 3),
        "perfect": 100.0,
        "bounds": 0.0,
        "BestOf": 100.0,
    }
    assert "J: the bugs of perfect among the states that all have judged" in made.notes
    with pytest.raises(InputError, match="no campaign here is of 'A\\*', but of aras, "):
        table(tmp_path, truth="A*")


def test_a_truth_that_judged_too_little_to_be_compared_still_counts(tmp_path: Path) -> None:
    write(tmp_path, {"aras": "b?b?", "perfect": "?b"})
    made = cells(table(tmp_path, least=3, truth="perfect"))
    assert (made["joint_pool"], made["aras"], made["perfect"]) == (1.0, 0.0, UNDEFINED)


def test_intervals_are_over_the_seeds(tmp_path: Path) -> None:
    for seed, letters in enumerate(("b???", "bb??", "bbbb")):
        write(tmp_path / str(seed), {"aras": letters}, seed=seed)
    made = table(tmp_path, intervals=True)
    assert [row.label for row in made.rows] == [
        *("line", "  lowest of 3 seeds", "  highest of 3 seeds"),
    ]
    found = [cells(made, row)["aras"] for row in range(3)]
    assert found == [pytest.approx(700 / 12), 25.0, 100.0]
    write(tmp_path / "one", {"perfect": "b"}, policy="other", seed=5)
    assert len(table(tmp_path, intervals=True, least=1).rows) == 4


def test_bounds_count_and_rejected_claims_do_not(tmp_path: Path) -> None:
    write(tmp_path, {"aras": "bi?r"})
    made = table(tmp_path)
    assert cells(made)["aras"] == 50.0
    assert "1 bug by a bound alone, without a better run at hand" in made.notes


def test_rows_by_policy_and_domain(tmp_path: Path) -> None:
    write(tmp_path / "a", {"aras": "bb"}, policy="lazy:hff")
    write(tmp_path / "b", {"perfect": "?b"}, policy="greedy:hff")
    made = table(tmp_path)
    assert [(row.block, row.label) for row in made.rows] == [
        *(("greedy:hff", "line"), ("lazy:hff", "line")),
    ]
    assert cells(made)["aras"] is UNDEFINED and cells(made, 1)["aras"] == 100.0


def test_pools_must_be_the_same(tmp_path: Path) -> None:
    Sample("ss", {"aras": "b?"}, places=[1, 2]).write(tmp_path / "a")
    Sample("ss", {"perfect": "b?"}, places=[1, 3]).write(tmp_path / "b")
    with pytest.raises(InputError, match=r"b: judges other states than .*a: compare oracles on"):
        table(tmp_path)


def test_nothing_is_counted_twice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, {"aras": "b?"})
    with pytest.raises(InputError, match=r"b/aras: is the same as .*a/aras: give one of them"):
        table(tmp_path)


def test_states_that_a_learning_oracle_flags_later_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(families.ORACLES.builtin, NAME, PLACE)
    task = generated_task(tmp_path, "blocksworld", seed=1, blocks=4)
    options = CostOptions(
        task=(),
        policy="hill-climbing:hadd",
        oracles=(NAME,),
        fuzz=FuzzOptions(pool_size=60, bias="uniform"),
        escalate_to=200_000,
    )
    Campaign.create(tmp_path / "campaign", options, task).run()
    with CostRecords(tmp_path / "campaign") as records:
        bugs, columns = records.bugs(), records.verdicts(NAME)
        at_first = set(columns.numbers[columns.outcomes == "bug"].tolist())
        escalated = {row.case for row in bugs if NAME not in row.finders}
    found = judged_in(tmp_path / "campaign")
    later = found.flagged - at_first
    assert later and escalated and not found.bounds
    assert found.flagged == {row.case for row in bugs} - escalated
    assert len(found.states) == 60 and found.states.dtype == np.uint16
