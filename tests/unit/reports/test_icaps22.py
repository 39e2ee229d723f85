"""Table 1 of papers/000 over campaigns written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.reports.plain_text import plain_text
from bugsieve.reports.table import NOT_APPLICABLE, UNDEFINED, Table, Value
from bugsieve.rooms.lab.reports.collection import collect
from bugsieve.rooms.lab.reports.formats.data import json_text
from bugsieve.rooms.lab.reports.icaps22 import ORACLES_PART, TableOptions, icaps22_table
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
    verdicts = {"lookahead": "b?", "inv-quant": "b?"}
    Sample("ss", verdicts, objections={"undo-qual": "no"}).write(tmp_path / "a")
    other = b"(define (domain other))"
    Sample("ss", {**verdicts, "undo-qual": "??"}, domain=other).write(tmp_path / "b")
    made = table(tmp_path)
    assert cell(made, "qual_undo") is NOT_APPLICABLE
    assert cell(made, "qual_look") is UNDEFINED
    assert cell(made, "quant_inv") == 50.0
    assert "quant_perf" not in [column.key for column in made.columns]


def columns_of(made: Table, kind: str) -> list[str]:
    """The oracles that have a column for this kind of bugs."""
    return [
        column.headings[-1]
        for column in made.columns
        if column.headings[0] == ORACLES_PART and column.key.startswith(f"{kind}_")
    ]


def test_every_oracle_that_ran_has_its_column_and_no_other(tmp_path: Path) -> None:
    verdicts = {"planner:ehc": "?b", "perfect": "?b", "lookahead:2": "??", "lookahead:1": "?b"}
    sample = Sample("sl", {**verdicts, "undo-qual": "?b"}, objections={"aras": "no such plans"})
    sample.write(tmp_path / "a")
    made = table(tmp_path)
    assert columns_of(made, "qual") == ["undo", "look:2", "look:1", "perf", "planner:ehc"]
    assert columns_of(made, "quant") == ["look:2", "look:1", "perf", "planner:ehc"]
    assert (cell(made, "qual_look:2"), cell(made, "qual_look:1")) == (0.0, 100.0)
    assert cell(made, "qual_planner:ehc") == 100.0
    assert any("aras: does not apply anywhere" in note for note in made.notes)


def test_recalls_of_different_judges_are_no_mean(tmp_path: Path) -> None:
    Sample("sl", {"lookahead": "??"}, length=10).write(tmp_path / "a")
    Sample("sl", {"perfect": "?b"}, length=20).write(tmp_path / "b")
    made = table(tmp_path)
    assert [row.label for row in made.rows] == ["line, lookahead", "line, perfect"]
    assert [cell(made, "bias_recall_qual_on", row=row) for row in (0, 1)] == [0.0, 50.0]


@pytest.mark.parametrize("all_instances", [False, True])
def test_instances_that_the_policy_does_not_solve_are_named(
    tmp_path: Path, all_instances: bool
) -> None:
    Sample("ss", {"lookahead": "?b"}, length=10).write(tmp_path / "a")
    Sample("ls", {"lookahead": "bb"}, length=20).write(tmp_path / "b")
    made = table(tmp_path, options=TableOptions(all_instances=all_instances))
    assert (made.rows[0].unsolved, made.rows[0].title) == (("line-20",), "line*")
    (note,) = [note for note in made.notes if note.startswith("*")]
    assert note.startswith("* line: 1 instance not solved and")
    assert note.endswith(": line-20") and ("counted:" in note) == all_instances
    assert "line*" in plain_text(made) and "line-20" in plain_text(made)
    (row,) = json.loads(json_text(made))["rows"]
    assert (row["domain"], row["unsolved_instances"]) == ("line", ["line-20"])


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
