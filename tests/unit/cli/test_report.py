"""`bugsieve report` as a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hostile.stores import statement
from tests.unit.cli.commands import Run
from tests.unit.reports.samples import Sample


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return Sample("sl", {"lookahead": "??"}).write(tmp_path / "campaign")


def test_a_report_is_written_and_named(run: Run, campaign: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert run("report", campaign, "-o", target) == (0, f"wrote {target}\n", "")
    assert target.read_text().startswith("<!DOCTYPE html>")


def test_mistakes_are_told_in_one_sentence(run: Run, campaign: Path, tmp_path: Path) -> None:
    for words, said in {
        ("report", tmp_path / "nothing"): "there is no such folder",
        ("report", campaign, "--picture", "blok"): "did you mean 'blocks'?",
        ("report", campaign, "-o", tmp_path / "no" / "page.html"): "cannot be used",
        ("report",): "the following arguments are required: DIR",
    }.items():
        code, out, err = run(*words)
        assert (code, out) == (4, "") and said in err and "Traceback" not in err


def test_following_ends_cleanly_by_ctrl_c(campaign: Path, tmp_path: Path) -> None:
    statement("UPDATE progress SET finished = NULL")(campaign)
    words = ["report", "campaign", "--follow"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bugsieve", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "wrote report.html, and goes on until the end\n"
    before = (tmp_path / "report.html").read_bytes()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "wrote report.html\n", "")
    after = (tmp_path / "report.html").read_bytes()
    assert b'"follows":true' in before
    assert b'"follows":false' in after and b"this page follows it" not in after
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []
