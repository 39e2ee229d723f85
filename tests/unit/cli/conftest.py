"""The command line without a process of its own, and campaigns for it to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.cli import main
from tests.unit.cli.commands import Run, spared
from tests.unit.reports.samples import Sample


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(spared([str(argument) for argument in arguments]))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def campaigns(tmp_path: Path) -> str:
    """A folder with two campaigns of cost testing, by different fuzzers."""
    Sample("slsl", {"lookahead": "bb??"}).write(tmp_path / "a" / "on")
    Sample("slsl", {"lookahead": "?b??"}, bias="uniform").write(tmp_path / "a" / "off")
    return str(tmp_path / "a")
