"""The words that commands print about runs and states are explained in the help and the docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bugsieve.cli import main
from bugsieve.pipeline.bugs.replay import ReplayStatus
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.safety.bugs.bug import AVOIDABLE, FAULT
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

DOCS = Path(__file__).parents[3] / "docs"
WALKS = [outcome.value for outcome in WalkOutcome]
RUNS = ["fault", "could not be avoided", "inconclusive"]


def explained(page: str) -> set[str]:
    """The words in the first columns of the tables of a page."""
    rows = re.findall(r"^\| ([^|]+) \|", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    return {word.strip("`") for row in rows for word in row.split(", ")}


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([command, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_words_of_safety(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of("safety", capsys)
    assert [word for word in [*WALKS, *RUNS] if f" {word} " not in text] == []
    states = ["safe", "lost", "unsafe", "undecided", "with a fault"]
    replayed = [s.value for s in ReplayStatus if s is not ReplayStatus.IMPROVED]  # of cost alone
    bugs = [FAULT, AVOIDABLE, "not proven in full", *replayed]
    assert {*WALKS, *RUNS, *states, *bugs} <= explained("safety.md")


def test_the_words_of_decide(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of("decide", capsys)
    assert "undecided" in text and "perhaps a fault" in text


def test_the_words_of_rollout(capsys: pytest.CaptureFixture[str]) -> None:
    endings = {ending.label for ending in Ending}
    assert endings <= explained("rollout.md")
    text = help_of("rollout", capsys)
    assert all(f'"{ending}"' in text for ending in endings)
