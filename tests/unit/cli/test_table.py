"""`bugsieve table`: what it prints and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.unit.reports.safety.samples import FULL, UNIFORM, SafetySample
from tests.unit.reports.samples import Sample

Captured = pytest.CaptureFixture[str]


def test_the_table_as_text(campaigns: str, capsys: Captured) -> None:
    assert main(["table", "icaps22", campaigns]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    assert output.splitlines()[4].split() == ["line", "1", "1", "4.0", "2.0", "50.0", "50.0"]
    assert "(D) policy-quality bias" in output


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--csv", "policy,domain,instances"),
        ("--json", "{\n"),
        ("--latex", "% needs"),
        ("--markdown", "**(A)"),
    ],
)
def test_other_formats(campaigns: str, capsys: Captured, option: str, expected: str) -> None:
    assert main(["table", "icaps22", campaigns, option]) == 0
    assert capsys.readouterr().out.startswith(expected)


def test_the_table_as_json(campaigns: str, capsys: Captured) -> None:
    assert main(["table", "icaps22", campaigns, "--json", "--bias", "surface"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["instances"], row["pool"], row["bias_recall_qual_off"]) == (1, None, 25.0)


def test_oracles_side_by_side(tmp_path: Path, capsys: Captured) -> None:
    for number, (oracle, letters) in enumerate({"aras": "bb??", "perfect": "bbb?"}.items()):
        Sample("slsl", {oracle: letters}).write(tmp_path / str(number))
    assert main(["table", "icaps23", str(tmp_path), "--least", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["domain", "#Π", "|J|", "aras", "perfect", "BestOf"]
    assert lines[2].split() == ["line", "1", "4", "50.0", "75.0", "75.0"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["icaps22", "missing"], "missing: there is no such folder"),
        (["icaps22"], "required: DIR"),
        (["icaps21", "{}"], "invalid choice: 'icaps21'"),
        (["icaps22", "{}", "--least", "3"], "--least is for the table icaps23"),
        (["icaps23", "{}", "--part", "faults"], "--part is for the tables safety and icaps25"),
        (["icaps23", "{}", "--bias", "surface"], "--bias for icaps22"),
        (["icaps23", "{}", "--least", "few"], "--least"),
        (["icaps22", "{}", "--csv", "--json"], "not allowed with argument --csv"),
        (["icaps22", "{}", "--bias", "polcy-quality"], "did you mean 'policy-quality'"),
        (["icaps22", "{}", "--part", "faults"], "--part is for the tables safety and icaps25"),
        (["safety", "{}"], "is a campaign of cost testing"),
        (["safety", "{}", "--bias", "surface"], "are for the table icaps22"),
        (["safety", "{}", "--csv"], "add --part fuzzing, oracles or faults"),
        (["safety", "{}", "--part", "x"], "invalid choice: 'x'"),
        (["safety", "{}", "--part", "criteria"], "safety has no part 'criteria', but fuzzing"),
        (["safety", "{}", "--intervals"], "--intervals is for the tables icaps23 and icaps25"),
        (["icaps25", "missing"], "missing: there is no such folder"),
        (["icaps25", "{}"], "holds no final tests of trained policies"),
        (["icaps25", "{}", "--csv"], "add --part criteria or configurations"),
        (["icaps25", "{}", "--part", "faults"], "icaps25 has no part 'faults', but criteria"),
        (["icaps25", "{}", "--all-instances"], "are for the table icaps22, not for icaps25"),
    ],
)
def test_what_is_refused(
    campaigns: str, capsys: Captured, arguments: list[str], sentence: str
) -> None:
    assert main(["table", *(word.format(campaigns) for word in arguments)]) == 4
    output, errors = capsys.readouterr()
    assert output == ""
    assert sentence in errors and errors.count("\n") == 1


@pytest.fixture
def safety_campaigns(tmp_path: Path) -> str:
    FULL.write(tmp_path / "s" / "all")
    UNIFORM.write(tmp_path / "s" / "one")
    return str(tmp_path / "s")


def test_tables_of_safety(safety_campaigns: str, capsys: Captured) -> None:
    assert main(["table", "safety", safety_campaigns]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    parts = ["(A) fuzzing", "(B) oracles", "(C) fault analysis"]
    assert sorted(output.index(part) for part in parts) == [output.index(part) for part in parts]
    assert main(["table", "safety", safety_campaigns, "--part", "faults"]) == 0
    assert output.endswith(capsys.readouterr().out)
    assert main(["table", "icaps22", safety_campaigns]) == 4
    assert "is a campaign of safety testing" in capsys.readouterr().err


def test_tables_that_cannot_be_made_are_left_out(tmp_path: Path, capsys: Captured) -> None:
    nothing_found = SafetySample({"tarjan": ""}, {"tarjan": []}, safe=3)
    folder = nothing_found.write(tmp_path / "campaign")
    assert main(["table", "safety", str(folder)]) == 0
    output, errors = capsys.readouterr()
    assert "(A) fuzzing" in output and "(B)" not in output
    assert "without the table of oracles: " in errors and "--alone N" in errors
    assert "without the table of faults: " in errors


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--csv", "--part", "fuzzing"], "policy,model,walks,unsafe_uniform_1"),
        (["--latex"], "% needs"),
        (["--markdown"], "**(A)"),
    ],
)
def test_safety_in_other_formats(
    safety_campaigns: str, capsys: Captured, arguments: list[str], expected: str
) -> None:
    assert main(["table", "safety", safety_campaigns, *arguments]) == 0
    assert capsys.readouterr().out.startswith(expected)


def test_safety_as_json(safety_campaigns: str, capsys: Captured) -> None:
    assert main(["table", "safety", safety_campaigns, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert list(tables) == ["fuzzing", "oracles", "faults"]
    assert tables["faults"]["rows"][0]["with_fault"] == 80.0
    assert main(["table", "safety", safety_campaigns, "--json", "--part", "faults"]) == 0
    assert json.loads(capsys.readouterr().out) == tables["faults"]
