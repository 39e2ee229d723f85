"""`bugsieve export`: what it writes is a family, to which rooms add theirs."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bugsieve.base.registry import families
from bugsieve.commands.shared.exports import FileExport
from bugsieve.commands.shared.streams import show
from tests.unit.cli.commands import Run


class NameExport(FileExport):
    """Writes the name of the folder."""

    name, text = "folder-name", "a file with the name"

    def write(self, args: argparse.Namespace) -> int:
        """Write it."""
        self.target(args).write_text(args.folder.name)
        show("wrote it")
        return 0


NAME = NameExport()


@pytest.fixture(autouse=True)
def _listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families.EXPORTS.builtin, "folder-name", f"{__name__}:NAME")


def test_another_member_has_its_option(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "name.txt"
    assert run("export", tmp_path / "results", "--folder-name", file)[:2] == (0, "wrote it\n")
    assert file.read_text() == "results"
    assert "--folder-name OUT" in run("export", "--help")[1]


def test_one_of_them_is_asked_for(tmp_path: Path, run: Run) -> None:
    code, _, err = run("export", tmp_path, "--folder-name", "a", "--csv", "b")
    assert (code, "not allowed with" in err) == (4, True)
    code, _, err = run("export", tmp_path)
    assert (code, "--regression" in err and "--folder-name" in err) == (4, True)
