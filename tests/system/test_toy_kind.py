"""A kind of campaigns that only a test defines runs, is killed, resumed, shown and exported."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.registry import families
from bugsieve.campaigns import kind
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.cli import main
from tests.system.toy_kind import ToyFuzz, ToyOptions, ToyRecords, listed

PROGRAM = [sys.executable, "-m", "tests.system.toy_kind"]
COMPOSITES = [n for n in range(200) if any(n % k == 0 for k in range(2, n))]


@pytest.fixture(autouse=True)
def _listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind.KINDS, "family", replace(families.KINDS, builtin=listed()))


def found(folder: Path) -> list[int]:
    with ToyRecords(folder) as records:
        assert [*records.factors()] == list(range(records.progress().visits))
        return [row.case for row in records.bugs()]


def test_it_runs_is_killed_and_resumed_by_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    process = subprocess.Popen(
        [*PROGRAM, "run", str(folder), "200"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in range(25):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = found(folder)
    assert before == COMPOSITES[: len(before)]
    assert main(["status", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "primes among the natural numbers" in shown and "not finished" in shown
    assert main(["resume", str(folder)]) == 1  # there are bugs
    assert found(folder) == COMPOSITES
    assert "primes among" in capsys.readouterr().out
    assert main(["export", str(folder), "--json", str(tmp_path / "out.json")]) == 0
    exported = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert exported["subject"] == "natural numbers" and len(exported["factors"]) == 200
    assert len([*(folder / "bugs").iterdir()]) == len(COMPOSITES)


def test_its_bugs_count_and_its_time_ends(tmp_path: Path) -> None:
    options = ToyOptions(fuzz=ToyFuzz(limit=10**9), stop=StopRules(max_bugs=7))
    summary = Campaign.create(tmp_path / "campaign", options).run()
    assert (summary.bugs, summary.reason) == (7, "enough bugs")
    assert found(tmp_path / "campaign") == COMPOSITES[:7]
    assert Campaign.open(tmp_path / "campaign", stop=StopRules(max_time=0.2)).run().reason in (
        "out of time",
    )


def test_a_store_of_a_kind_that_nobody_knows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    Campaign.create(folder, ToyOptions(fuzz=ToyFuzz(limit=9))).run()
    monkeypatch.setattr(kind.KINDS, "family", families.KINDS)
    for command in (["status"], ["resume"], ["replay"], ["export", "--json", "x"]):
        assert main([command[0], str(folder), *command[1:]]) == 4
        assert "there is no kind of campaigns 'primes'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["replay", "explain 1", "minimise 1", "export --green x"])
def test_commands_that_ask_for_more_than_it_has_say_so(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    Campaign.create(folder, ToyOptions(fuzz=ToyFuzz(limit=9))).run()
    name, *others = command.split()
    assert main([name, str(folder), *others]) == 4
    assert "is a campaign of primes, which this command cannot take" in capsys.readouterr().err
