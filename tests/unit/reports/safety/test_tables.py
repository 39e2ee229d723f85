"""The tables of safety campaigns, counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.reports.table import UNDEFINED, Table, Value
from bugsieve.rooms.lab.reports.formats import FORMATS
from bugsieve.rooms.lab.reports.safety.cards import collect_safety
from bugsieve.rooms.lab.reports.safety.tables import (
    PARTS,
    faults_table,
    fuzzing_table,
    oracles_table,
)
from tests.unit.reports.safety.samples import FULL, UNIFORM, SafetySample


def rows(table: Table) -> dict[tuple[str, str], dict[str, Value]]:
    keys = [column.key for column in table.columns]
    return {(row.block, row.label): dict(zip(keys, row.cells, strict=True)) for row in table.rows}


def test_fuzzing(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    UNIFORM.write(tmp_path / "b")
    replace(UNIFORM, seed=1, repeated=2, safe=7, fuzz_seconds=1.5).write(tmp_path / "c")
    replace(UNIFORM, name="other").write(tmp_path / "d")
    found = rows(fuzzing_table(collect_safety([tmp_path])))
    assert list(found) == [("random", "ledge"), ("random", "other")]
    assert found["random", "ledge"] == {
        "walks": 10.0,
        "unsafe_uniform_1": 2.0,  # the mean of 1 and 3
        "unsafe_greedy_inf": 7.0,
        "different_uniform_1": 1.0,
        "different_greedy_inf": 5.0,
        "seconds_uniform_1": 1.0,
        "seconds_greedy_inf": 2.0,
    }
    assert found["random", "other"]["unsafe_greedy_inf"] is UNDEFINED


def shares(values: dict[str, Value], key: str) -> list[Value]:
    return [value for name, value in values.items() if name.startswith(f"{key}_")]


def test_oracles(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    UNIFORM.write(tmp_path / "b")  # not what oracles are compared on
    table = oracles_table(collect_safety([tmp_path]))
    found = rows(table)
    assert list(found) == [("ledge", "∞-tarjan"), ("ledge", "1-tarjan"), ("ledge", "∞-lao")]
    tarjan, near, lao = found.values()
    assert [row["bugs"] for row in found.values()] == [2.0] * 3
    assert [row["non_bugs"] for row in found.values()] == [2.0] * 3
    # within 0.1 ms, 1 ms, 10 ms, 0.1 s, 1 s, 10 s, and at all
    assert shares(tarjan, "bugs") == [50.0, 50.0, 50.0, 50.0, 100.0, 100.0, 100.0]
    assert shares(near, "bugs") == [0.0, 0.0, 0.0, 50.0, 50.0, 50.0, 50.0]
    assert shares(lao, "bugs") == [0.0, 0.0, 50.0, 50.0, 50.0, 100.0, 100.0]
    assert shares(tarjan, "non_bugs") == [0.0, 0.0, 50.0, 50.0, 50.0, 50.0, 100.0]
    assert shares(near, "non_bugs") == [50.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0]
    assert shares(lao, "non_bugs") == [0.0, 0.0, 0.0, 0.0, 50.0, 50.0, 50.0]
    assert table.notes == (
        "states of campaigns with ∞ greedy walks",
        "1 state left out that nobody could decide",
    )


def test_a_state_that_is_safe_within_a_radius_is_a_bug(tmp_path: Path) -> None:
    times = {"tarjan": (1.0, 1.0), "lao:1": (1.0, 1.0)}
    SafetySample({"tarjan": "?u", "lao:1": "su"}, times).write(tmp_path / "a")
    found = rows(oracles_table(collect_safety([tmp_path])))
    assert found["ledge", "∞-tarjan"]["bugs"] == found["ledge", "1-lao"]["bugs"] == 1.0
    assert found["ledge", "∞-tarjan"]["bugs_proven"] == 0.0
    assert found["ledge", "1-lao"]["bugs_proven"] == 100.0


def test_models_are_counted_together_and_apart(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    alone = {"tarjan": "uu", "vi": "us"}  # the second is a contradiction, but counts as a bug
    times = {"tarjan": (0.001, 0.001), "vi": (0.001, 0.001)}
    SafetySample(alone, times, name="other").write(tmp_path / "b")
    found = rows(oracles_table(collect_safety([tmp_path])))
    together = found["all models", "∞-tarjan"]
    assert (together["bugs"], together["non_bugs"]) == (3.0, 4.0)
    assert (found["all models", "∞-lao"]["bugs"], found["other", "∞-vi"]["bugs"]) == (2.0, 1.0)


def test_faults(tmp_path: Path) -> None:
    FULL.write(tmp_path / "a")
    found = rows(faults_table(collect_safety([tmp_path])))
    assert found["ledge", "∞-tarjan"] == {
        "runs": 5.0,
        "mean_ms": pytest.approx(4.0),
        "median_ms": pytest.approx(3.0),
        "max_ms": pytest.approx(10.0),
        "with_fault": 80.0,
        "with_several": 20.0,
        "open": 0.0,
        "faults": 1.0,
    }
    near, lao = found["ledge", "1-tarjan"], found["ledge", "∞-lao"]
    assert (near["with_fault"], near["with_several"], near["faults"]) == (40.0, 20.0, 0.8)
    assert (lao["with_fault"], lao["open"]) == (80.0, 20.0)


def test_campaigns_without_what_a_table_needs_are_named(tmp_path: Path) -> None:
    SafetySample({"tarjan": ""}, {}, safe=4).write(tmp_path / "a")
    cards = collect_safety([tmp_path])
    assert rows(fuzzing_table(cards))["random", "ledge"]["unsafe_greedy_inf"] == 0.0
    with pytest.raises(InputError, match="--alone N"):
        oracles_table(cards)
    with pytest.raises(InputError, match="no campaign here has found an unsafe run"):
        faults_table(cards)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("part", PARTS)
def test_every_format(tmp_path: Path, part: str, form: str) -> None:
    FULL.write(tmp_path / "a")
    text = FORMATS[form](PARTS[part](collect_safety([tmp_path])))
    if form in ("csv", "json"):  # elsewhere one block needs no heading
        assert "ledge" in text
    if part != "fuzzing" and form == "latex":
        assert r"$\infty$-tarjan" in text
    elif part != "fuzzing":
        assert "∞-tarjan" in text
