"""Table 1 of papers/000 over campaigns written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.basis.errors import InputError
from bugsieve.reports.collection import collect
from bugsieve.reports.icaps22 import TableOptions, icaps22_table
from bugsieve.reports.measures import NOT_APPLICABLE, UNDEFINED, Value
from bugsieve.reports.table import Table
from tests.unit.reports.samples import Sample

LOOK = {"lookahead": "bb??"}


def table(folder: Path, *, options: TableOptions | None = None) -> Table:
    return icaps22_table(collect([folder]), options or TableOptions())


def cell(made: Table, key: str, *, row: int = 0) -> Value:
    (number,) = [i for i, column in enumerate(made.columns) if column.key == key]
    return made.rows[row].cells[number]


def test_only_solved_instances_enter(tmp_path: Path) -> None:
    Sample("ssll", {"lookahead": "?bb?"}, length=10).write(tmp_path / "a")
    Sample("sslllll", {"lookahead": "??bbb??"}, length=20).write(tmp_path / "b")
    Sample("llll", {"lookahead": "bbbb"}, length=30).write(tmp_path / "c")
    made = table(tmp_path)
    assert [row.label for row in made.rows] == ["line"]
    assert (cell(made, "instances"), cell(made, "instances_solved")) == (3.0, 2.0)
    assert cell(made, "pool") == 5.5
    assert cell(made, "pool_solved") == 2.0
    assert cell(made, "qual_look") == pytest.approx((50 + 60) / 2)
    assert cell(made, "quant_look") == pytest.approx((50 + 0) / 2)
    everything = table(tmp_path, options=TableOptions(all_instances=True))
    assert cell(everything, "pool") == 5.0
    assert cell(everything, "qual_look") == pytest.approx((50 + 60 + 100) / 3)


def test_campaigns_of_an_instance_are_averaged_first(tmp_path: Path) -> None:
    for seed, letters in enumerate(["?b", "?b", "??"]):
        Sample("sl", {"lookahead": letters}, length=10, seed=seed).write(tmp_path / f"a{seed}")
    Sample("sl", {"lookahead": "??"}, length=20).write(tmp_path / "b")
    assert cell(table(tmp_path), "qual_look") == pytest.approx((200 / 3 + 0) / 2)


def test_switches(tmp_path: Path) -> None:
    for bias in ("policy-quality", "uniform"):
        for novelty in (0, 2):
            letters = {
                ("policy-quality", 2): "?bbb",
                ("uniform", 2): "??b?",
                ("policy-quality", 0): "?bb?",
                ("uniform", 0): "????",
            }[bias, novelty]
            sample = Sample("slls", {"lookahead": letters}, bias=bias, novelty=novelty)
            sample.write(tmp_path / f"{bias}{novelty}")
    made = table(tmp_path)
    assert cell(made, "bias_recall_qual_off") == 25.0
    assert cell(made, "bias_recall_qual_on") == 50.0
    assert cell(made, "bias_recall_quant_off") == 0.0
    assert cell(made, "bias_recall_quant_on") == 50.0
    assert cell(made, "novelty_recall_qual_off") == 50.0
    assert cell(made, "novelty_recall_quant_off") == 0.0
    assert cell(made, "novelty_recall_quant_on") == 50.0
    assert cell(made, "novelty_regions_qual_on") == 1.0
    assert cell(made, "novelty_regions_quant_off") == 0.0
    assert cell(made, "novelty_pairs_quant_off") is UNDEFINED
    assert cell(made, "instances") == 1.0


def test_best_of_is_the_union_of_all_oracles(tmp_path: Path) -> None:
    verdicts = {"lookahead": "b?b???", "aras": "?b????", "planner:ehc": "???b??"}
    Sample("ssslll", verdicts).write(tmp_path / "a")
    made = table(tmp_path)
    assert cell(made, "bias_recall_quant_on") == 100.0
    assert cell(made, "bias_recall_qual_on") == pytest.approx(100 / 6)


def test_what_does_not_apply_and_what_is_undefined(tmp_path: Path) -> None:
    sample = Sample("ss", {"lookahead": "b?", "inv-quant": "b?"}, objections={"undo-qual": "no"})
    sample.write(tmp_path / "a")
    made = table(tmp_path)
    assert cell(made, "qual_undo") is NOT_APPLICABLE
    assert cell(made, "qual_look") is UNDEFINED
    assert cell(made, "quant_inv") == 50.0
    assert "quant_perf" not in [column.key for column in made.columns]


def test_perfect_quantitative_recall_is_shown_where_there_is_one(tmp_path: Path) -> None:
    Sample("ss", {"perfect": "b?"}).write(tmp_path / "a")
    assert cell(table(tmp_path), "quant_perf") == 50.0


def test_rows_by_policy_and_domain(tmp_path: Path) -> None:
    for number, (policy, name) in enumerate(
        [("random", b"Zebra"), ("greedy:hff", b"zoo"), ("random", b"ant"), ("greedy:hff", b"Bee")]
    ):
        domain = b"(define (domain " + name + b"))"
        Sample("sl", {"lookahead": "?b"}, policy=policy, domain=domain).write(
            tmp_path / str(number)
        )
    made = table(tmp_path)
    assert [(row.block, row.label) for row in made.rows] == [
        ("greedy:hff", "bee"),
        ("greedy:hff", "zoo"),
        ("random", "ant"),
        ("random", "zebra"),
    ]


def test_another_bias_may_count_as_on(tmp_path: Path) -> None:
    Sample("sl", {"lookahead": "?b"}, bias="detour").write(tmp_path / "a")
    Sample("sl", {"lookahead": "??"}, bias="uniform").write(tmp_path / "b")
    Sample("sl", {"lookahead": "??"}, bias="policy-quality").write(tmp_path / "c")
    made = table(tmp_path, options=TableOptions(bias="detour"))
    assert cell(made, "bias_recall_qual_off") == 0.0
    assert cell(made, "bias_recall_qual_on") == 50.0
    assert any("1 campaign with other biases" in note for note in made.notes)
    assert any("detour bias" in column.headings[0] for column in made.columns)


def test_notes_tell_what_the_numbers_hide(tmp_path: Path) -> None:
    Sample("sll", {"undo-qual": "?ii"}, unjudged=3).write(tmp_path / "a")
    Sample("sl", {"lookahead": "?b"}, objective="avoid:(at p1)").write(tmp_path / "b")
    notes = "\n".join(table(tmp_path).notes)
    assert "2 bugs implied" in notes
    assert "3 pool states not judged" in notes
    assert "1 campaign with other biases or objectives" in notes


def test_nothing_to_tabulate(tmp_path: Path) -> None:
    Sample("sl", {"lookahead": "?b"}, bias="surface").write(tmp_path / "a")
    with pytest.raises(InputError, match="'policy-quality' or 'uniform'"):
        table(tmp_path)
