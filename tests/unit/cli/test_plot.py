"""`bugsieve plot`: the files it writes and what it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.unit.reports.safety.samples import FULL, UNIFORM
from tests.unit.reports.samples import Sample

Captured = pytest.CaptureFixture[str]


def test_both_kinds_of_files(campaigns: str, tmp_path: Path, capsys: Captured) -> None:
    svg, png = tmp_path / "b.svg", tmp_path / "b.png"
    assert main(["plot", campaigns, "-o", str(svg), "-o", str(png), "--log"]) == 0
    assert capsys.readouterr().out == f"wrote {svg}\nwrote {png}\n"
    assert svg.read_bytes().startswith(b"<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("arguments", [["--by", "bias, policy"], ["--kind", "recall"]])
def test_other_pictures(campaigns: str, tmp_path: Path, arguments: list[str]) -> None:
    picture = tmp_path / "b.svg"
    assert main(["plot", campaigns, "-o", str(picture), *arguments]) == 0
    assert picture.stat().st_size > 1000


def test_oracles_side_by_side(tmp_path: Path) -> None:
    for oracle in ("aras", "perfect"):
        Sample("slsl", {oracle: "b?b?"}, pool_from="pool").write(tmp_path / "a" / oracle)
    picture = tmp_path / "b.svg"
    assert main(["plot", "--by", "oracles", str(tmp_path / "a"), "-o", str(picture)]) == 0
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("kind", ["fuzzing", "oracles", "faults"])
def test_pictures_of_safety(tmp_path: Path, capsys: Captured, kind: str) -> None:
    FULL.write(tmp_path / "s" / "all")
    UNIFORM.write(tmp_path / "s" / "one")
    picture = tmp_path / "a.svg"
    assert main(["plot", str(tmp_path / "s"), "--kind", kind, "-o", str(picture)]) == 0
    assert capsys.readouterr().out == f"wrote {picture}\n"
    assert picture.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{}"], "required: -o"),
        (["{}", "-o", "a.jpeg"], "a.jpeg: the name of a picture must end in one of .svg"),
        (["missing", "-o", "a.svg"], "missing: there is no such folder"),
        (["{}", "-o", "a.svg", "--by", "bais"], "did you mean 'bias'"),
        (["{}", "-o", "a.svg", "--by", "oracles,seed"], "name nothing beside it"),
        (["{}", "-o", "a.svg", "--by", "oracles"], "judged states while its pool was made"),
        (["{}", "-o", "a.svg", "--kind", "recall", "--log"], "--log and --by are for pictures"),
        (["{}", "-o", "a.svg", "--kind", "faults", "--log"], "not of faults"),
        (["{}", "-o", "a.svg", "--kind", "faults"], "is a campaign of cost testing"),
        (["{}", "-o", "a.svg", "--kind", "oracles", "--all-instances"], "for campaigns of cost"),
        (["{}", "-o", "missing/a.svg"], "missing: cannot be read or written"),
    ],
)
def test_what_is_refused(
    campaigns: str,
    tmp_path: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plot", *(word.format(campaigns) for word in arguments)]) == 4
    output, errors = capsys.readouterr()
    assert output == ""
    assert sentence in errors and errors.count("\n") == 1
    assert not list(tmp_path.glob("*.svg"))


def test_without_matplotlib(
    campaigns: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plot", campaigns, "-o", str(tmp_path / "a.svg")]) == 4
    assert "pip install 'bugsieve[plot]'" in capsys.readouterr().err
