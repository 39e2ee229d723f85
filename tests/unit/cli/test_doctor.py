"""doctor: tries the real parts, and says what to do about those that fail."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.commands import doctor
from bugsieve.commands.doctor import BROKEN, EXTRAS, FaultError, InstallationCheck, examine, table
from bugsieve.commands.shared.program import main
from bugsieve.tasks.grounded import translator


def test_this_installation_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for part in ("Python", "numpy", "compiled core", "translator"):
        assert f"ok       {part}" in text


def test_missing_extras_come_with_their_pip_command() -> None:
    findings = {finding.part: finding for finding in examine()}
    for package, _ in EXTRAS.values():
        finding = findings[package]
        assert not finding.required
        assert finding.works or finding.remedy == f"pip install {package}"


def test_extras_are_those_that_the_code_uses() -> None:
    root = Path(__file__).parents[3]
    code = "\n".join(
        path.read_text()
        for folder in ("src", "benchmarks")
        for path in (root / folder).rglob("*.py")
        if path.name != "doctor.py"
    )
    for module in EXTRAS:
        assert re.search(rf'\b(import|from) {module}\b|find_spec\("{module}"\)', code)
    packages = {package for package, _ in EXTRAS.values()}
    optional = parse_toml((root / "pyproject.toml").read_text(), "pyproject.toml")["project"]
    for needed in optional["optional-dependencies"].values():
        assert {re.split("[><=]", package)[0] for package in needed} <= packages


def test_missing_translator_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(translator, "PACKAGE", "no-such-package-as-this")
    assert main(["doctor"]) == BROKEN
    assert "fix: pip install fast-downward.translate" in capsys.readouterr().out


def test_missing_core_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("bugsieve._native", raising=False)
    monkeypatch.setitem(sys.modules, "bugsieve._native", None)
    (core,) = [finding for finding in examine() if finding.part == "compiled core"]
    assert not core.works
    assert core.detail.startswith("cannot be imported")
    assert "pip install" in core.remedy


def test_wrong_core_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    cheaper = doctor.SAS_TASK.replace("begin_metric 0", "begin_metric 1").replace(
        " 1 end_op", " 5 end_op"
    )
    monkeypatch.setattr(doctor, "SAS_TASK", cheaper)
    (core,) = [finding for finding in examine() if finding.part == "compiled core"]
    assert not core.works
    assert "h^max = 10 where 2 is right" in core.detail


def test_old_python_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (99, 0))
    first = next(examine())
    assert (first.part, first.works) == ("Python", False)
    assert first.remedy == "install Python 99.0 or newer"


def test_a_part_that_fails_in_an_unknown_way_is_reported() -> None:
    def explode() -> str:
        raise RuntimeError("boom\nbang")

    def refuse() -> str:
        raise FaultError("seen", "do this")

    assert doctor._tried("part", explode).detail == "fails (RuntimeError: boom bang)"
    assert doctor._tried("part", refuse) == InstallationCheck("part", False, "seen", "do this")


def test_table_is_aligned() -> None:
    lines = table(
        [InstallationCheck("a", True, "fine"), InstallationCheck("long", False, "odd", "cure")]
    ).split("\n")
    assert lines == ["ok       a     fine", "BROKEN   long  odd; fix: cure"]
